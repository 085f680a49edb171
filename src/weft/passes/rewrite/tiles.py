"""Address arithmetic of a tile in a strided tensor: indices, pointers and bounds.

index(axis)   offset + 0 … size-1 along one axis, of size 1 along the others:   tensor<8x1xi64>
pointers      base + Σ index(axis) · stride(axis), each term grown to the tile: tensor<8x4x!tt.ptr>
within(axis)  0 ≤ index(axis) < bound(axis), grown to the tile:                 tensor<8x4xi1>
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weft.ir import arith, attributes, tt, types
from weft.ir.builtin import SSAValue
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import Builder

__all__ = ["TileArithmetic"]


@dataclass(frozen=True, slots=True)
class TileArithmetic:
    """Make the operations at a builder's place, for a tile of some sizes."""

    builder: Builder
    sizes: tuple[int, ...]

    def splat(self, value: SSAValue, shape: tuple[int, ...] | None = None) -> SSAValue:
        """Fill a tensor (by default of the tile's sizes) with a scalar."""
        type_ = types.tensor(self.sizes if shape is None else shape, value.type)
        return self.builder.value(tt.SplatOp, [value], type_)

    def grown(self, value: SSAValue) -> SSAValue:
        """Repeat a tensor to the tile's sizes."""
        type_ = types.tensor(self.sizes, types.element(value.type))
        return self.builder.value(tt.BroadcastOp, [value], type_)

    def index(self, offset: SSAValue, axis: int) -> SSAValue:
        """Return the tile's indices along an axis, from an i64 offset on."""
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
                index = self.expanded(index, other)
        return index

    def expanded(self, value: SSAValue, axis: int) -> SSAValue:
        """Insert an axis of size 1."""
        shape = list(types.shape(value.type))
        shape.insert(axis, 1)
        type_ = types.tensor(tuple(shape), types.element(value.type))
        where = {"axis": attributes.integer(axis, types.i32)}
        return self.builder.value(tt.ExpandDimsOp, [value], type_, where)

    def pointers(
        self, base: SSAValue, strides: Sequence[SSAValue], indices: Iterable[SSAValue]
    ) -> SSAValue:
        """Return base + Σ index · stride; each index is made when its turn comes."""
        pointers = self.splat(base)
        for stride, index in zip(strides, indices, strict=True):
            steps = self.splat(stride, types.shape(index.type))
            distance = self.builder.value(arith.MulIOp, [index, steps], index.type)
            operands = [pointers, self.grown(distance)]
            pointers = self.builder.value(tt.AddPtrOp, operands, pointers.type)
        return pointers

    def within(self, index: SSAValue, bound: SSAValue) -> SSAValue:
        """Return where an index is from 0 to below an i64 bound."""
        shape = types.shape(index.type)
        truth = types.tensor(shape, types.i1)

        def compare(predicate: CmpIPredicate, limit: SSAValue) -> SSAValue:
            properties = {"predicate": predicate.attr()}
            return self.builder.value(arith.CmpIOp, [index, limit], truth, properties)

        zero = self.splat(self.builder.constant(0, types.i64), shape)
        above = compare(CmpIPredicate.SGE, zero)
        below = compare(CmpIPredicate.SLT, self.splat(bound, shape))
        return self.grown(self.builder.value(arith.AndIOp, [above, below], truth))

    def mask(self, checks: Iterable[tuple[SSAValue, SSAValue]]) -> SSAValue | None:
        """Return where every (index, bound) holds, None where there is none."""
        mask: SSAValue | None = None
        for index, bound in checks:
            here = self.within(index, bound)
            if mask is not None:
                here = self.builder.value(arith.AndIOp, [mask, here], mask.type)
            mask = here
        return mask
