"""The functions of `gl.amd` for matrix instructions and buffer instructions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod

from weft.errors import TypeMismatchError
from weft.frontend.semantics.broadcasting import block_of, broadcast
from weft.frontend.semantics.builtins import linear_algebra
from weft.frontend.semantics.builtins.atomics import memory_order
from weft.frontend.semantics.builtins.memory import load_cache_attribute, store_cache_attribute
from weft.frontend.semantics.constants import constant
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.gluon import arguments
from weft.frontend.semantics.gluon.ampere import qualified
from weft.frontend.semantics.gluon.arguments import require
from weft.frontend.semantics.gluon.core import dot, splat
from weft.frontend.semantics.gluon.emitter import tensor_type
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.gluon.amd.cdna4 import get_mfma_scale_layout
from weft.gluon.amd.gfx1250 import get_wmma_scale_layout
from weft.gluon.layouts import (
    AMDMFMALayout,
    AMDWMMALayout,
    DistributedLayout,
    DotOperandLayout,
)
from weft.ir import amdg, attributes, rocdl, types
from weft.ir.builtin import Attribute, SSAValue
from weft.ir.enums import CacheModifier, RMWOp
from weft.language import dtypes
from weft.language.compound_types import pointer_type
from weft.language.dtypes import dtype

_FORMATS = ("e2m1", "e4m3", "e5m2")
_SCALED_ELEMENTS = 32  # along K, of one scale
_UNIT_SCALE = 0x7F  # 2^0 in e8m0
_ScaleLayout = Callable[[DotOperandLayout, Sequence[int]], DistributedLayout]


def mfma(e: Emitter, a: Value, b: Value, acc: Value) -> TensorValue:
    """Emit tt.dot on tensors whose layouts are those of MFMA."""
    require(acc is not None, "acc is required")
    left, right, accumulator = _operands(a, b, acc)
    return dot(e, left, right, accumulator)


def _operands(a: Value, b: Value, acc: Value) -> tuple[TensorValue, TensorValue, TensorValue]:
    return (
        arguments.tensor("a", a),
        arguments.tensor("b", b),
        arguments.tensor("acc", acc),
    )


def wmma(version: int, e: Emitter, a: Value, b: Value, acc: Value) -> TensorValue:
    """Emit tt.dot on tensors whose layouts are those of a version of WMMA."""
    return dot(e, *_check_wmma(version, a, b, acc))


def _check_wmma(
    version: int, a: Value, b: Value, acc: Value
) -> tuple[TensorValue, TensorValue, TensorValue]:
    require(acc is not None, "acc is required")
    left, right, accumulator = _operands(a, b, acc)
    require(
        _is_wmma(tensor_type("acc", accumulator).layout, version),
        f"Expected layout to be an instance of AMDWMMALayout with version {version}",
    )
    for name, value in (("a", left), ("b", right)):
        layout = tensor_type(name, value).layout
        require(
            isinstance(layout, DotOperandLayout) and _is_wmma(layout.parent, version),
            f"Expected {name}'s layout to be a DotOperandLayout with parent matching AMDWMMALayout",
            layout,
        )
    return left, right, accumulator


def _is_wmma(layout: DistributedLayout, version: int) -> bool:
    return isinstance(layout, AMDWMMALayout) and layout.version == version


def mfma_scaled(
    e: Emitter,
    a: Value,
    a_scale: Value,
    a_format: Value,
    b: Value,
    b_scale: Value,
    b_format: Value,
    acc: Value,
) -> TensorValue:
    """Emit tt.dot_scaled on tensors whose layouts are those of MFMA."""
    left, right, accumulator = _operands(a, b, acc)
    layout = tensor_type("acc", accumulator).layout
    require(
        isinstance(layout, AMDMFMALayout),
        "Expected layout to be an instance of AMDMFMALayout",
        layout,
    )
    for side, value in (("lhs", left), ("rhs", right)):
        operand = tensor_type(side, value).layout
        require(
            isinstance(operand, DotOperandLayout) and operand.parent.encoding is layout.encoding,
            f"Expected {side} layout to be a DotOperandLayout with parent matching MFMA layout",
            operand,
        )
    scales = (a_scale, _format("lhs", a_format)), (b_scale, _format("rhs", b_format))
    return _scaled_dot(e, (left, right), scales, accumulator, get_mfma_scale_layout)


def wmma_scaled(
    e: Emitter,
    a: Value,
    a_scale: Value,
    a_format: Value,
    b: Value,
    b_scale: Value,
    b_format: Value,
    acc: Value,
) -> TensorValue:
    """Emit tt.dot_scaled on tensors whose layouts are those of WMMA."""
    left, right, accumulator = _check_wmma(3, a, b, acc)
    for value, format in ((left, a_format), (right, b_format)):
        operand = tensor_type("operand", value).layout
        parent = operand.parent if isinstance(operand, DotOperandLayout) else operand
        require(
            format != "e2m1" or getattr(parent, "instr_shape", None) == [16, 16, 64],
            "e2m1 format expects instr_shape to be [16, 16, 64]",
            parent,
        )
    layout = tensor_type("acc", accumulator).layout
    require(
        isinstance(layout, AMDWMMALayout) and layout.instr_shape == [16, 16, 128],
        "accumulator tensor's layout must be [16, 16, 128]",
        layout,
    )
    scales = (a_scale, _format("lhs", a_format)), (b_scale, _format("rhs", b_format))
    return _scaled_dot(e, (left, right), scales, accumulator, get_wmma_scale_layout)


def _format(side: str, value: Value) -> str:
    if not isinstance(value, str) or value not in _FORMATS:
        raise TypeMismatchError(
            f"Unsupported {side}_format: {value}", found=describe(value), accepted=_FORMATS
        )
    return value


def _scaled_dot(
    e: Emitter,
    operands: tuple[TensorValue, TensorValue],
    scales: tuple[tuple[Value, str], tuple[Value, str]],
    acc: TensorValue,
    scale_layout: _ScaleLayout,
) -> TensorValue:
    """Emit tt.dot_scaled; a scale that is a number or missing becomes a tensor of it."""
    (a, b), ((_, a_format), (_, b_format)) = operands, scales
    a_scale, b_scale = (
        _scale(e, index, operand, scale, format, scale_layout)
        for index, (operand, (scale, format)) in enumerate(zip(operands, scales, strict=True))
    )
    result = linear_algebra.dot_scaled(
        e, a, a_scale, a_format, b, b_scale, b_format, acc, False, True, True, dtypes.float32
    )
    return TensorValue(result.handle, acc.type)


def _scale(
    e: Emitter,
    index: int,
    operand: TensorValue,
    scale: Value,
    format: str,
    scale_layout: _ScaleLayout,
) -> TensorValue:
    *batch, m, k = operand.shape if index == 0 else (*operand.shape[:-2], *operand.shape[:-3:-1])
    shape = (*batch, m, k * (2 if format == "e2m1" else 1) // _SCALED_ELEMENTS)
    if isinstance(scale, TensorValue) and prod(scale.shape) != 1:
        require(prod(shape) == prod(scale.shape), "Incompatible scale shape", scale)
        return scale
    layout = tensor_type("operand", operand).layout
    assert isinstance(layout, DotOperandLayout)
    if isinstance(scale, TensorValue):
        value = e.cast(scale, dtypes.uint8)
    else:
        number = _UNIT_SCALE if scale is None else arguments.integer("scale", scale)
        value = constant(e, number, dtypes.uint8)
    return splat(e, value, shape, scale_layout(layout, list(shape)))


def check_buffer(ptr: Value, offsets: Value, mask: Value, other: Value = None) -> TensorValue:
    """Check the arguments of a buffer instruction; return the offsets."""
    pointer, index = arguments.tensor("ptr", ptr), arguments.tensor("offsets", offsets)
    require(isinstance(pointer.type, pointer_type), "ptr must be a scalar pointer type", pointer)
    tensor_type("offsets type", index)
    require(
        index.dtype.name in ("int32", "uint32"),
        "offsets element type must be int32 or uint32",
        index,
    )
    require(other is None or mask is not None, "when other is not None, mask should not be None")
    return index


def pointee(pointer: Value) -> dtype:
    """Return the type that a pointer points to."""
    scalar = arguments.tensor("ptr", pointer).dtype
    assert isinstance(scalar, pointer_type)
    return scalar.element_ty


def masked(
    e: Emitter, offsets: TensorValue, mask: Value, other: Value, element: dtype
) -> tuple[TensorValue, list[SSAValue], tuple[int, int]]:
    """Broadcast mask and replacement to offsets.

    Returns:
        The offsets, the operands after them, and whether there is a mask and a replacement.
    """
    operands: list[SSAValue] = []
    if mask is not None:
        offsets, mask_value = broadcast(e, offsets, e.to_value(mask))
        operands.append(mask_value.handle)
    if other is not None:
        offsets, other_value = broadcast(e, offsets, e.cast(e.to_value(other), element))
        operands.append(other_value.handle)
    return offsets, operands, (int(mask is not None), int(other is not None))


def buffer_load(
    e: Emitter, ptr: Value, offsets: Value, mask: Value, other: Value, cache: Value
) -> TensorValue:
    """Emit amdg.buffer_load."""
    index = check_buffer(ptr, offsets, mask, other)
    element = pointee(ptr)
    index, operands, present = masked(e, index, mask, other, element)
    type_ = block_of(index).with_element_ty(element)
    handles = [arguments.tensor("ptr", ptr).handle, index.handle, *operands]
    properties: dict[str, Attribute] = {
        "cache": CacheModifier.NONE.attr() if cache is None else load_cache_attribute(cache),
        "operandSegmentSizes": attributes.array_i32((1, 1, 0, *present)),
    }
    handle = e.builder.value(amdg.BufferLoadOp, handles, e.ir_type(type_), properties)
    return TensorValue(handle, type_)


def buffer_store(
    e: Emitter, stored_value: Value, ptr: Value, offsets: Value, mask: Value, cache: Value
) -> None:
    """Emit amdg.buffer_store."""
    index = check_buffer(ptr, offsets, mask)
    shape = list(index.shape)
    index, value = broadcast(e, index, e.to_value(stored_value))
    operands: list[SSAValue] = []
    if mask is not None:
        index, mask_value = broadcast(e, index, e.to_value(mask))
        index, value = broadcast(e, index, value)
        operands.append(mask_value.handle)
    require(
        list(index.shape) == shape,
        f"Expected `offsets` argument to have shape {list(index.shape)} but got {shape}",
    )
    handles = [value.handle, arguments.tensor("ptr", ptr).handle, index.handle, *operands]
    properties: dict[str, Attribute] = {
        "cache": CacheModifier.NONE.attr() if cache is None else store_cache_attribute(cache),
        "operandSegmentSizes": attributes.array_i32((1, 1, 1, 0, len(operands))),
    }
    e.builder.create(amdg.BufferStoreOp, handles, properties=properties)


_BITWISE = {"and": RMWOp.AND, "or": RMWOp.OR, "xor": RMWOp.XOR, "xchg": RMWOp.XCHG}
_EXTREMA = {"max": (RMWOp.MAX, RMWOp.UMAX), "min": (RMWOp.MIN, RMWOp.UMIN)}
_ATOMIC_TYPES = ("fp16", "fp32", "bf16", "fp64", "int32", "int64", "uint32", "uint64")


def _rmw_op(name: str, element: dtype, chip: str, adds_bf16: bool) -> RMWOp:
    """Select the operation of an atomic buffer instruction.

    Raises:
        TypeMismatchError: The chip has none for the type.
    """
    require(
        element.name in _ATOMIC_TYPES,
        f"{element} is not supported in buffer atomic on {chip}.",
        element,
    )
    is_unsigned = element.name in ("uint32", "uint64")
    if name in _BITWISE:
        require(
            element.name in ("int32", "int64"),
            f"{name} with {element} is not supported on CDNA3 or CDNA4",
            element,
        )
        return _BITWISE[name]
    if name in _EXTREMA and (is_unsigned or element.name in ("int32", "int64", "fp64")):
        signed, unsigned = _EXTREMA[name]
        return unsigned if is_unsigned else signed
    if name == "add" and is_unsigned:
        return RMWOp.ADD
    if name == "add" and element.is_floating():
        require(
            element.name != "bf16" or adds_bf16,
            "Buffer atomic fadd with bf16 is only supported on CDNA4 for now.",
            element,
        )
        return RMWOp.FADD
    raise TypeMismatchError(
        f"{name} with {element} is not supported on CDNA3 and CDNA4", found=element
    )


def buffer_atomic(
    name: str,
    chip: str,
    adds_bf16: bool,
    e: Emitter,
    ptr: Value,
    offsets: Value,
    value: Value,
    mask: Value,
    sem: Value,
    scope: Value,
) -> TensorValue:
    """Emit amdg.buffer_atomic_rmw."""
    index = check_buffer(ptr, offsets, mask)
    op = _rmw_op(name, pointee(ptr), chip, adds_bf16)
    masks: list[SSAValue] = []
    if mask is not None:
        _, mask_value = broadcast(e, index, e.cast(e.to_value(mask), dtypes.int1))
        masks.append(mask_value.handle)
    _, operand = broadcast(e, index, e.to_value(value))
    handles = [arguments.tensor("ptr", ptr).handle, index.handle, operand.handle, *masks]
    properties: dict[str, Attribute] = {
        "atomic_rmw_op": op.attr(),
        **memory_order(sem, scope),
        "operandSegmentSizes": attributes.array_i32((1, 1, 1, 0, len(masks))),
    }
    handle = e.builder.value(amdg.BufferAtomicRMWOp, handles, operand.handle.type, properties)
    return TensorValue(handle, operand.type)


def warp_pipeline_border(e: Emitter, label: Value, priority: Value) -> None:
    """End a stage of a warp pipeline by a scheduling barrier with its name and priority."""
    marks: dict[str, Attribute] = {
        "triton.warp_pipeline.border": attributes.string(
            label if isinstance(label, str) else "cluster"
        )
    }
    if priority is not None:
        number = arguments.integer("priority", priority)
        require(-1 < number < 4, "priority should be 0 to 3.", number)
        marks["triton.warp_pipeline.priority"] = attributes.integer(number, types.i32)
    e.builder.create(
        rocdl.SchedBarrierOp,
        properties={"mask": attributes.integer(0, types.i32)},
        attributes=marks,
    )


_ATOMICS = ("add", "and", "max", "min", "or", "xchg", "xor")
TABLE: dict[str, Callable[..., object]] = {
    **qualified("amd.cdna3", (buffer_load, buffer_store, mfma)),
    **{
        f"amd.{chip}.buffer_atomic_{name}": partial(buffer_atomic, name, chip, adds_bf16)
        for chip, adds_bf16 in (("cdna3", False), ("cdna4", True))
        for name in _ATOMICS
    },
    "amd.cdna4.mfma_scaled": mfma_scaled,
    "amd.gfx1250.wmma": partial(wmma, 3),
    "amd.gfx1250.wmma_scaled": wmma_scaled,
    "amd.rdna3.wmma": partial(wmma, 1),
    "amd.rdna4.wmma": partial(wmma, 2),
    "amd.warp_pipeline_stage": warp_pipeline_border,
}
