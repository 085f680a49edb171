"""Run one instruction of PTX on numbers."""

from __future__ import annotations

import numpy as np

from weft.ptx import read

_LETTER = {1: "b", 2: "h", 4: "r", 8: "l"}


def run(text: str, result: np.typing.DTypeLike, *given: np.ndarray) -> np.ndarray:
    """Return what a text makes of arrays, `$0` as numbers of type `result`."""
    kind = np.dtype(result)
    letters = [f"={_LETTER[kind.itemsize]}", *(_LETTER[each.dtype.itemsize] for each in given)]
    bits = [np.ascontiguousarray(each).view(f"u{each.dtype.itemsize}") for each in given]
    (found,) = read(text, ",".join(letters)).run(bits)
    return (
        np.broadcast_to(found, max((each.shape for each in given), default=(1,))).copy().view(kind)
    )


def words(*values: int) -> np.ndarray:
    """Return registers of 32 bits."""
    return np.array(values, np.uint32)


def floats(*values: float) -> np.ndarray:
    """Return registers of f32."""
    return np.array(values, np.float32)


def pairs(values: np.ndarray) -> np.ndarray:
    """Return rows of two 16-bit numbers as registers of 32 bits."""
    return np.ascontiguousarray(values).view(np.uint32)[:, 0]
