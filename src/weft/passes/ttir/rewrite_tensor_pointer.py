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
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from weft.errors import PassError
from weft.ir import arith, attributes, locations, scf, tt, types
from weft.ir.builtin import Attribute, Block, ModuleOp, Operation, Region, SSAValue
from weft.ir.enums import PaddingOption
from weft.ir.rewriting import Builder, erase, walk
from weft.passes.rewrite.tile_addressing import TileAddressing

__all__ = ["RewriteTensorPointer"]


@dataclass(frozen=True, slots=True)
class RewriteTensorPointer:
    """Post: no block pointer is left.  Raises: PassError: one in a while loop, branch or call."""

    name: ClassVar[str] = "triton-rewrite-tensor-pointer"

    def run(self, module: ModuleOp) -> None:
        """Rewrite block pointers in place."""
        if any(_makes(op) for op in walk(module)):
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


def _makes(op: Operation) -> bool:
    """Tell whether an operation gives block pointers, or has arguments that are."""
    for result in op.results:
        if _is_block_pointer(result.type):
            return True
    return any(
        _is_block_pointer(argument.type)
        for region in op.regions
        for block in region.blocks
        for argument in block.args
    )


def _mentions(op: Operation) -> bool:
    """Tell whether an operation reads, gives or has arguments that are block pointers."""
    return any(_is_block_pointer(operand.type) for operand in op.operands) or _makes(op)


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
        if _mentions(op):
            raise PassError(
                f"a block pointer cannot go through {op.name}",
                location=locations.position(op.location),
                found=op.name,
                accepted=["tt.load", "tt.store", "tt.advance", "scf.for", "scf.if"],
            )
        for inner in op.regions:
            self.region(inner)

    def expanded(self, values: tuple[SSAValue, ...]) -> list[SSAValue]:
        """Return values with the offsets of block pointers in their place."""
        found: list[SSAValue] = []
        for value in values:
            if _is_block_pointer(value.type):
                found += self.tiles[value].offsets
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
    tile = rewrite.tiles[pointer]
    moved: list[SSAValue] = []
    for offset, step in zip(tile.offsets, steps, strict=True):
        wide = builder.value(arith.ExtSIOp, [step], types.i64)
        moved.append(builder.value(arith.AddIOp, [offset, wide], types.i64))
    rewrite.tiles[op.results[0]] = replace(tile, offsets=tuple(moved))
    rewrite.replaced.append(op)


def _pointers(tile: _Tile, arithmetic: TileAddressing) -> tuple[SSAValue, list[SSAValue]]:
    """Return the pointers of a tile, and its index along each axis."""
    indices: list[SSAValue] = []

    def each() -> Iterator[SSAValue]:
        for axis, offset in enumerate(tile.offsets):
            indices.append(arithmetic.index(offset, axis))
            yield indices[-1]

    return arithmetic.pointers(tile.base, tile.strides, each()), indices


def _access(rewrite: _Rewrite, op: Operation) -> tuple[TileAddressing, SSAValue, SSAValue | None]:
    """Return the pointers and the mask of a load or store."""
    tile = rewrite.tiles[op.operands[0]]
    arithmetic = TileAddressing(Builder().before(op), tile.sizes)
    pointers, indices = _pointers(tile, arithmetic)
    mask = arithmetic.mask((indices[axis], tile.shape[axis]) for axis in _checked(op))
    return arithmetic, pointers, mask


def _padding(op: Operation, arithmetic: TileAddressing) -> SSAValue | None:
    """Return the values that stand outside of the tensor, None where they do not matter."""
    option = op.properties.get("padding")
    if option is None:
        return None
    nan = PaddingOption.of(option) is PaddingOption.NAN
    scalar = types.element(op.results[0].type)
    return arithmetic.splat(arithmetic.builder.constant(math.nan if nan else 0, scalar))


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
    arithmetic, pointers, mask = _access(rewrite, op)
    operands = [pointers]
    if mask is not None:
        operands.append(mask)
        padding = _padding(op, arithmetic)
        if padding is not None:
            operands.append(padding)
    made = arithmetic.builder.create(
        tt.LoadOp, operands, (op.results[0].type,), _plain(op), op.attributes
    )
    op.results[0].replace_all_uses_with(made.results[0])
    rewrite.replaced.append(op)


def _store(rewrite: _Rewrite, op: Operation) -> None:
    if not _is_block_pointer(op.operands[0].type):
        return
    arithmetic, pointers, mask = _access(rewrite, op)
    operands = [pointers, op.operands[1]]
    if mask is not None:
        operands.append(mask)
    arithmetic.builder.create(tt.StoreOp, operands, (), _plain(op), op.attributes)
    rewrite.replaced.append(op)


# ----------------------------------------------------------------------------------- control flow
def _tiles_of(rewrite: _Rewrite, values: tuple[SSAValue, ...]) -> list[_Tile | None]:
    return [rewrite.tiles[v] if _is_block_pointer(v.type) else None for v in values]


def _carries(values: tuple[SSAValue, ...]) -> bool:
    return any(_is_block_pointer(value.type) for value in values)


def _for(rewrite: _Rewrite, op: Operation) -> None:
    assert isinstance(op, scf.ForOp)
    inits = op.init_args
    if not _carries(inits):
        rewrite.region(op.regions[0])
        return
    tiles = _tiles_of(rewrite, inits)
    start = rewrite.expanded(inits)
    carried = [value.type for value in start]
    old = op.block
    block = Block(arg_types=[op.induction_variable.type, *carried])
    made = (
        Builder()
        .before(op)
        .create(
            scf.ForOp,
            (*op.bounds, *start),
            carried,
            op.properties,
            op.attributes,
            (Region(block),),
        )
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
    tiles = _tiles_of(rewrite, tuple(last.operands))
    for region in op.regions:
        _expand_yield(rewrite, region.block)
    made = (
        Builder()
        .before(op)
        .create(
            scf.IfOp,
            tuple(op.operands),
            [value.type for value in last.operands],
            op.properties,
            op.attributes,
            (Region(), Region()),
        )
    )
    for source, target in zip(op.regions, made.regions, strict=True):
        source.move_blocks(target)
    rewrite.bind(results, tiles, tuple(made.results))
    rewrite.replaced.append(op)


def _expand_yield(rewrite: _Rewrite, block: Block) -> None:
    last = block.last_op
    assert last is not None
    last.operands = rewrite.expanded(tuple(last.operands))


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
