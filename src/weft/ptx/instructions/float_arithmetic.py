"""Arithmetic of floats, scalar and packed: add, sub, mul, fma, div, rcp, sqrt, min, max, abs, neg.

fma.rn.ftz.relu.f16x2    rounded to nearest; subnormals are zero, negative results are zero
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.ptx.instructions.integer_arithmetic import INTEGERS, integer_semantics
from weft.ptx.registry import InstructionName, Semantics, instruction
from weft.ptx.rounding import MODES, add_to_odd, divide, multiply_add, round_to, square_root
from weft.ptx.types import dtype_of

__all__ = ["FLOATS", "clamp", "flush_subnormals"]

FLOATS = ("f16", "bf16", "f32", "f64", "f16x2", "bf16x2", "f32x2")
_F64 = np.dtype(np.float64)


def flush_subnormals(values: np.ndarray, ftz: bool) -> np.ndarray:
    """Replace subnormal numbers by zeros of their sign, if `ftz`."""
    if not ftz:
        return values
    smallest = np.finfo(np.float16 if values.dtype == np.float16 else np.float32).tiny
    return np.where(np.abs(values) < values.dtype.type(smallest), values * 0, values)


def clamp(values: np.ndarray, *, sat: bool = False, relu: bool = False) -> np.ndarray:
    """Clamp results to the range 0 to 1 (`sat`), or to numbers from 0 (`relu`)."""
    if sat:
        return np.where(np.isnan(values), 0, np.clip(values, 0, 1)).astype(values.dtype)
    if relu:
        return np.where(values < 0, values.dtype.type(0), values)
    return values


def _is_of_integers(name: InstructionName) -> bool:
    return bool(name.types) and name.types[-1] in INTEGERS


def _rounded(name: InstructionName, operands: int, compute: Callable[..., np.ndarray]) -> Semantics:
    """Build the semantics of an instruction that rounds once.

    Args:
        name: The instruction's name.
        operands: Number of source operands.
        compute: From the operands, a numpy type and a rounding mode to the result.
    """
    type_ = name.only_type(*FLOATS)
    dtype = dtype_of(type_)
    mode = name.modifier(*MODES) or "rn"
    ftz, sat, relu = (name.has(modifier) for modifier in ("ftz", "sat", "relu"))

    def run(*values: np.ndarray) -> np.ndarray:
        result = compute(*(flush_subnormals(each, ftz) for each in values), dtype, mode)
        return clamp(flush_subnormals(result, ftz), sat=sat, relu=relu)

    return Semantics(type_, (type_,) * operands, run)


def _add(a: np.ndarray, b: np.ndarray, dtype: np.dtype, mode: str) -> np.ndarray:
    if dtype == _F64:
        return a + b if mode == "rn" else multiply_add(a, np.ones(1), b, dtype, mode)
    return round_to(add_to_odd(a.astype(_F64), b.astype(_F64)), dtype, mode)


def _multiply(a: np.ndarray, b: np.ndarray, dtype: np.dtype, mode: str) -> np.ndarray:
    if dtype == _F64:
        return a * b if mode == "rn" else multiply_add(a, b, np.zeros(1), dtype, mode)
    return round_to(a.astype(_F64) * b.astype(_F64), dtype, mode)


@instruction("add", "sub", "mul")
def _add_or_multiply(name: InstructionName) -> Semantics:
    if _is_of_integers(name):
        return integer_semantics(name)
    if name.opcode == "mul":
        return _rounded(name, 2, _multiply)
    if name.opcode == "sub":
        return _rounded(name, 2, lambda a, b, *rest: _add(a, -b, *rest))
    return _rounded(name, 2, _add)


@instruction("fma", "mad")
def _multiply_add(name: InstructionName) -> Semantics:
    if _is_of_integers(name):
        return integer_semantics(name)
    return _rounded(name, 3, multiply_add)


@instruction("div")
def _divide(name: InstructionName) -> Semantics:
    if _is_of_integers(name):
        return integer_semantics(name)
    name.modifier("approx", "full")
    return _rounded(name, 2, divide)


@instruction("rcp")
def _reciprocal(name: InstructionName) -> Semantics:
    name.modifier("approx")
    return _rounded(name, 1, lambda a, *rest: divide(np.ones(1, a.dtype), a, *rest))


@instruction("sqrt")
def _square_root(name: InstructionName) -> Semantics:
    name.modifier("approx")
    return _rounded(name, 1, square_root)


@instruction("abs", "neg")
def _sign(name: InstructionName) -> Semantics:
    if _is_of_integers(name):
        return integer_semantics(name)
    type_, ftz = name.only_type(*FLOATS), name.has("ftz")
    function = np.abs if name.opcode == "abs" else np.negative
    return Semantics(type_, (type_,), lambda a: function(flush_subnormals(a, ftz)))


@instruction("min", "max")
def _extreme(name: InstructionName) -> Semantics:
    if _is_of_integers(name):
        return integer_semantics(name)
    type_ = name.only_type(*FLOATS)
    ftz, propagates_nan, xors_sign, by_magnitude, relu = (
        name.has(modifier) for modifier in ("ftz", "NaN", "xorsign", "abs", "relu")
    )

    def run(*values: np.ndarray) -> np.ndarray:
        a, b = np.broadcast_arrays(*(flush_subnormals(each, ftz) for each in values))
        first, second = (np.abs(each) if by_magnitude else each for each in (a, b))
        # -0 is less than +0.
        is_equal = first == second
        if name.opcode == "max":
            is_first = (first > second) | (is_equal & ~np.signbit(first))
        else:
            is_first = (first < second) | (is_equal & np.signbit(first))
        result = np.where(is_first | np.isnan(second), first, second)
        if propagates_nan:
            result = np.where(np.isnan(first) | np.isnan(second), a.dtype.type(np.nan), result)
        if xors_sign:
            sign = np.where(np.signbit(a) ^ np.signbit(b), -1, 1).astype(a.dtype)
            result = np.copysign(result, sign)
        return clamp(result.astype(a.dtype, copy=False), relu=relu)

    return Semantics(type_, (type_, type_), run)
