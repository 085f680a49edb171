"""Comparisons and choices: setp, set to a predicate's truth; selp, slct; testp.

setp.ltu.f32 p, a, b    less, or one of them is no number
selp.b32 d, a, b, p     a where p holds, else b
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.errors import CodegenError
from weft.ptx.families.floats import flushed
from weft.ptx.registry import Form, Meaning, instruction

_ANY = ("b16", "b32", "b64", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64")
_HALVES = ("f16x2", "bf16x2")
_ORDERED: dict[str, Callable[..., np.ndarray]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
}
_UNORDERED = ("equ", "neu", "ltu", "leu", "gtu", "geu")
_JOINED: dict[str, Callable[..., np.ndarray]] = {
    "and": np.logical_and,
    "or": np.logical_or,
    "xor": np.logical_xor,
}
_TESTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "finite": np.isfinite,
    "infinite": np.isinf,
    "number": lambda x: ~np.isnan(x),
    "notanumber": np.isnan,
}


@instruction("setp")
def _compare(form: Form) -> Meaning:
    how = form.flag(*_ORDERED, *_UNORDERED, "num", "nan")
    joins, ftz = form.flag(*_JOINED), bool(form.flag("ftz"))
    kind = form.kind(*_ANY)
    if not how:
        raise CodegenError("a comparison that is not known here", found=form.name)

    def run(a: np.ndarray, b: np.ndarray, *more: np.ndarray) -> np.ndarray:
        found = _holds(how, flushed(a, ftz), flushed(b, ftz))
        return _JOINED[joins](found, more[0]) if joins else found

    return Meaning("pred", (kind, kind, *(("pred",) if joins else ())), run)


def _holds(how: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if how in ("lo", "ls", "hi", "hs"):
        a, b = (each.view(f"u{each.dtype.itemsize}") for each in (a, b))
    if a.dtype.kind in "iu":
        return _ORDERED[how](a, b)
    unordered = np.isnan(a) | np.isnan(b)
    if how in ("num", "nan"):
        return unordered if how == "nan" else ~unordered
    if how in _UNORDERED:
        return _ORDERED[how[:2]](a, b) | unordered
    return _ORDERED[how](a, b) & ~unordered


@instruction("selp")
def _select(form: Form) -> Meaning:
    kind = form.kind(*_ANY)
    return Meaning(kind, (kind, kind, "pred"), lambda a, b, p: np.where(p, a, b))


@instruction("slct")
def _select_by_sign(form: Form) -> Meaning:
    ftz = bool(form.flag("ftz"))
    if len(form.types) != 2 or form.types[0] not in _ANY or form.types[1] not in ("s32", "f32"):
        raise CodegenError("no slct of PTX that is known here", found=form.name)
    kind, by = form.types
    return Meaning(kind, (kind, kind, by), lambda a, b, c: np.where(flushed(c, ftz) >= 0, a, b))


@instruction("testp")
def _test(form: Form) -> Meaning:
    test = form.flag(*_TESTS)
    kind = form.kind("f32", "f64")
    if not test:
        raise CodegenError("a test that is not known here", found=form.name)
    return Meaning("pred", (kind,), _TESTS[test])
