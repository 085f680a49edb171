"""Build the address arithmetic of a tile in a strided tensor: indices, pointers and masks.

For a tile of 8 × 4 elements at an offset in a 2-d tensor:

    index(offset, 0)         offset + [0 … 7], of size 1 along axis 1:          tensor<8x1xi64>
    pointers(base, …)        base + Σ index(axis) · stride(axis), broadcast:    tensor<8x4x!tt.ptr>
    in_bounds(index, bound)  0 ≤ index < bound, broadcast:                      tensor<8x4xi1>
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from weft.ir import arith, attributes, tt, types
from weft.ir.builtin import SSAValue
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import Builder

__all__ = ["TileAddressing"]


class TileAddressing(Struct, frozen=True):
    """Builds the operations that address a tile.

    Attributes:
        builder: Inserts the operations.
        sizes: The shape of the tile.
    """

    builder: Builder
    sizes: tuple[int, ...]

    def splat(self, value: SSAValue, shape: tuple[int, ...] | None = None) -> SSAValue:
        """Splat a scalar to a shape, by default that of the tile."""
        type_ = types.tensor(self.sizes if shape is None else shape, value.type)
        return self.builder.value(tt.SplatOp, [value], type_)

    def broadcast(self, value: SSAValue) -> SSAValue:
        """Broadcast a tensor to the shape of the tile."""
        type_ = types.tensor(self.sizes, types.element(value.type))
        return self.builder.value(tt.BroadcastOp, [value], type_)

    def index(self, offset: SSAValue, axis: int) -> SSAValue:
        """Compute the indices of the tile along an axis, from an i64 offset on."""
        size = self.sizes[axis]
        start = self.splat(offset, (size,))
        bounds = {
            "start": attributes.integer(0, types.i32),
            "end": attributes.integer(size, types.i32),
        }
        narrow = self.builder.value(tt.MakeRangeOp, [], types.tensor((size,), types.i32), bounds)
        wide = self.builder.value(arith.ExtSIOp, [narrow], start.type)
        index: SSAValue = self.builder.value(arith.AddIOp, [start, wide], start.type)
        for other in range(len(self.sizes)):
            if other != axis:
                index = self.expand_dims(index, other)
        return index

    def expand_dims(self, value: SSAValue, axis: int) -> SSAValue:
        """Insert an axis of size 1."""
        shape = list(types.shape(value.type))
        shape.insert(axis, 1)
        type_ = types.tensor(tuple(shape), types.element(value.type))
        where = {"axis": attributes.integer(axis, types.i32)}
        return self.builder.value(tt.ExpandDimsOp, [value], type_, where)

    def pointers(
        self, base: SSAValue, strides: Sequence[SSAValue], indices: Iterable[SSAValue]
    ) -> SSAValue:
        """Compute base + Σ index · stride.

        `indices` is consumed one by one, so that a generator creates each index next to its use.
        """
        pointers = self.splat(base)
        for stride, index in zip(strides, indices, strict=True):
            steps = self.splat(stride, types.shape(index.type))
            distance = self.builder.value(arith.MulIOp, [index, steps], index.type)
            operands = [pointers, self.broadcast(distance)]
            pointers = self.builder.value(tt.AddPtrOp, operands, pointers.type)
        return pointers

    def in_bounds(self, index: SSAValue, bound: SSAValue) -> SSAValue:
        """Compute 0 ≤ index < bound for an i64 bound."""
        shape = types.shape(index.type)
        condition = types.tensor(shape, types.i1)

        def compare(predicate: CmpIPredicate, limit: SSAValue) -> SSAValue:
            properties = {"predicate": predicate.attr()}
            return self.builder.value(arith.CmpIOp, [index, limit], condition, properties)

        zero = self.splat(self.builder.constant(0, types.i64), shape)
        above = compare(CmpIPredicate.SGE, zero)
        below = compare(CmpIPredicate.SLT, self.splat(bound, shape))
        return self.broadcast(self.builder.value(arith.AndIOp, [above, below], condition))

    def mask(self, checks: Iterable[tuple[SSAValue, SSAValue]]) -> SSAValue | None:
        """Compute the conjunction of `in_bounds` over (index, bound) pairs, None for no pair."""
        mask: SSAValue | None = None
        for index, bound in checks:
            check = self.in_bounds(index, bound)
            if mask is not None:
                check = self.builder.value(arith.AndIOp, [mask, check], mask.type)
            mask = check
        return mask
