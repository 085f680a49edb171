"""Rewrite block pointers into tensors of pointers and masks.

Before:  %p = tt.make_tensor_ptr %base, [%n], [%stride], [%at] : <tensor<64xf16>>
         %x = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf16>>
After:   %o = arith.extsi %at : i32 to i64
         %i = (tt.splat %o) + (tt.make_range 0 to 64) : tensor<64xi64>
         %q = tt.addptr (tt.splat %base), %i * (tt.splat %stride)
         %x = tt.load %q, %i >= 0 & %i < %n

A block pointer consists of a base, a shape, strides and offsets. Only the offsets change, so loops
and conditionals forward offsets instead of block pointers.

Preserves which elements are loaded and stored, and the order of effects.
Source: measured on Triton 3.7.1 (`triton-rewrite-tensor-pointer`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from weft.errors import PassError
from weft.ir import arith, attributes, locations, scf, tt, types
from weft.ir.builtin import Attribute, Block, ModuleOp, Operation, Region, SSAValue
from weft.ir.enums import PaddingOption
from weft.ir.rewriting import Builder, erase, locate_loop_arguments, walk
from weft.passes.rewrite.tile_addressing import TileAddressing

__all__ = ["RewriteTensorPointer"]


class RewriteTensorPointer(Struct, frozen=True):
    """Rewrites block pointers."""

    name: ClassVar[str] = "triton-rewrite-tensor-pointer"

    def run(self, module: ModuleOp) -> None:
        """Rewrite block pointers in place.

        Raises:
            PassError: A block pointer is used by a while loop, a branch or a call.
        """
        if any(_defines_block_pointer(op) for op in walk(module)):
            rewrite = _Rewrite()
            rewrite.rewrite_region(module.body)
            for op in reversed(rewrite.dead_ops):
                erase(op)


class _BlockPointer(Struct, frozen=True):
    """The components of a block pointer.

    Attributes:
        base: The pointer to the tensor.
        shape: The size of the tensor per axis.
        strides: Its stride per axis, in elements.
        offsets: The offset of the tile per axis, as i64.
        sizes: The shape of the tile.
    """

    base: SSAValue
    shape: tuple[SSAValue, ...]
    strides: tuple[SSAValue, ...]
    offsets: tuple[SSAValue, ...]
    sizes: tuple[int, ...]


def _is_block_pointer(type_: Attribute) -> bool:
    return types.is_pointer(type_) and types.is_tensor(type_.pointee)


def _defines_block_pointer(op: Operation) -> bool:
    """Check whether a result or block argument of an operation is a block pointer."""
    for result in op.results:
        if _is_block_pointer(result.type):
            return True
    return any(
        _is_block_pointer(argument.type)
        for region in op.regions
        for block in region.blocks
        for argument in block.args
    )


def _has_block_pointer(op: Operation) -> bool:
    """Check whether an operation uses or defines block pointers."""
    uses_block_pointer = any(_is_block_pointer(operand.type) for operand in op.operands)
    return uses_block_pointer or _defines_block_pointer(op)


class _Rewrite:
    """A rewrite in program order.

    Attributes:
        pointers: The components of each visited block pointer.
        dead_ops: Operations on block pointers, to erase at the end.
    """

    def __init__(self) -> None:
        self.pointers: dict[SSAValue, _BlockPointer] = {}
        self.dead_ops: list[Operation] = []

    def rewrite_region(self, region: Region) -> None:
        for block in tuple(region.blocks):
            for op in tuple(block.ops):
                self.rewrite_operation(op)

    def rewrite_operation(self, op: Operation) -> None:
        rewrite = _REWRITES.get(type(op))
        if rewrite is not None:
            rewrite(self, op)
            return
        if _has_block_pointer(op):
            raise PassError(
                f"{op.name} does not support block pointers",
                location=locations.position(op.location),
                found=op.name,
                accepted=["tt.load", "tt.store", "tt.advance", "scf.for", "scf.if"],
            )
        for inner in op.regions:
            self.rewrite_region(inner)

    def replace_by_offsets(self, values: tuple[SSAValue, ...]) -> list[SSAValue]:
        """Replace each block pointer in a list of values by its offsets."""
        replaced: list[SSAValue] = []
        for value in values:
            if _is_block_pointer(value.type):
                replaced += self.pointers[value].offsets
            else:
                replaced.append(value)
        return replaced

    def map_values(
        self,
        old: tuple[SSAValue, ...],
        pointers: list[_BlockPointer | None],
        new: tuple[SSAValue, ...],
    ) -> None:
        """Replace old values by new ones.

        Args:
            old: Results or block arguments.
            pointers: For each block pointer in `old` one with the same components except for the
                offsets, None for other values.
            new: One value for each old one, or the offsets of a block pointer.
        """
        new_values = iter(new)
        for value, pointer in zip(old, pointers, strict=True):
            if pointer is None:
                value.replace_all_uses_with(next(new_values))
            else:
                offsets = tuple(next(new_values) for _ in pointer.offsets)
                self.pointers[value] = replace(pointer, offsets=offsets)


def _rewrite_make(rewrite: _Rewrite, op: Operation) -> None:
    assert isinstance(op, tt.MakeTensorPtrOp)
    builder = Builder().before(op)
    offsets = tuple(builder.value(arith.ExtSIOp, [o], types.i64) for o in op.offsets)
    type_ = op.results[0].type
    assert isinstance(type_, types.PointerType)
    rewrite.pointers[op.results[0]] = _BlockPointer(
        op.operands[0], tuple(op.shape), tuple(op.strides), offsets, types.shape(type_.pointee)
    )
    rewrite.dead_ops.append(op)


def _rewrite_advance(rewrite: _Rewrite, op: Operation) -> None:
    builder = Builder().before(op)
    operand, *steps = op.operands
    pointer = rewrite.pointers[operand]
    offsets: list[SSAValue] = []
    for offset, step in zip(pointer.offsets, steps, strict=True):
        wide = builder.value(arith.ExtSIOp, [step], types.i64)
        offsets.append(builder.value(arith.AddIOp, [offset, wide], types.i64))
    rewrite.pointers[op.results[0]] = replace(pointer, offsets=tuple(offsets))
    rewrite.dead_ops.append(op)


def _pointers(pointer: _BlockPointer, tile: TileAddressing) -> tuple[SSAValue, list[SSAValue]]:
    """Compute the pointers of a tile, and its indices along each axis."""
    indices: list[SSAValue] = []

    def create_indices() -> Iterator[SSAValue]:
        for axis, offset in enumerate(pointer.offsets):
            indices.append(tile.index(offset, axis))
            yield indices[-1]

    return tile.pointers(pointer.base, pointer.strides, create_indices()), indices


def _access(rewrite: _Rewrite, op: Operation) -> tuple[TileAddressing, SSAValue, SSAValue | None]:
    """Compute the pointers and the mask of a load or store."""
    pointer = rewrite.pointers[op.operands[0]]
    tile = TileAddressing(Builder().before(op), pointer.sizes)
    pointers, indices = _pointers(pointer, tile)
    mask = tile.mask((indices[axis], pointer.shape[axis]) for axis in _boundary_check(op))
    return tile, pointers, mask


def _padding(op: Operation, tile: TileAddressing) -> SSAValue | None:
    """Create the value of elements outside of the tensor, None if it is undefined."""
    option = op.properties.get("padding")
    if option is None:
        return None
    is_nan = PaddingOption.of(option) is PaddingOption.NAN
    scalar = types.element(op.results[0].type)
    return tile.splat(tile.builder.constant(math.nan if is_nan else 0, scalar))


def _boundary_check(op: Operation) -> tuple[int, ...]:
    return attributes.array_values(op.properties["boundaryCheck"])


def _properties_with_mask(op: Operation) -> dict[str, Attribute]:
    """Copy the properties except those that the mask replaces."""
    return {
        key: value
        for key, value in op.properties.items()
        if key not in ("boundaryCheck", "padding")
    }


def _rewrite_load(rewrite: _Rewrite, op: Operation) -> None:
    if not _is_block_pointer(op.operands[0].type):
        return
    tile, pointers, mask = _access(rewrite, op)
    operands = [pointers]
    if mask is not None:
        operands.append(mask)
        padding = _padding(op, tile)
        if padding is not None:
            operands.append(padding)
    load = tile.builder.create(
        tt.LoadOp, operands, (op.results[0].type,), _properties_with_mask(op), op.attributes
    )
    op.results[0].replace_all_uses_with(load.results[0])
    rewrite.dead_ops.append(op)


def _rewrite_store(rewrite: _Rewrite, op: Operation) -> None:
    if not _is_block_pointer(op.operands[0].type):
        return
    tile, pointers, mask = _access(rewrite, op)
    operands = [pointers, op.operands[1]]
    if mask is not None:
        operands.append(mask)
    tile.builder.create(tt.StoreOp, operands, (), _properties_with_mask(op), op.attributes)
    rewrite.dead_ops.append(op)


# ----------------------------------------------------------------------------------- control flow
def _block_pointers(rewrite: _Rewrite, values: tuple[SSAValue, ...]) -> list[_BlockPointer | None]:
    return [rewrite.pointers[v] if _is_block_pointer(v.type) else None for v in values]


def _contains_block_pointer(values: tuple[SSAValue, ...]) -> bool:
    return any(_is_block_pointer(value.type) for value in values)


def _rewrite_for(rewrite: _Rewrite, op: Operation) -> None:
    assert isinstance(op, scf.ForOp)
    inits = op.init_args
    if not _contains_block_pointer(inits):
        rewrite.rewrite_region(op.regions[0])
        return
    pointers = _block_pointers(rewrite, inits)
    new_inits = rewrite.replace_by_offsets(inits)
    result_types = [value.type for value in new_inits]
    old_block = op.block
    block = Block(arg_types=[op.induction_variable.type, *result_types])
    locate_loop_arguments(block, new_inits, op.location)
    builder = Builder().before(op)
    new_op = builder.create(
        scf.ForOp,
        (*op.bounds, *new_inits),
        result_types,
        op.properties,
        op.attributes,
        (Region(block),),
    )
    rewrite.map_values(tuple(old_block.args), [None, *pointers], tuple(block.args))
    _move_operations(old_block, block)
    rewrite.map_values(tuple(op.results), pointers, tuple(new_op.results))
    rewrite.dead_ops.append(op)
    rewrite.rewrite_region(new_op.regions[0])
    _rewrite_terminator(rewrite, block)


def _rewrite_if(rewrite: _Rewrite, op: Operation) -> None:
    for region in op.regions:
        rewrite.rewrite_region(region)
    results = tuple(op.results)
    if not _contains_block_pointer(results):
        return
    terminator = op.regions[0].block.last_op
    assert terminator is not None
    pointers = _block_pointers(rewrite, tuple(terminator.operands))
    for region in op.regions:
        _rewrite_terminator(rewrite, region.block)
    builder = Builder().before(op)
    new_op = builder.create(
        scf.IfOp,
        tuple(op.operands),
        [value.type for value in terminator.operands],
        op.properties,
        op.attributes,
        (Region(), Region()),
    )
    for source, target in zip(op.regions, new_op.regions, strict=True):
        source.move_blocks(target)
    rewrite.map_values(results, pointers, tuple(new_op.results))
    rewrite.dead_ops.append(op)


def _rewrite_terminator(rewrite: _Rewrite, block: Block) -> None:
    terminator = block.last_op
    assert terminator is not None
    terminator.operands = rewrite.replace_by_offsets(tuple(terminator.operands))


def _move_operations(source: Block, target: Block) -> None:
    while (op := source.first_op) is not None:
        op.detach()
        target.add_op(op)


def _skip_yield(rewrite: _Rewrite, op: Operation) -> None:
    """Do nothing: the rewrite of the loop or conditional changes its terminator."""


_REWRITES: dict[type[Operation], Callable[[_Rewrite, Operation], None]] = {
    tt.MakeTensorPtrOp: _rewrite_make,
    tt.AdvanceOp: _rewrite_advance,
    tt.LoadOp: _rewrite_load,
    tt.StoreOp: _rewrite_store,
    scf.ForOp: _rewrite_for,
    scf.IfOp: _rewrite_if,
    scf.YieldOp: _skip_yield,
}
