"""The functions of `gl.nvidia.blackwell`, but for TMA, and the methods of tensor memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.errors import TypeMismatchError
from weft.frontend.semantics.builtins.arithmetic import nan_propagation
from weft.frontend.semantics.builtins.block_pointers import integer_scalars
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.gluon import ampere, arguments
from weft.frontend.semantics.gluon.arguments import require
from weft.frontend.semantics.gluon.values import (
    BufferValue,
    SharedMemoryValue,
    TensorMemoryValue,
    shared_memory,
    tensor_memory,
    tensor_memory_ir_type,
)
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.gluon.layouts import TensorMemoryLayout
from weft.gluon.layouts.from_encoding import distributed_layout
from weft.gluon.types import distributed_type, tensor_memory_descriptor_type
from weft.ir import attributes, ttg, ttng, types
from weft.ir.builtin import Attribute, SSAValue
from weft.ir.enums import ScaleDotElemType
from weft.language import dtypes
from weft.language.propagate_nan import PropagateNan
from weft.layouts.inference import infer_reduce

_FORMATS = {
    "e2m1": ScaleDotElemType.E2M1,
    "e4m3": ScaleDotElemType.E4M3,
    "e5m2": ScaleDotElemType.E5M2,
}
_BLOCK_M_WITHOUT_SCALES = 64


def allocate_tensor_memory(
    e: Emitter, element_ty: Value, shape: Value, layout: Value, value: Value
) -> TensorMemoryValue:
    """Emit ttng.tmem_alloc."""
    sizes = arguments.integers("shape", shape)
    type_ = tensor_memory_descriptor_type(arguments.element_type(element_ty), sizes, layout, sizes)
    operands = [] if value is None else [arguments.tensor("value", value).handle]
    handle = e.builder.value(ttng.TMEMAllocOp, operands, tensor_memory_ir_type(type_))
    return TensorMemoryValue(handle, type_)


def tcgen05_copy(e: Emitter, src: Value, dst: Value) -> None:
    """Emit ttng.tmem_copy."""
    require(isinstance(src, SharedMemoryValue), "source must be a shared memory descriptor", src)
    require(
        isinstance(dst, TensorMemoryValue), "destination must be a tensor memory descriptor", dst
    )
    operands = [shared_memory("src", src).handle, tensor_memory("dst", dst).handle]
    e.builder.create(ttng.TMEMCopyOp, operands)


def _barriers(
    e: Emitter, mbarriers: Value, mbarrier_preds: Value
) -> tuple[list[SSAValue], list[SSAValue]]:
    """List the mbarriers of an MMA, and their predicates."""
    if mbarriers is None:
        require(mbarrier_preds is None, "mbarrier_preds needs mbarriers", mbarrier_preds)
        return [], []
    handles = ampere.handles("mbarriers", mbarriers)
    if mbarrier_preds is None:
        return handles, [e.to_value(True).handle] * len(handles)
    values = mbarrier_preds if isinstance(mbarrier_preds, tuple) else (mbarrier_preds,)
    return handles, [e.to_value(value).handle for value in values]


def tcgen05_mma(
    e: Emitter,
    a: Value,
    b: Value,
    acc: Value,
    use_acc: Value,
    pred: Value,
    multicast: Value,
    mbarriers: Value,
    mbarrier_preds: Value,
) -> None:
    """Emit ttng.tc_gen5_mma."""
    accumulator = tensor_memory("acc", acc)
    flag, predicate = e.to_value(use_acc), e.to_value(pred)
    barriers, predicates = _barriers(e, mbarriers, mbarrier_preds)
    operands = [
        _operand("a", a).handle,
        _operand("b", b).handle,
        accumulator.handle,
        flag.handle,
        predicate.handle,
        *barriers,
        *predicates,
    ]
    properties: dict[str, Attribute] = {
        "operandSegmentSizes": attributes.array_i32(
            (1, 1, 1, 0, 1, 1, len(barriers), len(predicates))
        )
    }
    if getattr(accumulator.type.layout, "two_ctas", False):
        properties["two_ctas"] = attributes.unit
    if multicast:
        properties["multicast"] = attributes.unit
    _create_mma(e, ttng.TCGen5MMAOp, operands, properties, barriers)


def _create_mma(
    e: Emitter,
    op: type[ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp],
    operands: Sequence[SSAValue],
    properties: dict[str, Attribute],
    barriers: Sequence[SSAValue],
) -> None:
    if barriers:
        properties["is_async"] = attributes.unit
    e.builder.create(op, operands, [ttg.async_token], properties)


def _operand(name: str, value: Value) -> BufferValue:
    if not isinstance(value, BufferValue):
        raise TypeMismatchError(
            f"expected {name} to be a buffer in shared or tensor memory but got {describe(value)}",
            found=describe(value),
        )
    return value


def tcgen05_mma_scaled(
    e: Emitter,
    a: Value,
    b: Value,
    acc: Value,
    a_scale: Value,
    b_scale: Value,
    a_type: Value,
    b_type: Value,
    use_acc: Value,
    pred: Value,
    mbarriers: Value,
    mbarrier_preds: Value,
) -> None:
    """Emit ttng.tc_gen5_mma_scaled."""
    accumulator = tensor_memory("acc", acc)
    flag, predicate = e.to_value(use_acc), e.to_value(pred)
    layout = accumulator.type.layout
    require(
        not isinstance(layout, TensorMemoryLayout) or layout.block[0] != _BLOCK_M_WITHOUT_SCALES,
        "tcgen05_mma_scaled does not support blockM=64",
        layout,
    )
    barriers, predicates = _barriers(e, mbarriers, mbarrier_preds)
    formats = {}
    for name, side, value in (("a_type", "lhs", a_type), ("b_type", "rhs", b_type)):
        if not isinstance(value, str) or value not in _FORMATS:
            raise TypeMismatchError(
                f"Unsupported {side}_format: {value}", found=describe(value), accepted=_FORMATS
            )
        formats[name] = _FORMATS[value].attr()
    operands = [
        _operand("a", a).handle,
        _operand("b", b).handle,
        accumulator.handle,
        tensor_memory("a_scale", a_scale).handle,
        tensor_memory("b_scale", b_scale).handle,
        flag.handle,
        predicate.handle,
        *barriers,
        *predicates,
    ]
    segments = attributes.array_i32((1, 1, 1, 0, 1, 1, 1, 1, len(barriers), len(predicates)))
    properties: dict[str, Attribute] = {"operandSegmentSizes": segments, **formats}
    _create_mma(e, ttng.TCGen5MMAScaledOp, operands, properties, barriers)


def tcgen05_commit(e: Emitter, barrier: Value, pred: Value, descs: Value) -> None:
    """Emit ttng.tc_gen5_commit."""
    predicate = e.to_value(pred)
    buffers = ampere.handles("descs", descs)
    operands = [shared_memory("barrier", barrier).handle, predicate.handle, *buffers]
    segments = attributes.array_i32((1, 1, len(buffers)))
    e.builder.create(ttng.TCGen5CommitOp, operands, properties={"operandSegmentSizes": segments})


def load(e: Emitter, self: TensorMemoryValue, layout: Value) -> TensorValue:
    """Emit ttng.tmem_load."""
    type_ = distributed_type(self.dtype, self.shape, arguments.distributed_layout(layout))
    op = e.builder.create(
        ttng.TMEMLoadOp, [self.handle], [e.ir_type(type_)],
        {"resultSegmentSizes": attributes.array_i32((1, 0, 0))},
    )  # fmt: skip
    return TensorValue(op.results[0], type_)


def load_min(
    e: Emitter, self: TensorMemoryValue, layout: Value, abs: Value, propagate_nan: Value
) -> tuple[TensorValue, TensorValue]:
    """Emit ttng.tmem_load with the minimum of each row."""
    return _load_and_reduce(e, self, layout, "min", abs, propagate_nan)


def load_max(
    e: Emitter, self: TensorMemoryValue, layout: Value, abs: Value, propagate_nan: Value
) -> tuple[TensorValue, TensorValue]:
    """Emit ttng.tmem_load with the maximum of each row."""
    return _load_and_reduce(e, self, layout, "max", abs, propagate_nan)


def _load_and_reduce(
    e: Emitter, memory: TensorMemoryValue, layout: Value, kind: str, abs: Value, nan: Value
) -> tuple[TensorValue, TensorValue]:
    type_ = distributed_type(memory.dtype, memory.shape, arguments.distributed_layout(layout))
    reduced = distributed_type(
        memory.dtype, memory.shape[:1], distributed_layout(infer_reduce(type_.encoding, 1))
    )
    properties: dict[str, Attribute] = {
        "resultSegmentSizes": attributes.array_i32((1, 0, 1)),
        "redOp": ttng.ReduceModifierAttr.of(kind),
    }
    if abs:
        properties["abs"] = attributes.boolean(True)
    if nan_propagation(nan) is PropagateNan.ALL:
        properties["NaN"] = attributes.boolean(True)
    op = e.builder.create(
        ttng.TMEMLoadOp, [memory.handle], [e.ir_type(type_), e.ir_type(reduced)], properties
    )
    return TensorValue(op.results[0], type_), TensorValue(op.results[1], reduced)


def store(e: Emitter, self: TensorMemoryValue, value: Value, pred: Value) -> None:
    """Emit ttng.tmem_store."""
    predicate = e.to_value(pred)
    source = arguments.tensor("value", value)
    require(
        list(source.shape) == self.shape,
        f"source shape {list(source.shape)} does not match destination shape {self.shape}",
    )
    require(
        source.dtype == self.dtype,
        f"source dtype {source.dtype} does not match destination dtype {self.dtype}",
    )
    operands = [self.handle, source.handle, predicate.handle]
    segments = attributes.array_i32((1, 0, 1, 1))
    e.builder.create(ttng.TMEMStoreOp, operands, properties={"operandSegmentSizes": segments})


def slice(e: Emitter, self: TensorMemoryValue, start: Value, length: Value) -> TensorMemoryValue:
    """Emit ttng.tmem_subslice."""
    require(isinstance(start, int), "start must be a constant int", start)
    require(isinstance(length, int), "length must be a constant int", length)
    first, size = arguments.integer("start", start), arguments.integer("length", length)
    layout = self.type.layout
    if not isinstance(layout, TensorMemoryLayout):
        raise TypeMismatchError("only a TensorMemoryLayout can be sliced", found=layout)
    rows, columns = layout.block
    sliced = TensorMemoryLayout(
        (rows, min(columns, size)), layout.col_stride, layout.cta_split_num, layout.two_ctas
    )
    type_ = tensor_memory_descriptor_type(
        self.dtype, [*self.shape[:-1], size], sliced, self.type.alloc_shape
    )
    properties = {"N": attributes.integer(first, types.i32)}
    handle = e.builder.value(
        ttng.TMEMSubSliceOp, [self.handle], tensor_memory_ir_type(type_), properties
    )
    return TensorMemoryValue(handle, type_)


def index(e: Emitter, self: TensorMemoryValue, index: Value) -> TensorMemoryValue:
    """Emit ttg.memdesc_index."""
    (number,) = integer_scalars(e, "index", (index,), dtypes.int32)
    shape = self.shape[1:]
    type_ = tensor_memory_descriptor_type(self.dtype, shape, self.type.layout, shape)
    handle = e.builder.value(
        ttg.MemDescIndexOp, [self.handle, number.handle], tensor_memory_ir_type(type_)
    )
    return TensorMemoryValue(handle, type_)


def _reinterpret(
    e: Emitter, self: TensorMemoryValue, dtype: Value, shape: Value, layout: Value
) -> TensorMemoryValue:
    """Emit ttg.memdesc_reinterpret."""
    sizes = arguments.integers("shape", shape)
    type_ = tensor_memory_descriptor_type(
        arguments.element_type(dtype, "dtype"), sizes, layout, sizes
    )
    handle = e.builder.value(ttg.MemDescReinterpretOp, [self.handle], tensor_memory_ir_type(type_))
    return TensorMemoryValue(handle, type_)


TABLE: dict[str, Callable[..., object]] = {
    **ampere.qualified(
        "nvidia.blackwell",
        (
            allocate_tensor_memory,
            tcgen05_commit,
            tcgen05_copy,
            tcgen05_mma,
            tcgen05_mma_scaled,
        ),
    ),
    **ampere.qualified(
        "tensor_memory_descriptor",
        (_reinterpret, index, load, load_max, load_min, slice, store),
    ),
}
