"""Run inline PTX on numpy arrays."""

from __future__ import annotations

import numpy as np

from weft.ptx import read

__all__ = ["floats", "pairs", "run", "words"]

_CONSTRAINTS = {1: "b", 2: "h", 4: "r", 8: "l"}


def run(text: str, result: np.typing.DTypeLike, *inputs: np.ndarray) -> np.ndarray:
    """Run assembly whose output is `$0`, and return it as numbers of a type."""
    dtype = np.dtype(result)
    constraints = [
        f"={_CONSTRAINTS[dtype.itemsize]}",
        *(_CONSTRAINTS[each.dtype.itemsize] for each in inputs),
    ]
    bits = [np.ascontiguousarray(each).view(f"u{each.dtype.itemsize}") for each in inputs]
    (output,) = read(text, ",".join(constraints)).run(bits)
    shape = max((each.shape for each in inputs), default=(1,))
    return np.broadcast_to(output, shape).copy().view(dtype)


def words(*values: int) -> np.ndarray:
    """Create registers of 32 bits."""
    return np.array(values, np.uint32)


def floats(*values: float) -> np.ndarray:
    """Create registers of f32."""
    return np.array(values, np.float32)


def pairs(values: np.ndarray) -> np.ndarray:
    """Pack rows of two 16-bit numbers into registers of 32 bits."""
    return np.ascontiguousarray(values).view(np.uint32)[:, 0]
