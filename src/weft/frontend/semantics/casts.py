"""Conversions between element types.

The operations that are emitted, by source and target type:

    float → wider float            arith.extf; → narrower float arith.truncf
    8-bit float ↔ float            tt.fp_to_fp, with a rounding mode if the target is narrower
    fp8e4b15 ↔ float               through fp16, with integer operations
    fp16, bf16 → not fp32          through fp32
    integer → integer              arith.extsi or extui by the source's signedness, arith.trunci,
                                   arith.bitcast if only the signedness changes
    integer ↔ float                arith.sitofp or uitofp, arith.fptosi or fptoui
    anything → int1                a comparison with zero
    pointer ↔ int64                tt.ptr_to_int, tt.int_to_ptr; pointer → pointer tt.bitcast
"""

from __future__ import annotations

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics import comparison, fp8e4b15
from weft.frontend.semantics.broadcasting import splat_like
from weft.frontend.semantics.constants import constant
from weft.frontend.semantics.emission_context import EmissionContext
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue
from weft.ir import arith, tt
from weft.ir.enums import RoundingMode
from weft.ir.operation import Op
from weft.language import dtypes
from weft.language.dtypes import dtype

_ROUNDING_MODES = {"rtne": RoundingMode.RTNE, "rtz": RoundingMode.RTZ}


def cast(
    e: EmissionContext, value: TensorValue, to: dtype, fp_downcast_rounding: str | None = None
) -> TensorValue:
    """Convert the elements of a value to another type.

    Args:
        e: The emission context.
        value: A scalar or a block.
        to: The target type; of a block type, its element type.
        fp_downcast_rounding: "rtne" or "rtz", only for a conversion to a narrower float.

    Raises:
        TypeMismatchError: There is no conversion between the types.
    """
    source, target = value.dtype, to.scalar
    if source == target:
        return value
    rounding = _rounding_mode(source, target, fp_downcast_rounding)
    check_dtype(e, source)
    check_dtype(e, target)
    if (source.is_fp8() and target.is_floating()) or (source.is_floating() and target.is_fp8()):
        return _cast_fp8(e, value, target, rounding)
    if rounding is RoundingMode.RTZ:
        return _fp_to_fp(e, value, target, rounding)
    if source in (dtypes.float16, dtypes.bfloat16) and target != dtypes.float32:
        return cast(e, cast(e, value, dtypes.float32), target)
    if source.is_standard_floating() and target.is_standard_floating():
        narrows = source.primitive_bitwidth > target.primitive_bitwidth
        return convert(e, arith.TruncFOp if narrows else arith.ExtFOp, value, target)
    result = _cast_across_kinds(e, value, target)
    if result is None:
        raise TypeMismatchError(
            f"cannot cast {value} to {target}", found=value, hint=_hint(source, target)
        )
    return result


def _hint(source: dtype, target: dtype) -> str | None:
    if source.is_fp8() or target.is_fp8():
        return "convert to tl.float32 in between"
    return "a pointer converts to tl.int64 and back" if source.is_ptr() or target.is_ptr() else None


def _rounding_mode(source: dtype, target: dtype, name: str | None) -> RoundingMode | None:
    narrows = (
        source.is_floating()
        and target.is_floating()
        and source.primitive_bitwidth > target.primitive_bitwidth
    )
    if name is None:
        return RoundingMode.RTNE if narrows else None
    if name not in _ROUNDING_MODES:
        raise CompilationError(
            f"Invalid rounding mode: {name}", found=name, accepted=sorted(_ROUNDING_MODES)
        )
    if not narrows:
        raise TypeMismatchError(
            "fp_downcast_rounding should be set only for truncating fp conversions",
            found=f"{source} to {target}",
        )
    return _ROUNDING_MODES[name]


def check_dtype(e: EmissionContext, type_: dtype) -> None:
    """Check that the target supports a type.

    Raises:
        TypeMismatchError: It is an 8-bit float that the target does not support.
    """
    accepted = e.options.supported_fp8_dtypes
    if type_.is_fp8() and type_.name not in accepted:
        raise TypeMismatchError(
            f"type {type_} not supported in this architecture",
            found=f"{type_} on {e.options.backend}:{e.options.arch}",
            accepted=accepted,
        )


def convert(e: EmissionContext, op: type[Op], value: TensorValue, target: dtype) -> TensorValue:
    """Emit a conversion operation without properties."""
    type_ = value.type.with_element_ty(target)
    return TensorValue(e.builder.value(op, [value.handle], ir_type(type_)), type_)


def _cast_fp8(
    e: EmissionContext, value: TensorValue, target: dtype, rounding: RoundingMode | None
) -> TensorValue:
    if value.dtype == dtypes.float8e4b15:
        return cast(e, fp8e4b15.to_fp16(e, value), target)
    if target == dtypes.float8e4b15:
        return _to_fp8e4b15(e, value)
    return _fp_to_fp(e, value, target, rounding)


def _to_fp8e4b15(e: EmissionContext, value: TensorValue) -> TensorValue:
    """Convert through fp16. Wider floats are truncated to it, so that only one step rounds."""
    if value.dtype != dtypes.float16:
        single = cast(e, value, dtypes.float32)
        value = _fp_to_fp(e, single, dtypes.float16, RoundingMode.RTZ)
    return fp8e4b15.from_fp16(e, value)


def _fp_to_fp(
    e: EmissionContext, value: TensorValue, target: dtype, rounding: RoundingMode | None
) -> TensorValue:
    type_ = value.type.with_element_ty(target)
    properties = {} if rounding is None else {"rounding": rounding.attr()}
    handle = e.builder.value(tt.FpToFpOp, [value.handle], ir_type(type_), properties)
    return TensorValue(handle, type_)


def _cast_across_kinds(e: EmissionContext, value: TensorValue, target: dtype) -> TensorValue | None:
    """Convert between integers, floats and pointers; None if there is no conversion."""
    source = value.dtype
    if source.is_int() and target.is_int():
        return _cast_integer(e, value, target)
    if source.is_standard_floating() and target.is_int():
        if target.is_bool():
            return _is_nonzero(e, value)
        is_signed = target.is_int_signed()
        return convert(e, arith.FPToSIOp if is_signed else arith.FPToUIOp, value, target)
    if source.is_int() and target.is_standard_floating():
        is_signed = source.is_int_signed()
        return convert(e, arith.SIToFPOp if is_signed else arith.UIToFPOp, value, target)
    if source.is_ptr():
        return _cast_pointer(e, value, target)
    if target.is_ptr() and source.is_int():
        return convert(e, tt.IntToPtrOp, value, target)
    return None


def _cast_integer(e: EmissionContext, value: TensorValue, target: dtype) -> TensorValue:
    source = value.dtype
    if target.is_bool():
        return _is_nonzero(e, value)
    if source.primitive_bitwidth == target.primitive_bitwidth:
        return convert(e, arith.BitcastOp, value, target)
    if source.primitive_bitwidth > target.primitive_bitwidth:
        return convert(e, arith.TruncIOp, value, target)
    return convert(e, arith.ExtSIOp if source.is_int_signed() else arith.ExtUIOp, value, target)


def _cast_pointer(e: EmissionContext, value: TensorValue, target: dtype) -> TensorValue | None:
    if target.is_ptr():
        return convert(e, tt.BitcastOp, value, target)
    if target.is_bool():
        return _is_nonzero(e, convert(e, tt.PtrToIntOp, value, dtypes.int64))
    if target.is_int() and target.primitive_bitwidth == 64:
        return convert(e, tt.PtrToIntOp, value, target)
    return None


def _is_nonzero(e: EmissionContext, value: TensorValue) -> TensorValue:
    zero = constant(e, 0, value.dtype)
    return comparison.compare(e, "!=", value, splat_like(e, zero, value))


def bitcast(e: EmissionContext, value: TensorValue, to: dtype) -> TensorValue:
    """Reinterpret the bits of each element as another type of the same width.

    Raises:
        TypeMismatchError: The widths differ.
    """
    source, target = value.dtype, to.scalar
    if source == target:
        return value
    if source.is_ptr() or target.is_ptr():
        return cast(e, value, to)
    check_dtype(e, target)
    if source.primitive_bitwidth != target.primitive_bitwidth:
        raise TypeMismatchError(
            f"cannot bitcast data-type of size {source.primitive_bitwidth} to data-type of size "
            f"{target.primitive_bitwidth}",
            found=f"{source} to {target}",
        )
    return convert(e, tt.BitcastOp, value, target)
