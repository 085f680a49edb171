"""tl.dot and tl.dot_scaled.

The accumulator is int32 for int8 operands, and fp32 for floats unless out_dtype is fp16. Without an
accumulator argument it is a block of zeros.
"""

from __future__ import annotations

import math

from weft.errors import CompilationError, TypeMismatchError, warn_deprecated
from weft.frontend.semantics.builtins.shape_manipulation import emit_reshape
from weft.frontend.semantics.casts import check_dtype
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.ir import attributes, tt, types
from weft.ir.builtin import Attribute
from weft.ir.enums import InputPrecision, ScaleDotElemType
from weft.ir.locations import position
from weft.language import compound_types, dtypes
from weft.language.dtypes import dtype

_OPERANDS = ("int8", "uint8", "fp16", "bf16", "fp32", "fp64")
_HOPPER = 90
"""The compute capability from which on fp8e4b15 is deprecated."""
_IR_LACKS = "fp8e4b15"
"""The 8-bit float that the IR represents as i8, which dots would multiply as integers."""
_PRECISIONS = {precision.name.lower(): precision for precision in InputPrecision}


def dot(
    e: Emitter,
    input: Value,
    other: Value,
    acc: Value,
    input_precision: Value,
    allow_tf32: Value,
    max_num_imprecise_acc: Value,
    out_dtype: Value,
) -> TensorValue:
    """Emit tt.dot; more than one batch dimension is reshaped to one.

    Raises:
        TypeMismatchError: The operands or the accumulator have the wrong type or shape.
    """
    a, b = _operand(e, "lhs", input), _operand(e, "rhs", other)
    batch = a.shape[:-2]
    if len(batch) > 1:
        _check_batch(a, b)
        a, b = _merge_batch(e, a), _merge_batch(e, b)
        if acc is not None:
            acc = _merge_batch(e, e.to_value(acc))
    a, b = _check_types(e, a, b)
    precision = _precision(e, input_precision, allow_tf32)
    m, n, k = _sizes(e, a, b)
    result = _result_type(a, out_dtype)
    shape = (*a.shape[:-2], m, n)
    accumulator = _accumulator(e, acc, result, shape)
    properties: dict[str, Attribute] = {
        "inputPrecision": precision.attr(),
        "maxNumImpreciseAcc": attributes.integer(
            _max_num_imprecise_acc(e, max_num_imprecise_acc, a, b, k), types.i32
        ),
    }
    handles = [a.handle, b.handle, accumulator.handle]
    handle = e.builder.value(tt.DotOp, handles, accumulator.handle.type, properties)
    value = TensorValue(handle, accumulator.type)
    return emit_reshape(e, value, (*batch, m, n)) if len(batch) > 1 else value


def _merge_batch(e: Emitter, value: TensorValue) -> TensorValue:
    """Reshape a block to one batch dimension."""
    return emit_reshape(e, value, (math.prod(value.shape[:-2]), *value.shape[-2:]))


def _operand(e: Emitter, name: str, value: Value) -> TensorValue:
    block = e.to_value(value)
    if len(block.shape) < 2:
        raise TypeMismatchError(
            f"{name} of tl.dot must have at least 2 dimensions",
            found=block,
            accepted=("2 dimensions", "more, of which all but the last two are batch dimensions"),
        )
    if block.dtype.is_fp8():
        check_dtype(e, block.dtype)
    elif block.dtype.name not in _OPERANDS:
        raise TypeMismatchError(
            f"Unsupported {name} dtype {block.dtype}",
            found=block,
            accepted=("int8", *_OPERANDS[2:], "8-bit floats"),
            hint="convert the operands with .to(…)",
        )
    return block


def _check_types(e: Emitter, a: TensorValue, b: TensorValue) -> tuple[TensorValue, TensorValue]:
    """Check the operand types, and convert fp8 types that the target's dot does not support."""
    both_fp8 = a.dtype.is_fp8() and b.dtype.is_fp8()
    if a.dtype != b.dtype and not both_fp8:
        raise TypeMismatchError(
            f"Both operands must be same dtype. Got {a.dtype} and {b.dtype}",
            found=f"{a.dtype} and {b.dtype}",
            accepted=("one element type", "two 8-bit floats"),
            hint=f"convert one of them, as in b.to(tl.{a.dtype.codegen_name})",
        )
    if a.dtype.is_uint8():
        raise TypeMismatchError("only int8 supported!", found=a.dtype, accepted=("int8",))
    deprecated = e.options.deprecated_fp8_dot_operand_dtypes
    names = [each.dtype.name for each in (a, b) if each.dtype.name in (*deprecated, _IR_LACKS)]
    if both_fp8 and names:
        if names[0] in deprecated:
            _warn_of_fp16_dot(e, names[0])
        return e.cast(a, dtypes.float16), e.cast(b, dtypes.float16)
    return a, b


def _warn_of_fp16_dot(e: Emitter, name: str) -> None:
    """Warn that the target has no MMA of an 8-bit float that older ones have."""
    arch = e.options.arch
    if e.options.backend == "hip":
        message = (
            f"{name} is AMD gfx942 specific and not supported on {arch} so it's upcasted to fp16 "
            "and can cause significant slow down. Please use OCP fp8 variants on "
            f"{arch} for performance"
        )
    elif int(arch) >= _HOPPER:
        message = (
            f"the use of {name} is deprecated on Hopper and later architectures and can cause "
            "significant slow down. It will be removed in a future triton release"
        )
    else:
        return
    warn_deprecated(message, position(e.builder.location))


def precision_attribute(e: Emitter, input_precision: Value, allow_tf32: Value) -> Attribute:
    """Return the attribute of a dot's input precision; None is the target's default."""
    return _precision(e, input_precision, allow_tf32).attr()


def _precision(e: Emitter, input_precision: Value, allow_tf32: Value) -> InputPrecision:
    allowed = e.options.allowed_dot_input_precisions
    if input_precision is not None and allow_tf32 is not None:
        raise CompilationError(
            "Only one of input_precision and allow_tf32 can be specified",
            found=f"input_precision={input_precision!r}, allow_tf32={allow_tf32!r}",
        )
    if input_precision is None and allow_tf32 is None:
        input_precision = e.options.default_dot_input_precision
    elif input_precision is None:
        input_precision = "tf32" if allow_tf32 and "tf32" in allowed else "ieee"
    name = input_precision.lower() if isinstance(input_precision, str) else None
    if name not in allowed:
        raise CompilationError(
            f"input_precision must be one of {allowed}. Got {input_precision}",
            found=describe(input_precision),
            accepted=allowed,
        )
    return _PRECISIONS[name]


def _check_batch(a: TensorValue, b: TensorValue) -> None:
    shapes = f"lhs: {a.shape}, rhs: {b.shape}"
    if len(a.shape) != len(b.shape):
        raise TypeMismatchError("input and other must have equal ranks >= 2", found=shapes)
    if a.shape[:-2] != b.shape[:-2]:
        raise TypeMismatchError("input and other must have equal batch shapes", found=shapes)


def _sizes(e: Emitter, a: TensorValue, b: TensorValue) -> tuple[int, int, int]:
    shapes = f"lhs: {a.shape}, rhs: {b.shape}"
    _check_batch(a, b)
    m, k = a.shape[-2:]
    n = b.shape[-1]
    if b.shape[-2] != k:
        raise TypeMismatchError(
            f"first input shape {a.shape} and second input shape {b.shape} are not compatible for "
            f"matmul (second index of first shape ({k}) must be equal to first index of second "
            f"shape ({b.shape[-2]}))",
            found=shapes,
            accepted=("(m, k) and (k, n)",),
            hint="transpose one of them with tl.trans" if b.shape[-1] == k else None,
        )
    minimum = e.options.min_dot_size
    if a.dtype.primitive_bitwidth == 8:
        minimum = (*minimum[:2], e.options.min_dot_k_8bit)
    if any(size < limit for size, limit in zip((m, n, k), minimum, strict=True)):
        raise TypeMismatchError(
            f"Input shapes should have M >= {minimum[0]}, N >= {minimum[1]} and K >= {minimum[2]}",
            found=f"M = {m}, N = {n}, K = {k} of {a.dtype}",
        )
    return m, n, k


def _result_type(a: TensorValue, out_dtype: Value) -> dtype:
    if not isinstance(out_dtype, dtype):
        raise TypeMismatchError("out_dtype must be an element type", found=describe(out_dtype))
    if a.dtype.is_int():
        return dtypes.int32
    if out_dtype.is_bf16():
        raise TypeMismatchError(
            "out_dtype=bfloat16 is unsupported",
            found=out_dtype,
            accepted=("tl.float32", "tl.float16"),
            hint="use out_dtype=float32/float16 and cast with `.to(tl.bfloat16)`",
        )
    if a.dtype in (dtypes.float32, dtypes.bfloat16):
        return dtypes.float32
    return dtypes.float64 if a.dtype.is_fp64() else out_dtype


def _accumulator(e: Emitter, acc: Value, type_: dtype, shape: tuple[int, ...]) -> TensorValue:
    if acc is None:
        return e.splat(e.constant(0, type_), shape)
    value = e.to_value(acc)
    if value.shape != shape or value.dtype != type_:
        expected = compound_types.block_type(type_, shape)
        raise TypeMismatchError(
            "accumulator shape or type is incompatible",
            found=value,
            accepted=(TensorValue(value.handle, expected),),
            hint=None if value.dtype == type_ else f"out_dtype=tl.{value.dtype.codegen_name}",
        )
    return value


def _max_num_imprecise_acc(
    e: Emitter, argument: Value, a: TensorValue, b: TensorValue, k: int
) -> int:
    both_fp8 = a.dtype.is_fp8() and b.dtype.is_fp8()
    if argument is None:
        return e.options.max_num_imprecise_acc_default if both_fp8 else 0
    if not isinstance(argument, int):
        raise CompilationError(
            "max_num_imprecise_acc must be an integer", found=describe(argument), accepted=("int",)
        )
    if both_fp8 and argument > k:
        raise CompilationError(
            f"max_num_imprecise_acc ({argument}) must be <= K ({k})",
            found=argument,
            accepted=(f"up to {k}",),
        )
    return argument


# format: (its attribute, element type; None if elements are packed in uint8)
_FORMATS: dict[str, tuple[ScaleDotElemType, dtype | None]] = {
    "e2m1": (ScaleDotElemType.E2M1, None),
    "e4m3": (ScaleDotElemType.E4M3, dtypes.float8e4nv),
    "e5m2": (ScaleDotElemType.E5M2, dtypes.float8e5),
    "bf16": (ScaleDotElemType.BF16, dtypes.bfloat16),
    "fp16": (ScaleDotElemType.FP16, dtypes.float16),
}


def dot_scaled(
    e: Emitter,
    lhs: Value,
    lhs_scale: Value,
    lhs_format: Value,
    rhs: Value,
    rhs_scale: Value,
    rhs_format: Value,
    acc: Value,
    fast_math: Value,
    lhs_k_pack: Value,
    rhs_k_pack: Value,
    out_dtype: Value,
) -> TensorValue:
    """Emit tt.dot_scaled.

    Raises:
        TypeMismatchError: The operands or the accumulator have the wrong type or shape.
    """
    a_format, b_format = _format("lhs", lhs_format), _format("rhs", rhs_format)
    a = _scaled_operand(e, "lhs", lhs, a_format, lhs_k_pack)
    b = _scaled_operand(e, "rhs", rhs, b_format, rhs_k_pack)
    m, n, k = _scaled_sizes(a, a_format, lhs_k_pack, b, b_format, rhs_k_pack)
    if out_dtype != dtypes.float32:
        raise TypeMismatchError(
            "Only float32 is supported for out_dtype at the moment",
            found=describe(out_dtype),
            accepted=("tl.float32",),
        )
    scales = [
        _scale(e, name, scale, rows, k)
        for name, scale, rows in (("lhs_scale", lhs_scale, m), ("rhs_scale", rhs_scale, n))
        if scale is not None
    ]
    shape = (*a.shape[:-2], m, n)
    accumulator = _accumulator(e, acc, dtypes.float32, shape)
    operands = [a, b, accumulator, *scales]
    segment_sizes = (1, 1, 1, int(lhs_scale is not None), int(rhs_scale is not None))
    properties: dict[str, Attribute] = {
        "a_elem_type": _FORMATS[a_format][0].attr(),
        "b_elem_type": _FORMATS[b_format][0].attr(),
        "fastMath": attributes.boolean(bool(fast_math)),
        "lhs_k_pack": attributes.boolean(bool(lhs_k_pack)),
        "rhs_k_pack": attributes.boolean(bool(rhs_k_pack)),
        "operandSegmentSizes": attributes.array_i32(segment_sizes),
    }
    handles = [value.handle for value in operands]
    handle = e.builder.value(tt.DotScaledOp, handles, accumulator.handle.type, properties)
    return TensorValue(handle, accumulator.type)


def _format(name: str, value: Value) -> str:
    if not isinstance(value, str) or value not in _FORMATS:
        raise CompilationError(
            f"Invalid float format of {name}: {value}", found=describe(value), accepted=_FORMATS
        )
    return value


def _scaled_operand(e: Emitter, name: str, value: Value, format: str, k_pack: Value) -> TensorValue:
    block = e.to_value(value)
    element = _FORMATS[format][1]
    is_packed = block.dtype.is_uint8()
    if element is None and not is_packed:
        raise TypeMismatchError(
            f"e2m1 format must be packed as uint8. Got {block.dtype}",
            found=block,
            accepted=("uint8",),
        )
    if element is not None and not is_packed and block.dtype != element:
        raise TypeMismatchError(
            f"Unexpected dtype for {format}. Got {block.dtype}",
            found=block,
            accepted=(element, "uint8 with its bits"),
        )
    if element is None or not is_packed:
        if not k_pack and element is not None:
            raise CompilationError(
                "only mxfp4 inputs can be packed along a dimension different than K",
                found=f"{name}_k_pack=False with format {format}",
            )
        return block
    if element.primitive_bitwidth != 8:
        raise TypeMismatchError(
            f"Unexpected dtype for {format}. Got {block.dtype}", found=block, accepted=(element,)
        )
    return e.bitcast(block, element)


def _scaled_sizes(
    a: TensorValue, a_format: str, a_k_pack: Value, b: TensorValue, b_format: str, b_k_pack: Value
) -> tuple[int, int, int]:
    if len(a.shape) != len(b.shape) or len(a.shape) not in (2, 3):
        raise TypeMismatchError(
            "Both inputs must be either 2D or 3D", found=f"lhs: {a.shape}, rhs: {b.shape}"
        )
    m, a_k = a.shape[-2:]
    b_k, n = b.shape[-2:]
    if a_format == "e2m1":
        m, a_k = (m, 2 * a_k) if a_k_pack else (2 * m, a_k)
    if b_format == "e2m1":
        b_k, n = (2 * b_k, n) if b_k_pack else (b_k, 2 * n)
    if a_k != b_k:
        raise TypeMismatchError(
            "Reduction dimension should pack the same number of elements",
            found=f"{a_k} and {b_k}; lhs: {a.shape}, rhs: {b.shape}",
        )
    return m, n, a_k


_ELEMENTS_PER_SCALE = 32
_ELEMENTS_PER_NVFP4_SCALE = 16


def _scale(e: Emitter, name: str, value: Value, rows: int, k: int) -> TensorValue:
    """Check the shape of a scale: one for each row and each 16 or 32 elements along K."""
    scale = e.to_value(value)
    is_nvfp4 = scale.dtype.is_fp8e4nv()
    columns = k // (_ELEMENTS_PER_NVFP4_SCALE if is_nvfp4 else _ELEMENTS_PER_SCALE)
    if scale.shape[-2:] != (rows, columns):
        raise TypeMismatchError(
            f"{name} must be a tensor of shape [..., {rows}, {columns}]. "
            f"Got {[str(extent) for extent in scale.shape]}",
            found=scale,
            accepted=(f"{rows} x {columns}",),
        )
    return scale


TABLE = {"dot": dot, "dot_scaled": dot_scaled}
