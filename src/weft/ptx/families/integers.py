"""Arithmetic of integers; `integer_row` is what the heads that floats have too mean for integers.

mul.lo.s32   mul.hi.u32   mul.wide.s16   mad.lo.s32   add.sat.s32   div.u32   min.s32   abs.s32
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.ptx.kinds import limits_of
from weft.ptx.registry import Form, Meaning, instruction

__all__ = ["INTEGERS", "integer_row"]

INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")
_OTHERS = {"min": np.minimum, "max": np.maximum, "abs": np.abs, "neg": np.negative}


def _whole(values: np.ndarray) -> np.ndarray:
    return values.astype(object)


def _wrapped(values: np.ndarray, kind: str) -> np.ndarray:
    """Return Python's integers modulo 2 to the bits of a type."""
    least, greatest = limits_of(kind)
    span = greatest - least + 1
    return ((values - least) % span + least).astype(np.dtype("i8" if least < 0 else "u8"))


def integer_row(form: Form) -> Meaning:
    """Return the meaning of an instruction for integers."""
    kind = form.kind(*INTEGERS)
    head = form.head
    if head in ("add", "sub"):
        return _sum(form, kind)
    if head in ("mul", "mad"):
        return _product(form, kind)
    if head == "div":
        return Meaning(kind, (kind, kind), _divided(0))
    return Meaning(kind, (kind,) * (1 if head in ("abs", "neg") else 2), _OTHERS[head])


def _sum(form: Form, kind: str) -> Meaning:
    saturates, sign = bool(form.flag("sat")), -1 if form.head == "sub" else 1

    def run(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        total = _whole(a) + sign * _whole(b)
        return np.clip(total, *limits_of(kind)) if saturates else _wrapped(total, kind)

    return Meaning(kind, (kind, kind), run)


def _product(form: Form, kind: str) -> Meaning:
    part = form.flag("lo", "hi", "wide")
    bits = int(kind[1:])
    result = f"{kind[0]}{2 * bits}" if part == "wide" else kind
    shift = bits if part == "hi" else 0

    def run(a: np.ndarray, b: np.ndarray, *more: np.ndarray) -> np.ndarray:
        product = (_whole(a) * _whole(b)) >> shift
        return _wrapped(product + (_whole(more[0]) if more else 0), result)

    sources = (kind, kind, result) if form.head == "mad" else (kind, kind)
    return Meaning(result, sources, run)


def _divided(which: int) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Return quotients (0) or remainders (1) towards zero; what zero divides is all ones."""

    def run(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        x, y = np.broadcast_arrays(_whole(a), _whole(b))
        nonzero = np.where(y == 0, 1, y)
        size = np.abs(x) // np.abs(nonzero)
        found = np.where((x < 0) != (nonzero < 0), -size, size)
        if which:
            found = x - found * nonzero
        return np.where(y == 0, -1, found).astype(np.int64 if (a.dtype.kind == "i") else object)

    return run


@instruction("rem")
def _remainder(form: Form) -> Meaning:
    kind = form.kind(*INTEGERS)
    return Meaning(kind, (kind, kind), _divided(1))
