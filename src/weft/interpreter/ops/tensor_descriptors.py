"""Block pointers and tensor descriptors: tiles of a strided tensor in memory.

A block pointer is the bundle (base, *shape, *strides, *offsets) of tt.make_tensor_ptr; a tensor
descriptor is (base, flags, *shape, *strides). Element (i, j) of the tile at offsets o is at
base + (o₀ + i)·stride₀ + (o₁ + j)·stride₁, and in bounds if 0 ≤ o + i < shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from xdsl.ir import Attribute, Operation

from weft.interpreter.dtypes import I64, dtype_of
from weft.interpreter.element_access import make_load, make_store
from weft.interpreter.ops.atomics import make_read_modify_write
from weft.interpreter.program_batch import Batch
from weft.interpreter.registry import Evaluate, effect, pure
from weft.interpreter.rounding import tf32
from weft.interpreter.values import (
    PADS_WITH_NAN,
    ROUNDS_TO_TF32,
    AffineTensor,
    Bundle,
    Value,
    along,
    dense,
    extent,
)
from weft.ir import tt, types
from weft.ir.attributes import array_values
from weft.ir.enums import DescriptorReduceKind, PaddingOption, RMWOp


def tile_addresses(
    base: np.ndarray,
    strides: Sequence[np.ndarray],
    offsets: Sequence[np.ndarray],
    shape: tuple[int, ...],
    size: int,
) -> np.ndarray | AffineTensor:
    """Compute the address of each element of a tile; `size` is the bytes of an element."""
    rank = len(shape)
    ones = (1,) * rank
    start = base.reshape(-1, *ones)
    for stride, offset in zip(strides, offsets, strict=True):
        start = start + (offset.astype(I64) * stride.astype(I64) * size).reshape(-1, *ones)
    if all(stride.size == 1 for stride in strides):
        slope = tuple(int(stride.item()) * size for stride in strides)
        strides_ = tuple(s if n > 1 else 0 for s, n in zip(slope, shape, strict=True))
        return AffineTensor(start, strides_, shape, I64)
    for axis, stride in enumerate(strides):
        steps = along(np.arange(shape[axis], dtype=I64) * size, axis, rank)
        start = start + steps * stride.astype(I64).reshape(-1, *ones)
    return start


def in_bounds_mask(
    sizes: Sequence[np.ndarray],
    offsets: Sequence[np.ndarray],
    shape: tuple[int, ...],
    axes: Iterable[int],
) -> np.ndarray | None:
    """Compute the mask of the elements of a tile in bounds of the tensor, None if all are."""
    mask: np.ndarray | None = None
    for axis in axes:
        offset, size = offsets[axis].astype(I64), sizes[axis].astype(I64)
        low, high = extent(offset)
        if low >= 0 and high + shape[axis] <= extent(size)[0]:
            continue
        ones = (1,) * len(shape)
        index = offset.reshape(-1, *ones) + along(np.arange(shape[axis]), axis, len(shape))
        along_axis = (index >= 0) & (index < size.reshape(-1, *ones))
        mask = along_axis if mask is None else mask & along_axis
    return mask


def padding_value(nan: bool, element: Attribute, rank: int) -> np.ndarray:
    """Construct the value of elements out of bounds: NaN or zero."""
    return np.full((1,) * (rank + 1), np.nan if nan else 0).astype(dtype_of(element))


@pure(tt.MakeTensorPtrOp)
def make_tensor_ptr(op: Operation) -> Evaluate:
    """Bundle base, shape, strides and offsets."""
    return lambda *operands: Bundle(operands)


@pure(tt.AdvanceOp)
def advance(op: Operation) -> Evaluate:
    """Add to the offsets of a block pointer."""
    rank = len(op.operands) - 1

    def advance_block(block: Bundle, *steps: np.ndarray) -> Bundle:
        offsets = (a + b for a, b in zip(block[-rank:], steps, strict=True))
        return Bundle((*block[:-rank], *offsets))

    return advance_block


def _parts(block: Bundle, rank: int) -> tuple[np.ndarray, Bundle, Bundle, Bundle]:
    base, rest = dense(block[0]), block[1:]
    return base, rest[:rank], rest[rank : 2 * rank], rest[2 * rank :]  # pyright: ignore


def load(op: Operation, tile: Attribute) -> Evaluate:
    """Load through a block pointer; elements out of bounds are the padding, zero by default."""
    shape, element = types.shape(tile), types.element(tile)
    read, rank = make_load(op, element), len(shape)
    checked = array_values(op.properties.get("boundaryCheck"))
    padding = op.properties.get("padding")
    nan = padding is not None and PaddingOption.of(padding) is PaddingOption.NAN
    size = dtype_of(element).itemsize

    def run(batch: Batch, block: Bundle) -> np.ndarray:
        base, sizes, strides, offsets = _parts(block, rank)
        addresses = tile_addresses(base, strides, offsets, shape, size)
        mask = in_bounds_mask(sizes, offsets, shape, checked)
        return read(batch, addresses, mask, padding_value(nan, element, rank), shape)

    return run


def store(op: Operation, tile: Attribute) -> Evaluate:
    """Store through a block pointer, only in bounds along the checked axes."""
    shape, element = types.shape(tile), types.element(tile)
    write, rank = make_store(op, element), len(shape)
    checked = array_values(op.properties.get("boundaryCheck"))
    size = dtype_of(element).itemsize

    def run(batch: Batch, block: Bundle, value: Value) -> None:
        base, sizes, strides, offsets = _parts(block, rank)
        addresses = tile_addresses(base, strides, offsets, shape, size)
        write(batch, addresses, value, in_bounds_mask(sizes, offsets, shape, checked), shape)

    return run


@pure(tt.MakeTensorDescOp)
def make_tensor_descriptor(op: Operation) -> Evaluate:
    """Bundle base, flags, shape and strides."""
    nan = PaddingOption.of(op.properties["padding"]) is PaddingOption.NAN
    flags = np.array([PADS_WITH_NAN * nan])
    return lambda base, *rest: Bundle((base, flags, *rest))


class Tile:
    """The tile type of a descriptor, and the addresses and masks of its tiles."""

    def __init__(self, descriptor: Attribute) -> None:
        if not isinstance(descriptor, types.TensorDescType):
            raise TypeError(f"{descriptor} is not a tensor descriptor")
        block = descriptor.block_type
        self.shape, self.element = types.shape(block), types.element(block)
        self.rank, self.size = len(self.shape), dtype_of(self.element).itemsize

    def at(
        self, block: Bundle, indices: Sequence[np.ndarray]
    ) -> tuple[np.ndarray | AffineTensor, np.ndarray | None]:
        """Compute addresses and mask of the tile at some indices."""
        sizes, strides = block[2 : 2 + self.rank], block[2 + self.rank :]
        addresses = tile_addresses(block[0], strides, indices, self.shape, self.size)
        return addresses, in_bounds_mask(sizes, indices, self.shape, range(self.rank))

    def rows(
        self, block: Bundle, x: Value, y: np.ndarray, count: int
    ) -> tuple[np.ndarray | AffineTensor, np.ndarray, tuple[int, int]]:
        """Compute addresses, mask and shape of the rows x from column y on."""
        (height, width), (step, stride) = block[2:4], block[4:6]
        rows, shape = dense(x).astype(I64)[..., None], (count, self.shape[1])
        first = dense(block[0]).reshape(-1, 1, 1) + rows * step.reshape(-1, 1, 1) * self.size
        zero = np.zeros(1, I64)
        columns = tile_addresses(zero, [zero, stride], [zero, y], shape, self.size)
        mask = (rows >= 0) & (rows < height.reshape(-1, 1, 1))
        across = in_bounds_mask([height, width], [zero, y], shape, [1])
        mask = mask if across is None else mask & across
        if isinstance(columns, AffineTensor):
            return columns.like(first + columns.base), mask, shape
        return first + columns, mask, shape


def _rounded(value: np.ndarray, flags: int) -> np.ndarray:
    """Round loaded elements if the descriptor's flags say so."""
    return tf32(np.ascontiguousarray(value)) if flags & ROUNDS_TO_TF32 else value


def make_tile_load(
    op: Operation, tile: Tile, shape: tuple[int, ...]
) -> Callable[[Batch, Bundle, Sequence[np.ndarray]], np.ndarray]:
    """Make f(batch, descriptor, indices), which loads the tile at some indices.

    Args:
        op: The operation that loads.
        tile: The tile type of the descriptor.
        shape: The shape of the result; it has as many elements as the tile.
    """
    read = make_load(op, tile.element)

    def run(batch: Batch, block: Bundle, indices: Sequence[np.ndarray]) -> np.ndarray:
        addresses, mask = tile.at(block, indices)
        flags = int(block[1][0])
        filler = padding_value(bool(flags & PADS_WITH_NAN), tile.element, tile.rank)
        value = _rounded(read(batch, addresses, mask, filler, tile.shape), flags)
        if shape == tile.shape:
            return value
        return np.broadcast_to(value, (value.shape[0], *tile.shape)).reshape(-1, *shape)

    return run


def make_row_load(
    op: Operation, tile: Tile, count: int
) -> Callable[[Batch, Bundle, Value, np.ndarray], np.ndarray]:
    """Make f(batch, descriptor, x, y), which loads the `count` rows x from column y on."""
    read = make_load(op, tile.element)

    def run(batch: Batch, block: Bundle, x: Value, y: np.ndarray) -> np.ndarray:
        addresses, mask, shape = tile.rows(block, x, y, count)
        flags = int(block[1][0])
        filler = padding_value(bool(flags & PADS_WITH_NAN), tile.element, 2)
        return _rounded(read(batch, addresses, mask, filler, shape), flags)

    return run


@effect(tt.DescriptorLoadOp)
def descriptor_load(op: Operation) -> Evaluate:
    """Load the tile at some indices."""
    read = make_tile_load(op, Tile(op.operands[0].type), types.shape(op.results[0].type))
    return lambda batch, block, *indices: read(batch, block, indices)


def reshape_to_tile(value: Value, tile: Tile, shape: tuple[int, ...]) -> np.ndarray:
    """Reshape a tensor of some shape to that of a tile."""
    array = dense(value)
    if shape == tile.shape:
        return array
    return np.broadcast_to(array, (array.shape[0], *shape)).reshape(-1, *tile.shape)


@effect(tt.DescriptorStoreOp)
def descriptor_store(op: Operation) -> Evaluate:
    """Store the tile at some indices, only in bounds."""
    tile, shape = Tile(op.operands[0].type), types.shape(op.operands[1].type)
    write = make_store(op, tile.element)

    def run(batch: Batch, block: Bundle, value: Value, *indices: np.ndarray) -> None:
        addresses, mask = tile.at(block, indices)
        write(batch, addresses, reshape_to_tile(value, tile, shape), mask, tile.shape)

    return run


_REDUCE = {
    DescriptorReduceKind.MIN: RMWOp.MIN,
    DescriptorReduceKind.MAX: RMWOp.MAX,
    DescriptorReduceKind.AND: RMWOp.AND,
    DescriptorReduceKind.OR: RMWOp.OR,
    DescriptorReduceKind.XOR: RMWOp.XOR,
}
_REDUCE_UNSIGNED = _REDUCE | {
    DescriptorReduceKind.MIN: RMWOp.UMIN,
    DescriptorReduceKind.MAX: RMWOp.UMAX,
}


def make_combine(op: Operation, tile: Tile) -> Evaluate:
    """Make f(batch, addresses, value, mask, shape), which combines a tile with memory."""
    kind = DescriptorReduceKind.of(op.properties["kind"])
    add = RMWOp.FADD if types.is_float(tile.element) else RMWOp.ADD
    table = _REDUCE_UNSIGNED if types.is_unsigned(tile.element) else _REDUCE
    return make_read_modify_write(op, tile.element, table.get(kind, add), wants_old=False)


@effect(tt.DescriptorReduceOp)
def descriptor_reduce(op: Operation) -> Evaluate:
    """Combine a tile with memory at some indices."""
    tile, shape = Tile(op.operands[0].type), types.shape(op.operands[1].type)
    combine = make_combine(op, tile)

    def run(batch: Batch, block: Bundle, value: Value, *indices: np.ndarray) -> None:
        addresses, mask = tile.at(block, indices)
        combine(batch, addresses, reshape_to_tile(value, tile, shape), mask, tile.shape)

    return run


@effect(tt.DescriptorGatherOp)
def descriptor_gather(op: Operation) -> Evaluate:
    """Load the rows x from one column on."""
    return make_row_load(op, Tile(op.operands[0].type), types.shape(op.operands[1].type)[0])


@effect(tt.DescriptorScatterOp)
def descriptor_scatter(op: Operation) -> Evaluate:
    """Store the rows x from one column on."""
    tile, count = Tile(op.operands[0].type), types.shape(op.operands[1].type)[0]
    write = make_store(op, tile.element)

    def run(batch: Batch, block: Bundle, x: Value, y: np.ndarray, value: Value) -> None:
        addresses, mask, shape = tile.rows(block, x, y, count)
        write(batch, addresses, value, mask, shape)

    return run
