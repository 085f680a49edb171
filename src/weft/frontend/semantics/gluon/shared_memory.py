"""The methods of a buffer in shared memory."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.gluon import arguments
from weft.frontend.semantics.gluon.arguments import require
from weft.frontend.semantics.gluon.emitter import tensor_type
from weft.frontend.semantics.gluon.values import SharedMemoryValue, shared_memory_ir_type
from weft.frontend.semantics.values import TensorValue, Value
from weft.gluon.layouts.from_encoding import shared_layout
from weft.gluon.types import distributed_type, shared_memory_descriptor_type
from weft.ir import attributes, ttg, types
from weft.ir.operation import Op
from weft.language import dtypes
from weft.layouts import Encoding
from weft.layouts.memdesc_inference import infer_memdesc_reshape, infer_memdesc_trans


def load(e: Emitter, self: SharedMemoryValue, layout: Value) -> TensorValue:
    """Emit ttg.local_load."""
    type_ = distributed_type(self.dtype, self.shape, arguments.distributed_layout(layout))
    return TensorValue(e.builder.value(ttg.LocalLoadOp, [self.handle], e.ir_type(type_)), type_)


def store(e: Emitter, self: SharedMemoryValue, value: Value) -> None:
    """Emit ttg.local_store."""
    source = arguments.tensor("value", value)
    require(
        list(source.shape) == self.shape,
        f"source shape {list(source.shape)} and destination shape {self.shape} must match",
    )
    require(
        source.dtype == self.dtype,
        f"source dtype {source.dtype} and destination dtype {self.dtype} must match",
    )
    e.builder.create(ttg.LocalStoreOp, [source.handle, self.handle])


def gather(e: Emitter, self: SharedMemoryValue, indices: Value, axis: Value) -> TensorValue:
    """Emit ttg.local_gather."""
    index, dim = _indices(self, indices, axis)
    type_ = tensor_type("indices", index).with_element_ty(self.dtype)
    properties = {"axis": attributes.integer(dim, types.i32)}
    operands = [self.handle, index.handle]
    handle = e.builder.value(ttg.LocalGatherOp, operands, e.ir_type(type_), properties)
    return TensorValue(handle, type_)


def scatter(
    e: Emitter, self: SharedMemoryValue, values: Value, indices: Value, axis: Value
) -> None:
    """Emit ttg.local_scatter."""
    source = arguments.tensor("values", values)
    index, dim = _indices(self, indices, axis)
    require(
        source.shape == index.shape,
        f"values must have the same shape as indices: got {list(source.shape)} and "
        f"{list(index.shape)}",
    )
    require(
        tensor_type("values", source).encoding is tensor_type("indices", index).encoding,
        "values must have the same layout as indices",
    )
    require(
        source.dtype == self.dtype,
        f"values element type must match destination element type: got {source.dtype} and "
        f"{self.dtype}",
    )
    properties = {"axis": attributes.integer(dim, types.i32)}
    operands = [self.handle, source.handle, index.handle]
    e.builder.create(ttg.LocalScatterOp, operands, properties=properties)


def _indices(memory: SharedMemoryValue, indices: Value, axis: Value) -> tuple[TensorValue, int]:
    index, dim = arguments.tensor("indices", indices), arguments.integer("axis", axis)
    rank = len(memory.shape)
    require(
        len(index.shape) == rank,
        f"indices rank must match memdesc rank: got {len(index.shape)} and {rank}",
    )
    require(0 <= dim < rank, f"axis {dim} is out of bounds for memdesc rank {rank}")
    require(index.dtype.is_int(), f"indices must have integer dtype, got {index.dtype}")
    return index, dim


def slice(
    e: Emitter, self: SharedMemoryValue, start: Value, length: Value, dim: Value
) -> SharedMemoryValue:
    """Emit ttg.memdesc_subslice."""
    first, size = arguments.integer("start", start), arguments.integer("length", length)
    axis, rank = arguments.integer("dim", dim), len(self.shape)
    require(-rank <= axis < rank, f"dim {axis} is out of bounds for memdesc rank {rank}")
    axis %= rank
    shape = [size if other == axis else n for other, n in enumerate(self.shape)]
    offsets = [first if other == axis else 0 for other in range(rank)]
    type_ = shared_memory_descriptor_type(
        self.dtype, shape, self.type.layout, self.type.alloc_shape
    )
    return _view(
        e,
        ttg.MemDescSubsliceOp,
        self,
        type_,
        {"offsets": attributes.array_i32(tuple(offsets))},
    )


def index(e: Emitter, self: SharedMemoryValue, index: Value) -> SharedMemoryValue:
    """Emit ttg.memdesc_index."""
    row = e.to_value(index)
    require(row.type == dtypes.int32, f"expected 'index' to be int32 but got {row.type}", row)
    shape = self.shape[1:]
    type_ = shared_memory_descriptor_type(self.dtype, shape, self.type.layout, shape)
    handle = e.builder.value(
        ttg.MemDescIndexOp, [self.handle, row.handle], shared_memory_ir_type(type_)
    )
    return SharedMemoryValue(handle, type_)


def permute(e: Emitter, self: SharedMemoryValue, order: Value) -> SharedMemoryValue:
    """Emit ttg.memdesc_trans."""
    dims = arguments.integers("order", order)
    rank = len(self.shape)
    require(
        len(dims) == rank, f"source rank ({rank}) and order length ({len(dims)}) must match", dims
    )
    require(
        sorted(dims) == list(range(rank)), "order must be a permutation of the dimensions", dims
    )
    whole = self.type.alloc_shape
    prefix, last = whole[: len(whole) - rank], whole[len(whole) - rank :]
    return _derived_view(
        e,
        ttg.MemDescTransOp,
        self,
        [self.shape[dim] for dim in dims],
        [*prefix, *(last[dim] for dim in dims)],
        infer_memdesc_trans(self.type.encoding, dims, tuple(self.shape)),
        {"order": attributes.array_i32(dims)},
    )


def reshape(e: Emitter, self: SharedMemoryValue, shape: Value) -> SharedMemoryValue:
    """Emit ttg.memdesc_reshape."""
    sizes = arguments.integers("shape", shape)
    require(
        prod(sizes) == prod(self.shape),
        f"memdesc_reshape total elements mismatch: {self.shape} -> {list(sizes)}",
    )
    whole = self.type.alloc_shape
    return _derived_view(
        e,
        ttg.MemDescReshapeOp,
        self,
        list(sizes),
        [*whole[: len(whole) - len(self.shape)], *sizes],
        infer_memdesc_reshape(self.type.encoding, tuple(self.shape), sizes),
        {},
    )


def _derived_view(
    e: Emitter,
    op: type[Op],
    memory: SharedMemoryValue,
    shape: list[int],
    alloc_shape: list[int],
    encoding: Encoding,
    properties: dict[str, attributes.Attribute],
) -> SharedMemoryValue:
    """Emit a view whose layout is inferred."""
    layout = shared_layout(encoding)
    type_ = shared_memory_descriptor_type(memory.dtype, shape, layout, alloc_shape)
    return _view(e, op, memory, type_, properties)


def _view(
    e: Emitter,
    op: type[Op],
    memory: SharedMemoryValue,
    type_: shared_memory_descriptor_type,
    properties: dict[str, attributes.Attribute] | None = None,
) -> SharedMemoryValue:
    ir_type = shared_memory_ir_type(type_)
    return SharedMemoryValue(e.builder.value(op, [memory.handle], ir_type, properties), type_)


def _reinterpret(
    e: Emitter, self: SharedMemoryValue, dtype: Value, shape: Value, layout: Value
) -> SharedMemoryValue:
    """Emit ttg.memdesc_reinterpret."""
    sizes = arguments.integers("shape", shape)
    type_ = shared_memory_descriptor_type(
        arguments.element_type(dtype, "dtype"), sizes, arguments.shared_layout(layout), sizes
    )
    return _view(e, ttg.MemDescReinterpretOp, self, type_)


def _keep_alive(e: Emitter, self: SharedMemoryValue) -> None:
    """Emit ttg.local_dealloc."""
    e.builder.create(ttg.LocalDeallocOp, [self.handle])


_METHODS: dict[str, Callable[..., object]] = {
    "_keep_alive": _keep_alive,
    "_reinterpret": _reinterpret,
    "gather": gather,
    "index": index,
    "load": load,
    "permute": permute,
    "reshape": reshape,
    "scatter": scatter,
    "slice": slice,
    "store": store,
}
TABLE = {f"shared_memory_descriptor.{name}": method for name, method in _METHODS.items()}
