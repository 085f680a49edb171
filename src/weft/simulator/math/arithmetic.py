"""Arithmetic that LLVM has no instruction for: intrinsics of one value per thread."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block
from weft.simulator.registry import Row, value

__all__: list[str] = []


def _quiet(function: Callable[..., np.ndarray]) -> Row:
    def run(block: Block, *values: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return function(*values)

    return run


def _rounded_once(function: Callable[[np.ndarray], np.ndarray]) -> Row:
    """Evaluate a function in f64 and round its result to the type of the operand.

    numpy's f32 functions differ in the last place between CPUs with and without AVX-512.
    """
    return _quiet(lambda x: function(x.astype(np.float64)).astype(x.dtype))


def _nan_aware(function: Callable[..., np.ndarray]) -> Row:
    return _quiet(lambda a, b: function(a, b).astype(a.dtype))


def _unsigned_extreme(function: Callable[..., np.ndarray]) -> Row:
    def run(block: Block, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        kind = f"u{a.dtype.itemsize}"
        return function(a.view(kind), b.view(kind)).view(a.dtype)

    return run


def _away_from_zero(x: np.ndarray) -> np.ndarray:
    """Return the nearest integers, those that are as near further from zero."""
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.sign(x), whole).astype(x.dtype)


def _require(block: Block, condition: np.ndarray) -> None:
    """Refuse to go on where what the kernel assumes does not hold: LLVM may do anything then.

    Raises: CodegenError.
    """
    wrong = ~np.broadcast_to(condition, block.threads) & block.mask
    if wrong.any():
        raise CodegenError(
            "what the kernel assumes does not hold",
            found=f"thread {int(np.flatnonzero(wrong)[0])} of the block {block.place}",
        )


_ROWS: dict[str, Row] = {
    "llvm.nvvm.ex2.approx.ftz.f": _rounded_once(np.exp2),
    "llvm.nvvm.ex2.approx.f": _rounded_once(np.exp2),
    "llvm.amdgcn.exp2.f32": _rounded_once(np.exp2),
    "llvm.nvvm.sqrt.approx.ftz.f": _quiet(np.sqrt),
    "llvm.amdgcn.sqrt.f32": _quiet(np.sqrt),
    "llvm.nvvm.rsqrt.approx.ftz.f": _quiet(lambda x: 1 / np.sqrt(x)),
    "llvm.amdgcn.rsq.f32": _quiet(lambda x: 1 / np.sqrt(x)),
    "llvm.nvvm.div.full": _quiet(np.divide),
    "llvm.assume": _require,
    "llvm.smin": lambda block, a, b: np.minimum(a, b) if a.dtype != np.bool_ else a | b,
    "llvm.smax": lambda block, a, b: np.maximum(a, b) if a.dtype != np.bool_ else a & b,
    "llvm.umin": _unsigned_extreme(np.minimum),
    "llvm.umax": _unsigned_extreme(np.maximum),
    "llvm.maxnum": _nan_aware(np.fmax),
    "llvm.minnum": _nan_aware(np.fmin),
    "llvm.maximum": _nan_aware(np.maximum),
    "llvm.minimum": _nan_aware(np.minimum),
    "llvm.fabs": _quiet(np.abs),
    "llvm.floor": _quiet(np.floor),
    "llvm.ceil": _quiet(np.ceil),
    "llvm.trunc": _quiet(np.trunc),
    "llvm.roundeven": _quiet(np.rint),
    "llvm.round": _quiet(_away_from_zero),
    "llvm.sqrt": _quiet(np.sqrt),
    "llvm.exp2": _rounded_once(np.exp2),
    "llvm.log": _rounded_once(np.log),
    "llvm.log2": _rounded_once(np.log2),
    "llvm.abs": lambda block, x, poison: np.abs(x),
    "llvm.fma": _quiet(lambda a, b, c: (a.astype(np.float64) * b + c).astype(a.dtype)),
}
for _name, _row in _ROWS.items():
    value(_name)(_row)
