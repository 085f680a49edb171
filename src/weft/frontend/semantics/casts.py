"""Conversions between element types.

What is emitted, by the two types:

    narrow float → wide float      arith.extf           wide → narrow    arith.truncf
    8-bit float ↔ any float        tt.fp_to_fp          (rounding named where it narrows)
    fp8e4b15 ↔ any float           by way of fp16, as integers
    fp16 or bf16 → not fp32        by way of fp32
    integer → integer              arith.extsi/extui by the source's sign, arith.trunci,
                                   arith.bitcast where only the sign changes
    integer ↔ float                arith.sitofp/uitofp, arith.fptosi/fptoui
    anything → int1                compared with zero
    pointer ↔ int64                tt.ptr_to_int, tt.int_to_ptr; pointer → pointer tt.bitcast
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics import comparison, fp8e4b15
from weft.frontend.semantics.constants import constant
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue
from weft.ir import arith, tt
from weft.ir.enums import RoundingMode
from weft.ir.operation import Op
from weft.language import dtypes
from weft.language.dtypes import dtype

if TYPE_CHECKING:
    from weft.frontend.semantics.emitter import Emitter

_ROUNDINGS = {"rtne": RoundingMode.RTNE, "rtz": RoundingMode.RTZ}


def cast(
    e: Emitter, value: TensorValue, to: dtype, fp_downcast_rounding: str | None = None
) -> TensorValue:
    """Convert the elements of `value` to the element type `to`.

    Args: fp_downcast_rounding: "rtne" or "rtz", only where a float becomes a narrower one
          or stays what it is.
    Raises: TypeMismatchError where there is no such conversion.
    """
    source, target = value.dtype, to.scalar
    if source == target:
        return value
    rounding = _rounding(source, target, fp_downcast_rounding)
    check_dtype(e, source)
    check_dtype(e, target)
    if (source.is_fp8() and target.is_floating()) or (source.is_floating() and target.is_fp8()):
        return _fp8(e, value, target, rounding)
    if rounding is RoundingMode.RTZ:
        return _rounded(e, value, target, rounding)
    if source in (dtypes.float16, dtypes.bfloat16) and target != dtypes.float32:
        return cast(e, cast(e, value, dtypes.float32), target)
    if source.is_standard_floating() and target.is_standard_floating():
        narrows = source.primitive_bitwidth > target.primitive_bitwidth
        return convert(e, arith.TruncFOp if narrows else arith.ExtFOp, value, target)
    converted = _across_kinds(e, value, target)
    if converted is None:
        raise TypeMismatchError(
            f"{source} cannot be converted to {target}",
            found=value,
            hint=_way_round(source, target),
        )
    return converted


def _way_round(source: dtype, target: dtype) -> str | None:
    if source.is_fp8() or target.is_fp8():
        return "convert to tl.float32 in between"
    return "a pointer converts to tl.int64 and back" if source.is_ptr() or target.is_ptr() else None


def _rounding(source: dtype, target: dtype, name: str | None) -> RoundingMode | None:
    narrows = (
        source.is_floating()
        and target.is_floating()
        and source.primitive_bitwidth > target.primitive_bitwidth
    )
    if name is None:
        return RoundingMode.RTNE if narrows else None
    if name not in _ROUNDINGS:
        raise CompilationError("unknown rounding", found=name, accepted=sorted(_ROUNDINGS))
    if not narrows:
        raise TypeMismatchError(
            "fp_downcast_rounding is only for a float that becomes a narrower one",
            found=f"{source} to {target}",
        )
    return _ROUNDINGS[name]


def check_dtype(e: Emitter, type_: dtype) -> None:
    """Raise TypeMismatchError for an 8-bit float that the target does not have."""
    accepted = e.options.supported_fp8_dtypes
    if type_.is_fp8() and type_.name not in accepted:
        raise TypeMismatchError(
            f"{type_} is not supported on {e.options.backend}:{e.options.arch}",
            found=type_,
            accepted=accepted,
        )


def convert(e: Emitter, op: type[Op], value: TensorValue, target: dtype) -> TensorValue:
    """Emit a conversion of one operand and no properties."""
    type_ = value.type.with_element_ty(target)
    return TensorValue(e.builder.value(op, [value.handle], ir_type(type_)), type_)


def _fp8(
    e: Emitter, value: TensorValue, target: dtype, rounding: RoundingMode | None
) -> TensorValue:
    if value.dtype == dtypes.float8e4b15:
        return cast(e, fp8e4b15.widen(e, value), target)
    if target == dtypes.float8e4b15:
        return _to_fp8e4b15(e, value)
    return _rounded(e, value, target, rounding)


def _to_fp8e4b15(e: Emitter, value: TensorValue) -> TensorValue:
    """Narrow by way of fp16; what is wider is cut off to that, so that it is rounded once."""
    if value.dtype != dtypes.float16:
        single = cast(e, value, dtypes.float32)
        value = _rounded(e, single, dtypes.float16, RoundingMode.RTZ)
    return fp8e4b15.narrow(e, value)


def _rounded(
    e: Emitter, value: TensorValue, target: dtype, rounding: RoundingMode | None
) -> TensorValue:
    type_ = value.type.with_element_ty(target)
    properties = {} if rounding is None else {"rounding": rounding.attr()}
    handle = e.builder.value(tt.FpToFpOp, [value.handle], ir_type(type_), properties)
    return TensorValue(handle, type_)


def _across_kinds(e: Emitter, value: TensorValue, target: dtype) -> TensorValue | None:
    source = value.dtype
    if source.is_int() and target.is_int():
        return _integer(e, value, target)
    if source.is_standard_floating() and target.is_int():
        if target.is_bool():
            return _differs_from_zero(e, value)
        signed = target.is_int_signed()
        return convert(e, arith.FPToSIOp if signed else arith.FPToUIOp, value, target)
    if source.is_int() and target.is_standard_floating():
        signed = source.is_int_signed()
        return convert(e, arith.SIToFPOp if signed else arith.UIToFPOp, value, target)
    if source.is_ptr():
        return _from_pointer(e, value, target)
    if target.is_ptr() and source.is_int():
        return convert(e, tt.IntToPtrOp, value, target)
    return None


def _integer(e: Emitter, value: TensorValue, target: dtype) -> TensorValue:
    source = value.dtype
    if target.is_bool():
        return _differs_from_zero(e, value)
    if source.primitive_bitwidth == target.primitive_bitwidth:
        return convert(e, arith.BitcastOp, value, target)
    if source.primitive_bitwidth > target.primitive_bitwidth:
        return convert(e, arith.TruncIOp, value, target)
    return convert(e, arith.ExtSIOp if source.is_int_signed() else arith.ExtUIOp, value, target)


def _from_pointer(e: Emitter, value: TensorValue, target: dtype) -> TensorValue | None:
    if target.is_ptr():
        return convert(e, tt.BitcastOp, value, target)
    if target.is_bool():
        return _differs_from_zero(e, convert(e, tt.PtrToIntOp, value, dtypes.int64))
    if target.is_int() and target.primitive_bitwidth == 64:
        return convert(e, tt.PtrToIntOp, value, target)
    return None


def _differs_from_zero(e: Emitter, value: TensorValue) -> TensorValue:
    zero = constant(e, 0, value.dtype)
    return comparison.compare(e, "!=", value, zero)


def bitcast(e: Emitter, value: TensorValue, to: dtype) -> TensorValue:
    """Take the bits of each element as the type `to`, of the same width.

    Raises: TypeMismatchError where the widths differ.
    """
    source, target = value.dtype, to.scalar
    if source == target:
        return value
    if source.is_ptr() or target.is_ptr():
        return cast(e, value, to)
    check_dtype(e, target)
    if source.primitive_bitwidth != target.primitive_bitwidth:
        raise TypeMismatchError(
            "a bitcast needs two types of the same width",
            found=f"{source} ({source.primitive_bitwidth} bits) to "
            f"{target} ({target.primitive_bitwidth} bits)",
        )
    return convert(e, tt.BitcastOp, value, target)
