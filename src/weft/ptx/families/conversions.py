"""cvt: between numbers of one register, and to and from pairs of small floats.

cvt.rni.s32.f32          to an integer; what it cannot hold becomes the nearest that it can
cvt.rn.bf16x2.f32 d,a,b  two in one, a in the upper half
cvt.rn.f16x2.e4m3x2      two at once
"""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.ptx.families.floats import finished, flushed
from weft.ptx.families.small_floats import pair_row
from weft.ptx.kinds import dtype_of, limits_of
from weft.ptx.registry import Form, Meaning, instruction
from weft.ptx.rounding import MODES, narrowed

_FLOATS = ("f16", "bf16", "f32", "f64", "tf32")
_WHOLE = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
_TF32_LOST = 13  # bits of f32's fraction
_TF32_MOST = np.float32((2 - 2.0**-10) * 2.0**127)


@instruction("cvt")
def _convert(form: Form) -> Meaning:
    if len(form.types) != 2:
        raise CodegenError("no cvt of PTX that is known here", found=form.name)
    to, source = form.types
    if to.endswith("x2") or source.endswith("x2"):
        return pair_row(form, to, source)
    if to == "tf32":
        return _to_tf32(form)
    if source in _FLOATS and to in _FLOATS:
        return _floats(form, to, source)
    if source in _FLOATS:
        return _to_integer(form, to, source)
    return _to_float(form, to, source) if to in _FLOATS else _integers(form, to, source)


def _floats(form: Form, to: str, source: str) -> Meaning:
    whole, mode = form.flag(*_WHOLE), form.flag(*MODES) or "rn"
    ftz, sat, relu = (bool(form.flag(name)) for name in ("ftz", "sat", "relu"))

    def run(x: np.ndarray) -> np.ndarray:
        wide = flushed(x, ftz).astype(np.float64)
        wide = _WHOLE[whole](wide) if whole else wide
        return finished(flushed(narrowed(wide, dtype_of(to), mode), ftz), sat, relu)

    return Meaning(to, (source,), run)


def _to_tf32(form: Form) -> Meaning:
    mode = form.flag("rna", "rn", "rz")
    finite = bool(form.flag("satfinite"))
    if form.types[1] != "f32" or not mode:
        raise CodegenError("no cvt of PTX that is known here", found=form.name)

    def run(x: np.ndarray) -> np.ndarray:
        bits = np.ascontiguousarray(x).view(np.uint32)
        half = np.uint32(1 << _TF32_LOST - 1)
        last = bits >> np.uint32(_TF32_LOST) & np.uint32(1)
        more = {"rna": half, "rn": half - np.uint32(1) + last, "rz": np.uint32(0)}[mode]
        more = np.where(np.isfinite(x), more, np.uint32(0))  # what NaN says is cut off
        found = (bits + more & np.uint32(0x100000000 - (1 << _TF32_LOST))).view(np.float32)
        return np.where(np.isinf(found) & finite, np.copysign(_TF32_MOST, found), found)

    return Meaning("tf32", ("f32",), run)


def _to_integer(form: Form, to: str, source: str) -> Meaning:
    whole, ftz = form.flag(*_WHOLE), bool(form.flag("ftz"))
    form.flag("sat")  # it always stays within the type
    least, greatest = limits_of(to)
    if not whole:
        raise CodegenError("a cvt to integers says how it rounds", found=form.name, accepted=_WHOLE)

    def one(x: float) -> int:
        if np.isnan(x):
            return least if to == "s64" else 1 << 63 if to == "u64" else 0
        return (
            int(min(max(x, float(least)), float(greatest)))
            if np.isfinite(x)
            else (greatest if x > 0 else least)
        )

    def run(x: np.ndarray) -> np.ndarray:
        numbers = _WHOLE[whole](flushed(x, ftz).astype(np.float64))
        held = np.clip(np.frompyfunc(one, 1, 1)(numbers), least, greatest)
        return np.asarray(held).astype(dtype_of(to))

    return Meaning(to, (source,), run)


def _to_float(form: Form, to: str, source: str) -> Meaning:
    mode, sat = form.flag(*MODES) or "rn", bool(form.flag("sat"))
    dtype = dtype_of(to)

    def run(x: np.ndarray) -> np.ndarray:
        if x.dtype.itemsize < 8 or mode != "rn":
            return finished(narrowed(_odd(x), dtype, mode), sat, False)
        near = x.astype(dtype if dtype.itemsize >= 4 else np.float32)
        return finished(near.astype(dtype), sat, False)

    return Meaning(to, (source,), run, is_loose=True)


def _odd(x: np.ndarray) -> np.ndarray:
    """Return integers as f64; one of more than 53 bits stays on its side of a border."""
    wide = x.astype(np.float64)
    if x.dtype.itemsize < 8:
        return wide
    lost = np.array([int(v) - int(w) for v, w in zip(x.ravel(), wide.ravel(), strict=True)], object)
    sign = np.sign(lost.reshape(x.shape)).astype(np.float64)
    return np.where(sign == 0, wide, np.nextafter(wide, sign * np.inf))


def _integers(form: Form, to: str, source: str) -> Meaning:
    saturates = bool(form.flag("sat"))
    dtype = dtype_of(to)

    def run(x: np.ndarray) -> np.ndarray:
        if saturates:
            return np.clip(x.astype(object), *limits_of(to)).astype(dtype)
        return x.astype(dtype)

    return Meaning(to, (source,), run, is_loose=True)
