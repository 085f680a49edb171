"""The functions of `gl` for all targets, but for `warp_specialize`."""

from __future__ import annotations

from collections.abc import Callable
from warnings import warn

from weft.errors import TypeMismatchError
from weft.frontend.semantics import broadcasting
from weft.frontend.semantics.broadcasting import block_of
from weft.frontend.semantics.builtins import creation, hints, linear_algebra
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.gluon import arguments, emitter
from weft.frontend.semantics.gluon.arguments import require
from weft.frontend.semantics.gluon.emitter import GluonEmitter, tensor_type
from weft.frontend.semantics.gluon.values import SharedMemoryValue, shared_memory_ir_type
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.gluon.layouts import (
    AutoLayout,
    BlockedLayout,
    DistributedLayout,
    DistributedLinearLayout,
    DotOperandLayout,
    SharedLayout,
    SharedLinearLayout,
    TensorMemoryLayout,
    TensorMemoryLinearLayout,
    TensorMemoryScalesLayout,
)
from weft.gluon.layouts.from_encoding import layout_of
from weft.gluon.types import distributed_type, shared_memory_descriptor_type
from weft.ir import attributes, tt, ttg, ttng, types
from weft.language import dtypes
from weft.layouts import LinearEncoding, SharedLinearEncoding
from weft.layouts.fp4_packing import infer_unpack
from weft.layouts.inference import linear_encoding
from weft.layouts.memdesc_conflicts import memdesc_bank_conflicts
from weft.layouts.memdesc_inference import shared_alignment
from weft.layouts.needs_shared_memory import moving_dims

_LARGE_DOT = 2**19  # multiply-adds whose unrolled instructions take long to compile


def _layout_or_auto(layout: Value) -> DistributedLayout:
    return AutoLayout() if layout is None else arguments.distributed_layout(layout)


def arange(e: Emitter, start: Value, end: Value, layout: Value) -> TensorValue:
    """Emit tt.make_range."""
    first, last = creation.range_bounds(start, end)
    type_ = distributed_type(dtypes.int32, [last - first], _layout_or_auto(layout))
    properties = {
        "start": attributes.integer(first, types.i32),
        "end": attributes.integer(last, types.i32),
    }
    return TensorValue(e.builder.value(tt.MakeRangeOp, [], e.ir_type(type_), properties), type_)


def full(e: Emitter, shape: Value, value: Value, dtype: Value, layout: Value) -> TensorValue:
    """Emit a constant tensor, or a splat of a scalar converted to `dtype`."""
    extents = creation.block_shape_of(shape)
    scalar = creation.scalar_of_type(e, value, creation.element_type(dtype))
    return splat(e, scalar, extents, _layout_or_auto(layout))


def splat(
    e: Emitter, scalar: TensorValue, shape: tuple[int, ...], layout: DistributedLayout
) -> TensorValue:
    """Create a tensor of a layout filled with a scalar; return the scalar for shape ()."""
    if not shape:
        return scalar
    type_ = distributed_type(scalar.dtype, shape, layout)
    return broadcasting.splat_to(e, scalar, type_)


def convert_layout(e: Emitter, value: Value, layout: Value, assert_trivial: Value) -> TensorValue:
    """Emit ttg.convert_layout.

    Raises:
        TypeMismatchError: `assert_trivial` is set and threads have to exchange elements.
    """
    source = arguments.tensor("value", value)
    type_ = tensor_type("convert_layout input", source)
    target = distributed_type(type_.element_ty, type_.shape, arguments.distributed_layout(layout))
    if assert_trivial and not _is_trivial(type_, target):
        raise TypeMismatchError(
            f"layout conversion from {type_.layout} to {target.layout} is not trivial.\n"
            f"The linear layouts are:\n{_linear(type_.layout, type_.shape)}\n"
            f"{_linear(target.layout, type_.shape)}",
            found=f"{type_.layout} and {target.layout}",
        )
    handle = e.builder.value(ttg.ConvertLayoutOp, [source.handle], e.ir_type(target))
    return TensorValue(handle, target)


def _is_trivial(source: distributed_type, target: distributed_type) -> bool:
    """Check whether a conversion moves elements between registers of a thread only."""
    one, other = source.encoding, target.encoding
    if one is other:
        return True
    if "unresolved" in (one.family, other.family):
        return False
    return moving_dims(one, other, source.shape) in ((), ("register",))


def set_auto_layout(e: Emitter, value: Value, layout: Value) -> TensorValue:
    """Emit gluon.set_auto_layout.

    Raises:
        TypeMismatchError: The tensor has a layout already.
    """
    source = arguments.tensor("value", value)
    target = layout
    if not isinstance(target, DistributedLayout):
        raise TypeMismatchError(
            f"set_auto_layout must set to a distributed layout but got {target}",
            found=describe(target),
        )
    current = tensor_type("set_auto_layout input", source).layout
    require(
        isinstance(current, AutoLayout),
        f"set_auto_layout input must have auto layout but got {current}",
        current,
    )
    return emitter.set_auto_layout(e, source, target)


def histogram(e: Emitter, input: Value, num_bins: Value, mask: Value, layout: Value) -> TensorValue:
    """Emit tt.histogram."""
    value = arguments.tensor("input", input)
    require(len(value.shape) == 1, "histogram only supports 1D input", value)
    require(value.dtype.is_int(), "histogram only supports integer input", value)
    require(layout is not None, "histogram requires a destination layout")
    bins = arguments.integer("num_bins", num_bins)
    handles = [value.handle]
    if mask is not None:
        mask_value, value = broadcasting.broadcast(e, e.to_value(mask), value)
        require(mask_value.dtype.is_bool(), "Mask must have boolean scalar type", mask_value)
        handles = [value.handle, mask_value.handle]
    type_ = distributed_type(dtypes.int32, [bins], arguments.distributed_layout(layout))
    return TensorValue(e.builder.value(tt.HistogramOp, handles, e.ir_type(type_)), type_)


def allocate_shared_memory(
    e: Emitter, element_ty: Value, shape: Value, layout: Value, value: Value
) -> SharedMemoryValue:
    """Emit ttg.local_alloc."""
    extents = arguments.integers("shape", shape)
    type_ = shared_memory_descriptor_type(
        arguments.element_type(element_ty), extents, arguments.shared_layout(layout), extents
    )
    operands = [] if value is None else [arguments.tensor("value", value).handle]
    handle = e.builder.value(ttg.LocalAllocOp, operands, shared_memory_ir_type(type_))
    return SharedMemoryValue(handle, type_)


def fp4_to_fp(e: Emitter, src: Value, elem_type: Value, axis: Value) -> TensorValue:
    """Emit ttg.fp4_to_fp."""
    source = arguments.tensor("src", src)
    type_ = tensor_type("fp4_to_fp input", source)
    element, dim = arguments.element_type(elem_type, "elem_type"), arguments.integer("axis", axis)
    rank = len(type_.shape)
    require(-rank <= dim < rank, f"fp4_to_fp axis {dim} must be < source rank ({rank})", dim)
    dim %= rank
    shape = [2 * n if other == dim else n for other, n in enumerate(type_.shape)]
    result = type_.derive(
        shape, lambda encoding: infer_unpack(encoding, type_.shape, dim)
    ).with_element_ty(element)
    properties = {"axis": attributes.integer(dim, types.i32)}
    handle = e.builder.value(ttg.Fp4ToFpOp, [source.handle], e.ir_type(result), properties)
    return TensorValue(handle, result)


def num_warps(e: GluonEmitter) -> int:
    """Return the number of warps of the current partition, or of the kernel."""
    return e.options.num_warps if e.partition_warps is None else e.partition_warps


def num_ctas(e: Emitter) -> int:
    """Return the number of CTAs of a program."""
    return e.options.num_ctas


def barrier(e: Emitter, cluster: Value) -> None:
    """Emit ttg.barrier, or an arrival at the cluster's barrier and a wait."""
    if e.options.num_ctas == 1 or not cluster:
        hints.debug_barrier(e)
        return
    properties = {"relaxed": attributes.boolean(False)}
    e.builder.create(ttng.ClusterArriveOp, properties=properties)
    e.builder.create(ttng.ClusterWaitOp)


def bank_conflicts(e: Emitter, distr_ty: Value, shared_ty: Value) -> int:
    """Count the bank conflicts of a store, per wavefront."""
    if not isinstance(distr_ty, distributed_type):
        raise TypeMismatchError(
            "bank_conflicts expects the register layout to be a distributed_type, got "
            f"{type(distr_ty)}",
            found=describe(distr_ty),
        )
    if not isinstance(shared_ty, shared_memory_descriptor_type):
        raise TypeMismatchError(
            "bank_conflicts expects the shared layout to be a shared_memory_descriptor_type, got "
            f"{type(shared_ty)}",
            found=describe(shared_ty),
        )
    registers, memory = distr_ty, shared_ty
    shape, whole = list(registers.shape), memory.alloc_shape
    require(
        shape == memory.shape,
        f"register shape {shape} and shared shape {memory.shape} must match",
    )
    require(
        memory.element_ty == registers.element_ty,
        f"mismatched dtypes between register ({registers.element_ty}) and shared "
        f"({memory.element_ty}) layouts",
    )
    require(
        memory.shape == whole[len(whole) - len(shape) :],
        f"bank_conflicts NYI for subslices. Got shape {memory.shape} and alloc_shape {whole}",
    )
    sizes = registers.shape
    return memdesc_bank_conflicts(
        registers.encoding.linear(sizes),
        memory.encoding.linear(sizes),
        memory.element_ty.primitive_bitwidth,
    )


def to_linear_layout(e: Emitter, layout: Value, shape: Value) -> Value:
    """Return a layout as a linear layout."""
    accepted = (DistributedLayout, SharedLayout, TensorMemoryLayout, TensorMemoryScalesLayout)
    if not isinstance(layout, accepted):
        raise TypeMismatchError(
            "Expected a DistributedLayout, SharedLayout, or TensorMemoryLayout or "
            f"TensorMemoryScalesLayout, got {type(layout)}",
            found=describe(layout),
        )
    return _linear(layout, arguments.integers("shape", shape))


def _linear(
    layout: DistributedLayout | SharedLayout | TensorMemoryLayout | TensorMemoryScalesLayout,
    shape: tuple[int, ...],
) -> Value:
    if isinstance(layout, AutoLayout | DistributedLinearLayout | SharedLinearLayout):
        return layout
    linear = layout.encoding.linear(shape)
    if isinstance(layout, DistributedLayout):
        encoding: LinearEncoding = linear_encoding(linear)
        groups = (encoding.register, encoding.lane, encoding.warp, encoding.block)
        registers, lanes, warps, blocks = ([list(v) for v in group] for group in groups)
        return DistributedLinearLayout(registers, lanes, warps, blocks, list(shape))
    vectors = {name: [list(linear.unpack(v)) for v in images] for name, images in linear.ins}
    if isinstance(layout, SharedLayout):
        offset, block = (tuple(map(tuple, vectors.get(name, ()))) for name in ("offset", "block"))
        return layout_of(SharedLinearEncoding(offset, shared_alignment(layout.encoding), block))
    return TensorMemoryLinearLayout(vectors["row"], vectors["col"], list(shape))


def dot_fma(e: Emitter, a: Value, b: Value, acc: Value) -> TensorValue:
    """Emit tt.dot on tensors whose layouts are those of a dot by multiply-adds."""
    left, right, accumulator = (
        arguments.tensor(name, value) for name, value in (("a", a), ("b", b), ("acc", acc))
    )
    layout = tensor_type("acc", accumulator).layout
    require(isinstance(layout, BlockedLayout), "acc must have a BlockedLayout", layout)
    check_operands(left, right, layout)
    (m, n), k = accumulator.shape, left.shape[1]
    if m * n * k > _LARGE_DOT:
        warn(
            f"Large dot FMA instruction size {m}x{n}x{k} may have slow compile times", stacklevel=2
        )
    return dot(e, left, right, accumulator)


def check_operands(a: TensorValue, b: TensorValue, layout: DistributedLayout) -> None:
    """Check that two tensors have the layouts of the operands of a dot.

    Args:
        a: The left operand.
        b: The right operand.
        layout: The layout of the result.

    Raises:
        TypeMismatchError: They have others.
    """
    for index, (name, value) in enumerate((("a", a), ("b", b))):
        operand = tensor_type(name, value).layout
        if not isinstance(operand, DotOperandLayout):
            raise TypeMismatchError(f"{name} must have a DotOperandLayout", found=operand)
        require(
            operand.parent.encoding is layout.encoding,
            f"{name}'s parent layout must be the same as acc's layout",
            operand,
        )
        require(operand.operand_index == index, f"{name}'s operand index must be {index}", operand)


def dot(
    e: Emitter, a: TensorValue, b: TensorValue, acc: TensorValue, input_precision: Value = None
) -> TensorValue:
    """Emit tt.dot, whose result has the accumulator's type."""
    if input_precision is None and e.options.backend == "hip":
        input_precision = "ieee"  # as of Gluon; tl.dot takes tf32 where the chip has it
    result = linear_algebra.dot(e, a, b, acc, input_precision, None, None, block_of(acc).element_ty)
    return TensorValue(result.handle, acc.type)


TABLE: dict[str, Callable[..., object]] = {
    "allocate_shared_memory": allocate_shared_memory,
    "arange": arange,
    "bank_conflicts": bank_conflicts,
    "barrier": barrier,
    "convert_layout": convert_layout,
    "dot_fma": dot_fma,
    "fp4_to_fp": fp4_to_fp,
    "full": full,
    "histogram": histogram,
    "num_ctas": num_ctas,
    "num_warps": num_warps,
    "set_auto_layout": set_auto_layout,
    "to_linear_layout": to_linear_layout,
}
