"""Intrinsics of one value per thread: extremes, rounding, approximate functions, bit counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block
from weft.simulator.llvm_ir.casts import unsigned
from weft.simulator.registry import ArrayFunction, array_intrinsic

__all__: list[str] = []


def _quiet(function: Callable[..., np.ndarray]) -> ArrayFunction:
    """Adapt a function of arrays, without numpy's floating-point warnings."""

    def run(block: Block, *values: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return function(*values)

    return run


def _rounded_once(function: Callable[[np.ndarray], np.ndarray]) -> ArrayFunction:
    """Evaluate a function in f64 and round its result to the type of the operand.

    numpy's f32 functions differ in the last place between CPUs with and without AVX-512.
    """
    return _quiet(lambda x: function(x.astype(np.float64)).astype(x.dtype))


def _extreme(function: Callable[..., np.ndarray]) -> ArrayFunction:
    return _quiet(lambda a, b: function(a, b).astype(a.dtype))


def _unsigned_extreme(function: Callable[..., np.ndarray]) -> ArrayFunction:
    def run(block: Block, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return function(unsigned(a), unsigned(b)).view(a.dtype)

    return run


def _round_half_away(x: np.ndarray) -> np.ndarray:
    """Round to the nearest integer, ties away from zero."""
    truncated = np.trunc(x)
    rounded = np.where(np.abs(x - truncated) >= 0.5, truncated + np.sign(x), truncated)
    return rounded.astype(x.dtype)


def _assume(block: Block, condition: np.ndarray) -> None:
    """Check an assumption of the kernel, without which LLVM may generate any code.

    Raises:
        CodegenError: It does not hold.
    """
    violated = ~np.broadcast_to(condition, block.threads) & block.active
    if violated.any():
        raise CodegenError(
            "llvm.assume of a false condition",
            found=f"thread {int(np.flatnonzero(violated)[0])} of the block {block.program}",
        )


_FUNCTIONS: dict[str, ArrayFunction] = {
    "llvm.nvvm.ex2.approx.ftz.f": _rounded_once(np.exp2),
    "llvm.nvvm.ex2.approx.f": _rounded_once(np.exp2),
    "llvm.amdgcn.exp2.f32": _rounded_once(np.exp2),
    "llvm.nvvm.sqrt.approx.ftz.f": _quiet(np.sqrt),
    "llvm.nvvm.sqrt.approx.f": _quiet(np.sqrt),
    "llvm.amdgcn.sqrt.f32": _quiet(np.sqrt),
    "llvm.nvvm.rsqrt.approx.ftz.f": _quiet(lambda x: 1 / np.sqrt(x)),
    "llvm.nvvm.rsqrt.approx.f": _quiet(lambda x: 1 / np.sqrt(x)),
    "llvm.nvvm.rsqrt.approx.d": _quiet(lambda x: 1 / np.sqrt(x)),
    "llvm.amdgcn.rsq.f32": _quiet(lambda x: 1 / np.sqrt(x)),
    "llvm.amdgcn.rsq.f64": _quiet(lambda x: 1 / np.sqrt(x)),
    "llvm.nvvm.rcp.approx.ftz.f": _quiet(lambda x: (1 / x).astype(x.dtype)),
    "llvm.amdgcn.rcp.f32": _quiet(lambda x: (1 / x).astype(x.dtype)),
    "llvm.nvvm.div.full": _quiet(np.divide),
    "llvm.assume": _assume,
    "llvm.smin": lambda block, a, b: np.minimum(a, b) if a.dtype != np.bool_ else a | b,
    "llvm.smax": lambda block, a, b: np.maximum(a, b) if a.dtype != np.bool_ else a & b,
    "llvm.umin": _unsigned_extreme(np.minimum),
    "llvm.umax": _unsigned_extreme(np.maximum),
    "llvm.maxnum": _extreme(np.fmax),
    "llvm.minnum": _extreme(np.fmin),
    "llvm.maximum": _extreme(np.maximum),
    "llvm.minimum": _extreme(np.minimum),
    "llvm.fabs": _quiet(np.abs),
    "llvm.copysign": lambda block, x, sign: np.copysign(x, sign).astype(x.dtype),
    "llvm.floor": _quiet(np.floor),
    "llvm.ceil": _quiet(np.ceil),
    "llvm.trunc": _quiet(np.trunc),
    "llvm.roundeven": _quiet(np.rint),
    "llvm.round": _quiet(_round_half_away),
    "llvm.sqrt": _quiet(np.sqrt),
    "llvm.exp2": _rounded_once(np.exp2),
    "llvm.log": _rounded_once(np.log),
    "llvm.log2": _rounded_once(np.log2),
    "llvm.abs": lambda block, x, is_poison: np.abs(x),
    "llvm.fma": _quiet(lambda a, b, c: (a.astype(np.float64) * b + c).astype(a.dtype)),
    "llvm.ctpop": lambda block, x: np.bitwise_count(unsigned(x)).astype(x.dtype),
}
for _name, _function in _FUNCTIONS.items():
    array_intrinsic(_name)(_function)


@array_intrinsic("llvm.amdgcn.fmed3.f32")
def _median(block: Block, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Compute the median of three numbers; with a NaN, the minimum of the others."""
    operands = np.stack(np.broadcast_arrays(a, b, c))
    minimum = np.fmin(np.fmin(a, b), c)
    return np.where(np.isnan(operands).any(0), minimum, np.sort(operands, axis=0)[1])


@array_intrinsic("llvm.ctlz")
def _count_leading_zeros(block: Block, x: np.ndarray, is_poison: np.ndarray) -> np.ndarray:
    bits = _bits(x)
    return np.where(bits.any(1), bits[:, ::-1].argmax(1), bits.shape[1]).astype(x.dtype)


@array_intrinsic("llvm.cttz")
def _count_trailing_zeros(block: Block, x: np.ndarray, is_poison: np.ndarray) -> np.ndarray:
    bits = _bits(x)
    return np.where(bits.any(1), bits.argmax(1), bits.shape[1]).astype(x.dtype)


@array_intrinsic("llvm.bitreverse")
def _reverse_bits(block: Block, x: np.ndarray) -> np.ndarray:
    return np.packbits(_bits(x)[:, ::-1], axis=1, bitorder="little").view(x.dtype)[:, 0]


def _bits(x: np.ndarray) -> np.ndarray:
    """Unpack integers to [thread, bit], the lowest bit first."""
    rows = np.ascontiguousarray(x).view(np.uint8).reshape(x.shape[0], -1)
    return np.unpackbits(rows, axis=1, bitorder="little")
