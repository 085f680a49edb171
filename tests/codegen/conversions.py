"""Run the lowering of a unary operation on all values of a type."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from weft.codegen import LlvmModule, lower
from weft.ir.text import parse_module
from weft.simulator import run
from weft.targets import target

DTYPES = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}


def text_of(op: str, before: str, after: str, chip: str, per_thread: int = 8) -> str:
    """Return TTGIR that does one operation to each element of an array.

    Args: op: with `%x` and the types left out, as "tt.fp_to_fp %x".
    """
    lanes = target(chip).threads_per_warp
    count = 4 * lanes * per_thread
    tensor = f"tensor<{count}x{{}}, #b>"
    index, source, result = tensor.format("i32"), tensor.format(before), tensor.format(after)
    pointers = {name: tensor.format(f"!tt.ptr<{name}>") for name in (before, after)}
    arrow = "to" if op.startswith("arith.") else "->"
    types = source if before == after else f"{source} {arrow} {result}"
    if op.startswith("tt.extern_elementwise"):
        operands = ", ".join([source] * op.partition("{")[0].count("%"))
        types = f"({operands}) -> {result}"
    return f"""
#b = #ttg.blocked<{{sizePerThread = [{per_thread}], threadsPerWarp = [{lanes}],
                    warpsPerCTA = [4], order = [0]}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "{chip}",
                    "ttg.threads-per-warp" = {lanes} : i32}} {{
  tt.func public @k(%p: !tt.ptr<{before}> {{tt.divisibility = 16 : i32}},
                    %q: !tt.ptr<{after}> {{tt.divisibility = 16 : i32}}) {{
    %size = arith.constant {count} : i32
    %id = tt.get_program_id x : i32
    %start = arith.muli %id, %size : i32
    %r = tt.make_range {{end = {count} : i32, start = 0 : i32}} : {index}
    %s = tt.splat %start : i32 -> {index}
    %i = arith.addi %s, %r : {index}
    %ps = tt.splat %p : !tt.ptr<{before}> -> {pointers[before]}
    %pp = tt.addptr %ps, %i : {pointers[before]}, {index}
    %x = tt.load %pp : {pointers[before]}
    %y = {op} : {types}
    %qs = tt.splat %q : !tt.ptr<{after}> -> {pointers[after]}
    %qp = tt.addptr %qs, %i : {pointers[after]}, {index}
    tt.store %qp, %y : {pointers[after]}
    tt.return
  }}
}}
"""


def module_of(op: str, before: str, after: str, chip: str, per_thread: int = 8) -> LlvmModule:
    """Return the LLVM module of such a kernel."""
    return lower(parse_module(text_of(op, before, after, chip, per_thread)))


def computed(
    op: str, before: str, after: str, chip: str, values: np.ndarray, per_thread: int = 8
) -> np.ndarray:
    """Convert values by the kernel, to the dtype of `after`."""
    module = module_of(op, before, after, chip, per_thread)
    lanes = target(chip).threads_per_warp
    count = 4 * lanes * per_thread
    blocks = -(-len(values) // count)
    inputs = np.resize(values, blocks * count)
    actual = np.zeros(blocks * count, DTYPES.get(after) or np.dtype(after.replace("i", "int")))
    with np.errstate(all="ignore"):
        run(module.text, grid=(blocks,), arguments=[inputs, actual], warp_size=lanes)
    return actual[: len(values)]


def around(name: str, wide: str) -> np.ndarray:
    """Return numbers of a type that cover all cases of rounding to a smaller one.

    Its numbers, what lies half-way between two of them, the next numbers on both sides of each,
    numbers beyond the greatest and below the least, infinity, and NaN.
    """
    small = np.arange(256, dtype=np.uint8).view(DTYPES[name]).astype(np.float64)
    sizes = np.unique(np.abs(small[np.isfinite(small)]))
    middles = (sizes[1:] + sizes[:-1]) / 2
    beyond = sizes[-1] * np.array([1.01, 1.0625, 1.125, 1.5, 2.0, 1e3, 1e30])
    below = sizes[1] * np.array([0.1, 0.49, 0.51, 1e-10])
    with np.errstate(all="ignore"):
        exact = np.concatenate([sizes, middles, beyond, below]).astype(DTYPES[wide])
        around_ = [np.nextafter(exact, exact.dtype.type(one)) for one in (0, np.inf)]
        every = np.concatenate([exact, *around_, np.array([np.inf, np.nan]).astype(exact.dtype)])
        return np.concatenate([every, -every])


def every(name: str, step: int = 1) -> np.ndarray:
    """Return all numbers of a type of 8 or 16 bits, or every so manieth."""
    dtype = np.dtype(DTYPES[name])
    bits = np.dtype(f"u{dtype.itemsize}")
    return np.arange(0, 1 << 8 * dtype.itemsize, step, dtype=np.uint32).astype(bits).view(dtype)
