"""Replace block pointers by tensors of pointers and masks (`triton-rewrite-tensor-pointer`).

Before:  %p = tt.make_tensor_ptr %base, [%n], [%stride], [%at] : <tensor<64xf16>>
         %x = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf16>>
After:   %o = arith.extsi %at : i32 to i64
         %i = (tt.splat %o) + (tt.make_range 0 to 64) : tensor<64xi64>
         %q = tt.addptr (tt.splat %base), %i * (tt.splat %stride)
         %x = tt.load %q, %i >= 0 & %i < %n

A block pointer is the bundle of its base, shape, strides and offsets; only the offsets change, so
loops and ifs that carry block pointers carry offsets instead.
Keeps: which elements are read and written, and the order of effects.
Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from weft.errors import PassError
from weft.ir import arith, attributes, locations, scf, tt, types
from weft.ir.builtin import Attribute, Block, ModuleOp, Operation, Region, SSAValue
from weft.ir.enums import CmpIPredicate, PaddingOption
from weft.ir.rewriting import Builder, erase

__all__ = ["RewriteTensorPointer"]


@dataclass(frozen=True, slots=True)
class RewriteTensorPointer:
    """Post: no block pointer is left.  Raises: PassError: one in a while loop, branch or call."""

    name: ClassVar[str] = "triton-rewrite-tensor-pointer"

    def run(self, module: ModuleOp) -> None:
        """Rewrite block pointers in place."""
        if any(isinstance(op, tt.MakeTensorPtrOp) for op in module.walk()):
            rewrite = _Rewrite()
            rewrite.region(module.body)
            for op in reversed(rewrite.replaced):
                erase(op)


@dataclass(frozen=True, slots=True)
class _Tile:
    """What a block pointer is a bundle of; sizes: those of its tile."""

    base: SSAValue
    shape: tuple[SSAValue, ...]
    strides: tuple[SSAValue, ...]
    offsets: tuple[SSAValue, ...]
    sizes: tuple[int, ...]


def _is_block_pointer(type_: Attribute) -> bool:
    return types.is_pointer(type_) and types.is_tensor(type_.pointee)


class _Rewrite:
    """The block pointers met so far, and the operations that became superfluous."""

    def __init__(self) -> None:
        self.tiles: dict[SSAValue, _Tile] = {}
        self.replaced: list[Operation] = []

    def region(self, region: Region) -> None:
        for block in tuple(region.blocks):
            for op in tuple(block.ops):
                self.operation(op)

    def operation(self, op: Operation) -> None:
        rule = _RULES.get(type(op))
        if rule is not None:
            rule(self, op)
            return
        for value in (*op.operands, *op.results, *(a for r in op.regions for a in _arguments(r))):
            if _is_block_pointer(value.type):
                raise PassError(
                    f"a block pointer cannot go through {op.name}",
                    location=locations.position(op.location),
                    found=op.name,
                    accepted=["tt.load", "tt.store", "tt.advance", "scf.for", "scf.if"],
                )
        for inner in op.regions:
            self.region(inner)

    def tile(self, pointer: SSAValue, op: Operation) -> _Tile:
        tile = self.tiles.get(pointer)
        if tile is None:
            raise PassError(
                "a block pointer whose tt.make_tensor_ptr is not in this function",
                location=locations.position(op.location),
                found=op.name,
            )
        return tile

    def expanded(self, values: tuple[SSAValue, ...], op: Operation) -> list[SSAValue]:
        """Return values with the offsets of block pointers in their place."""
        found: list[SSAValue] = []
        for value in values:
            if _is_block_pointer(value.type):
                found += self.tile(value, op).offsets
            else:
                found.append(value)
        return found

    def bind(
        self, old: tuple[SSAValue, ...], tiles: list[_Tile | None], new: tuple[SSAValue, ...]
    ) -> None:
        """Let new values stand for old ones: one for each, or the offsets of a block pointer."""
        fresh = iter(new)
        for value, tile in zip(old, tiles, strict=True):
            if tile is None:
                value.replace_all_uses_with(next(fresh))
            else:
                offsets = tuple(next(fresh) for _ in tile.offsets)
                self.tiles[value] = replace(tile, offsets=offsets)


def _arguments(region: Region) -> list[SSAValue]:
    return [argument for block in region.blocks for argument in block.args]


def _make(rewrite: _Rewrite, op: Operation) -> None:
    assert isinstance(op, tt.MakeTensorPtrOp)
    builder = Builder().before(op)
    offsets = tuple(builder.value(arith.ExtSIOp, [o], types.i64) for o in op.offsets)
    pointer: Any = op.results[0].type
    sizes = types.shape(pointer.pointee)
    rewrite.tiles[op.results[0]] = _Tile(
        op.operands[0], tuple(op.shape), tuple(op.strides), offsets, sizes
    )
    rewrite.replaced.append(op)


def _advance(rewrite: _Rewrite, op: Operation) -> None:
    builder = Builder().before(op)
    pointer, *steps = op.operands
    tile = rewrite.tile(pointer, op)
    moved: list[SSAValue] = []
    for offset, step in zip(tile.offsets, steps, strict=True):
        wide = builder.value(arith.ExtSIOp, [step], types.i64)
        moved.append(builder.value(arith.AddIOp, [offset, wide], types.i64))
    rewrite.tiles[op.results[0]] = replace(tile, offsets=tuple(moved))
    rewrite.replaced.append(op)


class _Access:
    """The pointers, mask and padding of one load or store."""

    def __init__(self, tile: _Tile, op: Operation) -> None:
        self.tile = tile
        self.builder = Builder().before(op)
        self.indices: list[SSAValue] = []

    def _splat(self, value: SSAValue, shape: tuple[int, ...]) -> SSAValue:
        return self.builder.value(tt.SplatOp, [value], types.tensor(shape, value.type))

    def _grown(self, value: SSAValue) -> SSAValue:
        type_ = types.tensor(self.tile.sizes, types.element(value.type))
        return self.builder.value(tt.BroadcastOp, [value], type_)

    def _index(self, axis: int) -> SSAValue:
        """Return the tile's indices along an axis, of size 1 along the others."""
        size = self.tile.sizes[axis]
        start = self._splat(self.tile.offsets[axis], (size,))
        bounds = {
            "start": attributes.integer(0, types.i32),
            "end": attributes.integer(size, types.i32),
        }
        narrow = self.builder.value(tt.MakeRangeOp, [], types.tensor((size,), types.i32), bounds)
        wide = self.builder.value(arith.ExtSIOp, [narrow], start.type)
        index: SSAValue = self.builder.value(arith.AddIOp, [start, wide], start.type)
        for other in range(len(self.tile.sizes)):
            if other != axis:
                shape = list(types.shape(index.type))
                shape.insert(other, 1)
                where = {"axis": attributes.integer(other, types.i32)}
                type_ = types.tensor(tuple(shape), types.i64)
                index = self.builder.value(tt.ExpandDimsOp, [index], type_, where)
        return index

    def pointers(self) -> SSAValue:
        """Return base + Σ index · stride."""
        pointers = self._splat(self.tile.base, self.tile.sizes)
        for axis, stride in enumerate(self.tile.strides):
            index = self._index(axis)
            self.indices.append(index)
            steps = self._splat(stride, types.shape(index.type))
            distance = self.builder.value(arith.MulIOp, [index, steps], index.type)
            operands = [pointers, self._grown(distance)]
            pointers = self.builder.value(tt.AddPtrOp, operands, pointers.type)
        return pointers

    def _within(self, axis: int) -> SSAValue:
        """Return where the index of an axis is from 0 to below the tensor's size."""
        index = self.indices[axis]
        shape = types.shape(index.type)

        def compare(predicate: CmpIPredicate, bound: SSAValue) -> SSAValue:
            properties = {"predicate": predicate.attr()}
            truth = types.tensor(shape, types.i1)
            return self.builder.value(arith.CmpIOp, [index, bound], truth, properties)

        zero = self._splat(self.builder.constant(0, types.i64), shape)
        above = compare(CmpIPredicate.SGE, zero)
        below = compare(CmpIPredicate.SLT, self._splat(self.tile.shape[axis], shape))
        return self._grown(self.builder.value(arith.AndIOp, [above, below], above.type))

    def mask(self, axes: tuple[int, ...]) -> SSAValue | None:
        """Return where all checked axes are in bounds, None where none is checked."""
        mask: SSAValue | None = None
        for axis in axes:
            here = self._within(axis)
            if mask is not None:
                here = self.builder.value(arith.AndIOp, [mask, here], mask.type)
            mask = here
        return mask

    def padding(self, op: Operation) -> SSAValue | None:
        """Return the values that stand outside of the tensor, None where they do not matter."""
        option = op.properties.get("padding")
        if option is None:
            return None
        scalar = types.element(op.results[0].type)
        nan = PaddingOption.of(option) is PaddingOption.NAN
        value = self.builder.constant(math.nan if nan else 0, scalar)
        return self._splat(value, self.tile.sizes)


def _checked(op: Operation) -> tuple[int, ...]:
    return attributes.array_values(op.properties["boundaryCheck"])


def _plain(op: Operation) -> dict[str, Attribute]:
    """Return the properties that stay once boundaries are checked by a mask."""
    return {
        key: value
        for key, value in op.properties.items()
        if key not in ("boundaryCheck", "padding")
    }


def _load(rewrite: _Rewrite, op: Operation) -> None:
    if not _is_block_pointer(op.operands[0].type):
        return
    access = _Access(rewrite.tile(op.operands[0], op), op)
    operands = [access.pointers()]
    mask = access.mask(_checked(op))
    if mask is not None:
        operands.append(mask)
        padding = access.padding(op)
        if padding is not None:
            operands.append(padding)
    made = access.builder.create(
        tt.LoadOp, operands, (op.results[0].type,), _plain(op), op.attributes
    )
    op.results[0].replace_all_uses_with(made.results[0])
    rewrite.replaced.append(op)


def _store(rewrite: _Rewrite, op: Operation) -> None:
    if not _is_block_pointer(op.operands[0].type):
        return
    access = _Access(rewrite.tile(op.operands[0], op), op)
    operands = [access.pointers(), op.operands[1]]
    mask = access.mask(_checked(op))
    if mask is not None:
        operands.append(mask)
    access.builder.create(tt.StoreOp, operands, (), _plain(op), op.attributes)
    rewrite.replaced.append(op)


# ----------------------------------------------------------------------------------- control flow
def _tiles_of(rewrite: _Rewrite, values: tuple[SSAValue, ...], op: Operation) -> list[_Tile | None]:
    return [rewrite.tile(v, op) if _is_block_pointer(v.type) else None for v in values]


def _carries(values: tuple[SSAValue, ...]) -> bool:
    return any(_is_block_pointer(value.type) for value in values)


def _for(rewrite: _Rewrite, op: Operation) -> None:
    assert isinstance(op, scf.ForOp)
    inits = tuple(op.operands[3:])
    if not _carries(inits):
        rewrite.region(op.regions[0])
        return
    tiles = _tiles_of(rewrite, inits, op)
    start = rewrite.expanded(inits, op)
    carried = [value.type for value in start]
    old = op.block
    block = Block(arg_types=[old.args[0].type, *carried])
    made = Builder().before(op).create(
        scf.ForOp,
        (*op.operands[:3], *start),
        carried,
        op.properties,
        op.attributes,
        (Region(block),),
    )
    rewrite.bind(tuple(old.args), [None, *tiles], tuple(block.args))
    _move_all(old, block)
    rewrite.bind(tuple(op.results), tiles, tuple(made.results))
    rewrite.replaced.append(op)
    rewrite.region(made.regions[0])
    _expand_yield(rewrite, block)


def _if(rewrite: _Rewrite, op: Operation) -> None:
    for region in op.regions:
        rewrite.region(region)
    results = tuple(op.results)
    if not _carries(results):
        return
    last = op.regions[0].block.last_op
    assert last is not None
    tiles = _tiles_of(rewrite, tuple(last.operands), op)
    for region in op.regions:
        _expand_yield(rewrite, region.block)
    made = Builder().before(op).create(
        scf.IfOp,
        tuple(op.operands),
        [value.type for value in last.operands],
        op.properties,
        op.attributes,
        (Region(), Region()),
    )
    for source, target in zip(op.regions, made.regions, strict=True):
        source.move_blocks(target)
    rewrite.bind(results, tiles, tuple(made.results))
    rewrite.replaced.append(op)


def _expand_yield(rewrite: _Rewrite, block: Block) -> None:
    last = block.last_op
    assert last is not None
    last.operands = rewrite.expanded(tuple(last.operands), last)


def _move_all(source: Block, target: Block) -> None:
    while (op := source.first_op) is not None:
        op.detach()
        target.add_op(op)


def _yield(rewrite: _Rewrite, op: Operation) -> None:
    """Left to the loop or if around it."""


_RULES: dict[type[Operation], Callable[[_Rewrite, Operation], None]] = {
    tt.MakeTensorPtrOp: _make,
    tt.AdvanceOp: _advance,
    tt.LoadOp: _load,
    tt.StoreOp: _store,
    scf.ForOp: _for,
    scf.IfOp: _if,
    scf.YieldOp: _yield,
}
