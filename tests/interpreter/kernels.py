"""TTIR for tests: kernels around one operation, and how to run text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import ModuleOp

from weft.interpreter import run
from weft.ir.text import parse_module

DTYPES: dict[str, np.dtype] = {
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "f8E4M3FNUZ": np.dtype(ml_dtypes.float8_e4m3fnuz),
    "f8E5M2FNUZ": np.dtype(ml_dtypes.float8_e5m2fnuz),
}
SIZE = 64


def run_text(
    text: str,
    args: Sequence[object],
    grid: Sequence[int] = (1,),
    *,
    name: str = "k",
    **options: Any,
) -> None:
    """Parse a module and run one of its kernels."""
    run(_parsed(text), name, grid, args, **options)


@lru_cache(maxsize=64)
def _parsed(text: str) -> ModuleOp:
    return parse_module(text, name="kernel.mlir")


def elementwise(operation: str, inputs: Sequence[str], output: str, size: int = SIZE) -> str:
    """Return a kernel that applies an operation to tiles of `size` elements.

    Args: operation: text with operands %x0, %x1, … that defines %y; `{n}` is the size.
    """
    types = [*inputs, output]
    params = ", ".join(f"%p{i}: !tt.ptr<{t}>" for i, t in enumerate(types))
    lines = [f"tt.func public @k({params}) {{", "%pid = tt.get_program_id x : i32"]
    lines += [
        f"%block = arith.constant {size} : i32",
        "%start = arith.muli %pid, %block : i32",
        f"%lane = tt.make_range {{end = {size} : i32, start = 0 : i32}} : tensor<{size}xi32>",
        f"%first = tt.splat %start : i32 -> tensor<{size}xi32>",
        f"%index = arith.addi %first, %lane : tensor<{size}xi32>",
    ]
    for i, t in enumerate(types):
        pointers = f"tensor<{size}x!tt.ptr<{t}>>"
        lines.append(f"%s{i} = tt.splat %p{i} : !tt.ptr<{t}> -> {pointers}")
        lines.append(f"%a{i} = tt.addptr %s{i}, %index : {pointers}, tensor<{size}xi32>")
        if i < len(inputs):
            lines.append(f"%x{i} = tt.load %a{i} : {pointers}")
    lines.append(operation.replace("{n}", str(size)))
    last = len(inputs)
    lines += [f"tt.store %a{last}, %y : tensor<{size}x!tt.ptr<{output}>>", "tt.return", "}"]
    return "\n".join(lines)


def apply(operation: str, inputs: Sequence[tuple[str, np.ndarray]], output: str) -> np.ndarray:
    """Run an operation on arrays of a multiple of SIZE elements and return what it gives."""
    arrays = [np.ascontiguousarray(array.astype(DTYPES[t])) for t, array in inputs]
    result = np.zeros(arrays[0].size, DTYPES[output])
    text = elementwise(operation, [t for t, _ in inputs], output)
    run_text(text, [*arrays, result], (arrays[0].size // SIZE,))
    return result


def padded(values: Sequence[float] | np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return values repeated to a multiple of SIZE elements."""
    with np.errstate(all="ignore"):
        array = np.asarray(values).astype(dtype)
    return np.resize(array, -(-array.size // SIZE) * SIZE)
