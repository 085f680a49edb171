"""tl.dot and tl.dot_scaled.

For example:

    float operands       the accumulator is fp32, or fp16 where out_dtype says so
    int8 operands        the accumulator is int32
    no accumulator       a block of zeros
"""

from __future__ import annotations

from typing import Any

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics.casts import check_dtype
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.values import TensorValue, describe
from weft.ir import attributes, tt, types
from weft.ir.builtin import Attribute
from weft.ir.enums import InputPrecision, ScaleDotElemType
from weft.language import compound_types, dtypes
from weft.language.dtypes import dtype

_OPERANDS = ("int8", "uint8", "fp16", "bf16", "fp32", "fp64")
_PRECISIONS = {precision.name.lower(): precision for precision in InputPrecision}


def dot(
    e: Emitter,
    input: Any,
    other: Any,
    acc: Any,
    input_precision: Any,
    allow_tf32: Any,
    max_num_imprecise_acc: Any,
    out_dtype: Any,
) -> TensorValue:
    """Emit tt.dot.

    Raises: TypeMismatchError for operands, shapes or an accumulator that do not go together.
    """
    a, b = _operand(e, "first", input), _operand(e, "second", other)
    a, b = _same_type(e, a, b)
    precision = _precision(e, input_precision, allow_tf32)
    m, n, k = _sizes(e, a, b)
    result = _result_type(a, out_dtype)
    shape = (*a.shape[:-2], m, n)
    accumulator = _accumulator(e, acc, result, shape)
    properties: dict[str, Attribute] = {
        "inputPrecision": precision.attr(),
        "maxNumImpreciseAcc": attributes.integer(
            _imprecise(e, max_num_imprecise_acc, a, b, k), types.i32
        ),
    }
    handles = [a.handle, b.handle, accumulator.handle]
    handle = e.builder.value(tt.DotOp, handles, accumulator.handle.type, properties)
    return TensorValue(handle, accumulator.type)


def _operand(e: Emitter, which: str, value: Any) -> TensorValue:
    block = e.to_value(value)
    if len(block.shape) not in (2, 3):
        raise TypeMismatchError(
            f"the {which} operand of tl.dot is a matrix, or a batch of them",
            found=block,
            accepted=("2 dimensions", "3 dimensions"),
        )
    if block.dtype.is_fp8():
        check_dtype(e, block.dtype)
    elif block.dtype.name not in _OPERANDS:
        raise TypeMismatchError(
            f"tl.dot does not multiply {block.dtype}",
            found=block,
            accepted=("int8", *_OPERANDS[2:], "8-bit floats"),
            hint="convert the operands with .to(…)",
        )
    return block


def _same_type(e: Emitter, a: TensorValue, b: TensorValue) -> tuple[TensorValue, TensorValue]:
    both_fp8 = a.dtype.is_fp8() and b.dtype.is_fp8()
    if a.dtype != b.dtype and not both_fp8:
        raise TypeMismatchError(
            "the operands of tl.dot have one element type",
            found=f"{a.dtype} and {b.dtype}",
            accepted=("one element type", "two 8-bit floats"),
            hint=f"convert one of them, as in b.to(tl.{a.dtype.codegen_name})",
        )
    if a.dtype.is_uint8():
        raise TypeMismatchError(
            "tl.dot multiplies signed bytes only", found=a.dtype, accepted=("int8",)
        )
    slow = e.options.deprecated_fp8_dot_operand_dtypes
    if both_fp8 and (a.dtype.name in slow or b.dtype.name in slow):
        return e.cast(a, dtypes.float16), e.cast(b, dtypes.float16)
    return a, b


def _precision(e: Emitter, input_precision: Any, allow_tf32: Any) -> InputPrecision:
    allowed = e.options.allowed_dot_input_precisions
    if input_precision is not None and allow_tf32 is not None:
        raise CompilationError(
            "tl.dot takes input_precision or allow_tf32, not both",
            found=f"input_precision={input_precision!r}, allow_tf32={allow_tf32!r}",
        )
    if input_precision is None and allow_tf32 is None:
        input_precision = e.options.default_dot_input_precision
    elif input_precision is None:
        input_precision = "tf32" if allow_tf32 and "tf32" in allowed else "ieee"
    name = input_precision.lower() if isinstance(input_precision, str) else input_precision
    if name not in allowed:
        raise CompilationError(
            "this input precision is not there on the target",
            found=describe(input_precision),
            accepted=allowed,
        )
    return _PRECISIONS[name]


def _sizes(e: Emitter, a: TensorValue, b: TensorValue) -> tuple[int, int, int]:
    shapes = f"{a.shape} and {b.shape}"
    if len(a.shape) != len(b.shape):
        raise TypeMismatchError("the operands of tl.dot have one rank", found=shapes)
    if a.shape[:-2] != b.shape[:-2]:
        raise TypeMismatchError("the operands of tl.dot have one batch size", found=shapes)
    m, k = a.shape[-2:]
    n = b.shape[-1]
    if b.shape[-2] != k:
        raise TypeMismatchError(
            "the columns of the first operand of tl.dot are as many as the rows of the second",
            found=shapes,
            accepted=("(m, k) and (k, n)",),
            hint="transpose one of them with tl.trans" if b.shape[-1] == k else None,
        )
    least = e.options.min_dot_size
    if a.dtype.primitive_bitwidth == 8:
        least = (*least[:2], e.options.min_dot_k_8bit)
    if any(have < want for have, want in zip((m, n, k), least, strict=True)):
        raise TypeMismatchError(
            "the matrices of tl.dot are too small for the target",
            found=f"m = {m}, n = {n}, k = {k}",
            accepted=(f"m ≥ {least[0]}, n ≥ {least[1]}, k ≥ {least[2]} for {a.dtype}",),
        )
    return m, n, k


def _result_type(a: TensorValue, out_dtype: Any) -> dtype:
    if not isinstance(out_dtype, dtype):
        raise TypeMismatchError("out_dtype is an element type", found=describe(out_dtype))
    if a.dtype.is_int():
        return dtypes.int32
    if out_dtype.is_bf16():
        raise TypeMismatchError(
            "tl.dot does not accumulate in bf16",
            found=out_dtype,
            accepted=("tl.float32", "tl.float16"),
            hint="convert the result with .to(tl.bfloat16)",
        )
    if a.dtype in (dtypes.float32, dtypes.bfloat16):
        return dtypes.float32
    return dtypes.float64 if a.dtype.is_fp64() else out_dtype


def _accumulator(e: Emitter, acc: Any, type_: dtype, shape: tuple[int, ...]) -> TensorValue:
    if acc is None:
        return e.splat(e.constant(0, type_), shape)
    value = e.to_value(acc)
    if value.shape != shape or value.dtype != type_:
        wanted = compound_types.block_type(type_, shape)
        raise TypeMismatchError(
            "the accumulator of tl.dot has the shape and the type of the result",
            found=value,
            accepted=(TensorValue(value.handle, wanted),),
            hint=None if value.dtype == type_ else f"out_dtype=tl.{value.dtype.codegen_name}",
        )
    return value


def _imprecise(e: Emitter, given: Any, a: TensorValue, b: TensorValue, k: int) -> int:
    both_fp8 = a.dtype.is_fp8() and b.dtype.is_fp8()
    if given is None:
        return e.options.max_num_imprecise_acc_default if both_fp8 else 0
    if both_fp8 and given > k:
        raise CompilationError(
            "max_num_imprecise_acc is at most k", found=given, accepted=(f"up to {k}",)
        )
    return given


# format: element type of the operand, or None where it is packed in uint8
_FORMATS: dict[str, tuple[ScaleDotElemType, dtype | None]] = {
    "e2m1": (ScaleDotElemType.E2M1, None),
    "e4m3": (ScaleDotElemType.E4M3, dtypes.float8e4nv),
    "e5m2": (ScaleDotElemType.E5M2, dtypes.float8e5),
    "bf16": (ScaleDotElemType.BF16, dtypes.bfloat16),
    "fp16": (ScaleDotElemType.FP16, dtypes.float16),
}


def dot_scaled(
    e: Emitter,
    lhs: Any,
    lhs_scale: Any,
    lhs_format: Any,
    rhs: Any,
    rhs_scale: Any,
    rhs_format: Any,
    acc: Any,
    fast_math: Any,
    lhs_k_pack: Any,
    rhs_k_pack: Any,
    out_dtype: Any,
) -> TensorValue:
    """Emit tt.dot_scaled.

    Raises: TypeMismatchError for operands, scales or an accumulator that do not go together.
    """
    a = _scaled_operand(e, "lhs", lhs, lhs_format, lhs_k_pack)
    b = _scaled_operand(e, "rhs", rhs, rhs_format, rhs_k_pack)
    m, n = _scaled_sizes(a, lhs_format, lhs_k_pack, b, rhs_format, rhs_k_pack)
    if out_dtype != dtypes.float32:
        raise TypeMismatchError(
            "tl.dot_scaled accumulates in fp32", found=describe(out_dtype), accepted=("tl.float32",)
        )
    scales = [e.to_value(scale) for scale in (lhs_scale, rhs_scale) if scale is not None]
    shape = (*a.shape[:-2], m, n)
    accumulator = _accumulator(e, acc, dtypes.float32, shape)
    operands = [a, b, accumulator, *scales]
    counts = (1, 1, 1, int(lhs_scale is not None), int(rhs_scale is not None))
    properties: dict[str, Attribute] = {
        "a_elem_type": _FORMATS[lhs_format][0].attr(),
        "b_elem_type": _FORMATS[rhs_format][0].attr(),
        "fastMath": attributes.boolean(bool(fast_math)),
        "lhs_k_pack": attributes.boolean(bool(lhs_k_pack)),
        "rhs_k_pack": attributes.boolean(bool(rhs_k_pack)),
        "operandSegmentSizes": attributes.array_i32(counts),
    }
    handles = [value.handle for value in operands]
    handle = e.builder.value(tt.DotScaledOp, handles, accumulator.handle.type, properties)
    return TensorValue(handle, accumulator.type)


def _scaled_operand(e: Emitter, name: str, value: Any, format: Any, k_pack: Any) -> TensorValue:
    if format not in _FORMATS:
        raise CompilationError(
            f"unknown format of {name} of tl.dot_scaled", found=describe(format), accepted=_FORMATS
        )
    block = e.to_value(value)
    wanted = _FORMATS[format][1]
    packed = block.dtype.is_uint8()
    if not packed and (wanted is None or block.dtype != wanted):
        raise TypeMismatchError(
            f"{name} of tl.dot_scaled does not have the type of its format {format}",
            found=block,
            accepted=("uint8",) if wanted is None else (wanted, "uint8 with its bits"),
        )
    if wanted is None or not packed:
        if not k_pack and wanted is not None:
            raise CompilationError(f"only e2m1 is packed, so {name}_k_pack must be true")
        return block
    if wanted.primitive_bitwidth != 8:
        raise TypeMismatchError(
            f"{name} of format {format} has 16 bits", found=block, accepted=(wanted,)
        )
    return e.bitcast(block, wanted)


def _scaled_sizes(
    a: TensorValue, a_format: str, a_k_pack: Any, b: TensorValue, b_format: str, b_k_pack: Any
) -> tuple[int, int]:
    if len(a.shape) != len(b.shape) or len(a.shape) not in (2, 3):
        raise TypeMismatchError(
            "the operands of tl.dot_scaled are two matrices, or batches of them",
            found=f"{a.shape} and {b.shape}",
        )
    m, a_k = a.shape[-2:]
    b_k, n = b.shape[-2:]
    if a_format == "e2m1":
        m, a_k = (m, 2 * a_k) if a_k_pack else (2 * m, a_k)
    if b_format == "e2m1":
        b_k, n = (2 * b_k, n) if b_k_pack else (b_k, 2 * n)
    if a_k != b_k:
        raise TypeMismatchError(
            "the operands of tl.dot_scaled have one number of elements along k",
            found=f"{a_k} and {b_k}, of shapes {a.shape} and {b.shape}",
        )
    return m, n


TABLE = {"dot": dot, "dot_scaled": dot_scaled}
