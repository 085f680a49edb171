"""cvt between numbers of one register each; packed types are in `packed_conversions`.

cvt.rni.s32.f32    to an integer, rounded to nearest even and saturated
cvt.rz.f16.f32     to a narrower float, rounded toward zero
"""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.ptx.instructions.float_arithmetic import clamp, flush_subnormals
from weft.ptx.instructions.packed_conversions import packed_conversion
from weft.ptx.registry import InstructionName, Semantics, instruction
from weft.ptx.rounding import MODES, round_to
from weft.ptx.types import dtype_of, limits_of

_FLOATS = ("f16", "bf16", "f32", "f64", "tf32")
_TO_INTEGER = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
_TF32_DROPPED_BITS = 13  # of the fraction of f32
_TF32_MAX = np.float32((2 - 2.0**-10) * 2.0**127)


@instruction("cvt")
def _convert(name: InstructionName) -> Semantics:
    if len(name.types) != 2:
        raise name.unsupported()
    to, source = name.types
    if to.endswith("x2") or source.endswith("x2"):
        return packed_conversion(name, to, source)
    if to == "tf32":
        return _float_to_tf32(name)
    if source in _FLOATS and to in _FLOATS:
        return _float_to_float(name, to, source)
    if source in _FLOATS:
        return _float_to_integer(name, to, source)
    if to in _FLOATS:
        return _integer_to_float(name, to, source)
    return _integer_to_integer(name, to, source)


def _float_to_float(name: InstructionName, to: str, source: str) -> Semantics:
    integral, mode = name.modifier(*_TO_INTEGER), name.modifier(*MODES) or "rn"
    ftz, sat, relu = (name.has(modifier) for modifier in ("ftz", "sat", "relu"))

    def run(x: np.ndarray) -> np.ndarray:
        wide = flush_subnormals(x, ftz).astype(np.float64)
        wide = _TO_INTEGER[integral](wide) if integral else wide
        result = flush_subnormals(round_to(wide, dtype_of(to), mode), ftz)
        return clamp(result, sat=sat, relu=relu)

    return Semantics(to, (source,), run)


def _float_to_tf32(name: InstructionName) -> Semantics:
    mode = name.modifier("rna", "rn", "rz")
    saturates = name.has("satfinite")
    if name.types[1] != "f32" or not mode:
        raise name.unsupported()

    def run(x: np.ndarray) -> np.ndarray:
        bits = np.ascontiguousarray(x).view(np.uint32)
        half = np.uint32(1 << _TF32_DROPPED_BITS - 1)
        last_bit = bits >> np.uint32(_TF32_DROPPED_BITS) & np.uint32(1)
        # What to add before truncation: rn rounds ties to an even last bit.
        increment = {"rna": half, "rn": half - np.uint32(1) + last_bit, "rz": np.uint32(0)}[mode]
        increment = np.where(np.isfinite(x), increment, np.uint32(0))
        mask = np.uint32(0x100000000 - (1 << _TF32_DROPPED_BITS))
        result = (bits + increment & mask).view(np.float32)
        return np.where(np.isinf(result) & saturates, np.copysign(_TF32_MAX, result), result)

    return Semantics("tf32", ("f32",), run)


def _float_to_integer(name: InstructionName, to: str, source: str) -> Semantics:
    integral, ftz = name.modifier(*_TO_INTEGER), name.has("ftz")
    name.modifier("sat")  # the conversion saturates in any case
    smallest, largest = limits_of(to)
    if not integral:
        raise CodegenError(
            "cvt to an integer needs a rounding modifier", found=name.text, accepted=_TO_INTEGER
        )

    def saturate(x: float) -> int:
        if np.isnan(x):
            return smallest if to == "s64" else 1 << 63 if to == "u64" else 0
        if np.isinf(x):
            return largest if x > 0 else smallest
        return int(min(max(x, float(smallest)), float(largest)))

    def run(x: np.ndarray) -> np.ndarray:
        numbers = _TO_INTEGER[integral](flush_subnormals(x, ftz).astype(np.float64))
        integers = np.clip(np.frompyfunc(saturate, 1, 1)(numbers), smallest, largest)
        return np.asarray(integers).astype(dtype_of(to))

    return Semantics(to, (source,), run)


def _integer_to_float(name: InstructionName, to: str, source: str) -> Semantics:
    mode, sat = name.modifier(*MODES) or "rn", name.has("sat")
    dtype = dtype_of(to)

    def run(x: np.ndarray) -> np.ndarray:
        if x.dtype.itemsize < 8 or mode != "rn":
            return clamp(round_to(_to_f64(x), dtype, mode), sat=sat)
        nearest = x.astype(dtype if dtype.itemsize >= 4 else np.float32)
        return clamp(nearest.astype(dtype), sat=sat)

    return Semantics(to, (source,), run, allows_wider=True)


def _to_f64(x: np.ndarray) -> np.ndarray:
    """Convert integers to f64; inexact results move off ties, toward the exact integer."""
    wide = x.astype(np.float64)
    if x.dtype.itemsize < 8:
        return wide
    pairs = zip(x.ravel(), wide.ravel(), strict=True)
    errors = np.array([int(exact) - int(rounded) for exact, rounded in pairs], object)
    sign = np.sign(errors.reshape(x.shape)).astype(np.float64)
    return np.where(sign == 0, wide, np.nextafter(wide, sign * np.inf))


def _integer_to_integer(name: InstructionName, to: str, source: str) -> Semantics:
    saturates = name.has("sat")
    dtype = dtype_of(to)

    def run(x: np.ndarray) -> np.ndarray:
        if saturates:
            return np.clip(x.astype(object), *limits_of(to)).astype(dtype)
        return x.astype(dtype)

    return Semantics(to, (source,), run, allows_wider=True)
