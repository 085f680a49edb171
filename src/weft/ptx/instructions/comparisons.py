"""Comparisons and selection: setp, selp, slct, testp.

setp.ltu.f32 p, a, b    less, or unordered
selp.b32 d, a, b, p     a where p holds, else b
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.ptx.instructions.float_arithmetic import flush_subnormals
from weft.ptx.registry import InstructionName, Semantics, instruction

_TYPES = (
    "b16",
    "b32",
    "b64",
    "u16",
    "s16",
    "u32",
    "s32",
    "u64",
    "s64",
    "f16",
    "bf16",
    "f32",
    "f64",
)
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
_UNSIGNED = ("lo", "ls", "hi", "hs")
_UNORDERED = ("equ", "neu", "ltu", "leu", "gtu", "geu")
_COMBINE: dict[str, Callable[..., np.ndarray]] = {
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
def _set_predicate(name: InstructionName) -> Semantics:
    comparison = name.modifier(*_ORDERED, *_UNORDERED, "num", "nan")
    combine, ftz = name.modifier(*_COMBINE), name.has("ftz")
    type_ = name.only_type(*_TYPES)
    if not comparison:
        raise name.unsupported()

    def run(a: np.ndarray, b: np.ndarray, *predicate: np.ndarray) -> np.ndarray:
        holds = _compare(comparison, flush_subnormals(a, ftz), flush_subnormals(b, ftz))
        return _COMBINE[combine](holds, predicate[0]) if combine else holds

    return Semantics("pred", (type_, type_, *(("pred",) if combine else ())), run)


def _compare(comparison: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if comparison in _UNSIGNED:
        a, b = (each.view(f"u{each.dtype.itemsize}") for each in (a, b))
    if a.dtype.kind in "iu":
        return _ORDERED[comparison](a, b)
    is_unordered = np.isnan(a) | np.isnan(b)
    if comparison in ("num", "nan"):
        return is_unordered if comparison == "nan" else ~is_unordered
    if comparison in _UNORDERED:
        return _ORDERED[comparison[:2]](a, b) | is_unordered
    return _ORDERED[comparison](a, b) & ~is_unordered


@instruction("selp")
def _select(name: InstructionName) -> Semantics:
    type_ = name.only_type(*_TYPES)
    return Semantics(type_, (type_, type_, "pred"), lambda a, b, p: np.where(p, a, b))


@instruction("slct")
def _select_by_sign(name: InstructionName) -> Semantics:
    ftz = name.has("ftz")
    if len(name.types) != 2 or name.types[0] not in _TYPES or name.types[1] not in ("s32", "f32"):
        raise name.unsupported()
    type_, sign_type = name.types

    def run(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        return np.where(flush_subnormals(c, ftz) >= 0, a, b)

    return Semantics(type_, (type_, type_, sign_type), run)


@instruction("testp")
def _test(name: InstructionName) -> Semantics:
    test = name.modifier(*_TESTS)
    type_ = name.only_type("f32", "f64")
    if not test:
        raise name.unsupported()
    return Semantics("pred", (type_,), _TESTS[test])
