"""Arithmetic of floats, one or two in a register: add, sub, mul, fma, div, rcp, sqrt, min, max ….

fma.rn.ftz.relu.f16x2    to nearest, subnormals are zeros, what is below zero is zero
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.ptx.families.integers import INTEGERS, integer_row
from weft.ptx.kinds import dtype_of
from weft.ptx.registry import Form, Meaning, instruction
from weft.ptx.rounding import MODES, fused, narrowed, quotient, root, summed

__all__ = ["FLOATS", "finished", "flushed"]

FLOATS = ("f16", "bf16", "f32", "f64", "f16x2", "bf16x2", "f32x2")
_WIDE = np.dtype(np.float64)


def flushed(values: np.ndarray, is_on: bool) -> np.ndarray:
    """Return numbers, zeros in place of subnormals where that is asked for."""
    if not is_on:
        return values
    least = np.finfo(np.float32).tiny if values.dtype != np.float16 else np.finfo(np.float16).tiny
    return np.where(np.abs(values) < values.dtype.type(least), values * 0, values)


def finished(values: np.ndarray, saturates: bool, stops_at_zero: bool) -> np.ndarray:
    """Return results between 0 and 1, or from 0 on, where that is asked for."""
    if saturates:
        return np.where(np.isnan(values), 0, np.clip(values, 0, 1)).astype(values.dtype)
    if stops_at_zero:
        return np.where(values < 0, values.dtype.type(0), values)
    return values


def _arithmetic(form: Form, count: int, exact: Callable[..., np.ndarray]) -> Meaning:
    """Return the meaning of what rounds once. exact: of arrays, a type and a side to round to."""
    kind = form.kind(*FLOATS)
    dtype = dtype_of(kind)
    mode = form.flag(*MODES) or "rn"
    ftz, sat, relu = (bool(form.flag(name)) for name in ("ftz", "sat", "relu"))

    def run(*given: np.ndarray) -> np.ndarray:
        found = exact(*(flushed(each, ftz) for each in given), dtype, mode)
        return finished(flushed(found, ftz), sat, relu)

    return Meaning(kind, (kind,) * count, run)


def _sum(a: np.ndarray, b: np.ndarray, dtype: np.dtype, mode: str) -> np.ndarray:
    if dtype == _WIDE:
        return a + b if mode == "rn" else fused(a, np.ones(1), b, dtype, mode)
    return narrowed(summed(a.astype(_WIDE), b.astype(_WIDE)), dtype, mode)


def _product(a: np.ndarray, b: np.ndarray, dtype: np.dtype, mode: str) -> np.ndarray:
    if dtype == _WIDE:
        return a * b if mode == "rn" else fused(a, b, np.zeros(1), dtype, mode)
    return narrowed(a.astype(_WIDE) * b.astype(_WIDE), dtype, mode)


@instruction("add", "sub", "mul")
def _plain(form: Form) -> Meaning:
    if form.types and form.types[-1] in INTEGERS:
        return integer_row(form)
    if form.head == "mul":
        return _arithmetic(form, 2, _product)
    sign = -1 if form.head == "sub" else 1
    return _arithmetic(form, 2, lambda a, b, *rest: _sum(a, b if sign > 0 else -b, *rest))


@instruction("fma", "mad")
def _fused(form: Form) -> Meaning:
    if form.types and form.types[-1] in INTEGERS:
        return integer_row(form)
    return _arithmetic(form, 3, fused)


@instruction("div")
def _quotient(form: Form) -> Meaning:
    if form.types and form.types[-1] in INTEGERS:
        return integer_row(form)
    form.flag("approx", "full")
    return _arithmetic(form, 2, quotient)


@instruction("rcp")
def _reciprocal(form: Form) -> Meaning:
    form.flag("approx")
    return _arithmetic(form, 1, lambda a, *rest: quotient(np.ones(1, a.dtype), a, *rest))


@instruction("sqrt")
def _root(form: Form) -> Meaning:
    form.flag("approx")
    return _arithmetic(form, 1, root)


@instruction("abs", "neg")
def _sign(form: Form) -> Meaning:
    if form.types and form.types[-1] in INTEGERS:
        return integer_row(form)
    kind, ftz = form.kind(*FLOATS), bool(form.flag("ftz"))
    run = np.abs if form.head == "abs" else np.negative
    return Meaning(kind, (kind,), lambda a: run(flushed(a, ftz)))


@instruction("min", "max")
def _extreme(form: Form) -> Meaning:
    if form.types and form.types[-1] in INTEGERS:
        return integer_row(form)
    kind = form.kind(*FLOATS)
    ftz, nan, by_sign = (bool(form.flag(name)) for name in ("ftz", "NaN", "xorsign"))
    by_size, relu = bool(form.flag("abs")), bool(form.flag("relu"))

    def run(*given: np.ndarray) -> np.ndarray:
        a, b = np.broadcast_arrays(*(flushed(each, ftz) for each in given))
        first, second = (np.abs(each) if by_size else each for each in (a, b))
        same = (first == second) & np.signbit(first)
        takes_first = (first < second) | same
        if form.head == "max":
            takes_first = (first > second) | ((first == second) & ~np.signbit(first))
        found = np.where(takes_first | np.isnan(second), first, second)
        if nan:
            found = np.where(np.isnan(first) | np.isnan(second), a.dtype.type(np.nan), found)
        if by_sign:
            found = np.copysign(
                found, np.where(np.signbit(a) ^ np.signbit(b), -1, 1).astype(a.dtype)
            )
        return finished(found.astype(a.dtype, copy=False), False, relu)

    return Meaning(kind, (kind, kind), run)
