"""Make, load, store, reduce, gather and scatter by the parts of a descriptor.

Every access becomes one of pointers under a mask: an element outside of the tensor is not
written, and is read as 0 or NaN, as the descriptor says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from weft.errors import PassError
from weft.ir import arith, locations, scf, tt, types
from weft.ir.builtin import Attribute, Block, Operation, Region, SSAValue
from weft.ir.enums import (
    DescriptorReduceKind,
    MemSemantic,
    MemSyncScope,
    PaddingOption,
    RMWOp,
)
from weft.ir.rewriting import Builder, constant_value
from weft.passes.rewrite.tile_addressing import TileAddressing
from weft.passes.ttir.rewrite_tensor_descriptor_to_pointer.carrying import Rewrite, Rule
from weft.passes.ttir.rewrite_tensor_descriptor_to_pointer.parts import Parts, tile_of
from weft.passes.ttir.rewrite_tensor_descriptor_to_pointer.tf32 import rounded

__all__ = ["RULES"]


def _wide(builder: Builder, value: SSAValue) -> SSAValue:
    """Return a scalar as i64; a constant becomes a constant."""
    known = constant_value(value)
    if known is not None:
        return builder.constant(known, types.i64)
    return builder.value(arith.ExtSIOp, [value], types.i64)


def _make(rewrite: Rewrite, op: Operation) -> None:
    assert isinstance(op, tt.MakeTensorDescOp)
    builder = Builder().before(op)
    shape = tuple(_wide(builder, size) for size in op.shape)
    nan = PaddingOption.of(op.properties["padding"]) is PaddingOption.NAN
    pads, rounds = builder.constant(nan, types.i1), builder.constant(False, types.i1)
    result = op.results[0]
    strides = tuple(op.strides)
    rewrite.parts[result] = Parts(op.operands[0], shape, strides, pads, rounds, tile_of(result))
    rewrite.replaced.append(op)


class _Access:
    """The pointers and the mask of one access to the tile at some indices."""

    def __init__(self, rewrite: Rewrite, op: Operation, descriptor: SSAValue) -> None:
        self.parts = rewrite.parts[descriptor]
        self.builder = Builder().before(op)
        self.tile = TileAddressing(self.builder, self.parts.sizes)
        self.element = types.element(self.parts.base.type.pointee)  # pyright: ignore

    def offsets(self, indices: Sequence[SSAValue]) -> list[SSAValue]:
        return [_wide(self.builder, index) for index in indices]

    def indices(self, offsets: Sequence[SSAValue]) -> list[SSAValue]:
        return [self.tile.index(offset, axis) for axis, offset in enumerate(offsets)]

    def pointers(self, indices: Sequence[SSAValue]) -> SSAValue:
        return self.tile.pointers(self.parts.base, self.parts.strides, indices)

    def mask(self, indices: Sequence[SSAValue]) -> SSAValue:
        mask = self.tile.mask(zip(indices, self.parts.shape, strict=True))
        assert mask is not None, "a tile has at least one axis"
        return mask

    def outside(self) -> SSAValue:
        """Return what elements outside of the tensor read as."""
        type_ = types.tensor(self.tile.sizes, self.element)
        if not types.is_float(self.element):
            return self.builder.constant(0, type_)
        nan = self.builder.constant(math.nan, type_)
        zero = self.builder.constant(0.0, type_)
        return self.builder.value(arith.SelectOp, [self.parts.pads_with_nan, nan, zero], type_)


def _rounded_if(access: _Access, value: SSAValue) -> SSAValue:
    """Round f32 to tf32 in an if, where the descriptor says so."""
    branches = []
    for rounds in (True, False):
        block = Block()
        builder = Builder(access.builder.location).at_end(block)
        builder.create(scf.YieldOp, [rounded(builder, value) if rounds else value])
        branches.append(Region(block))
    made = access.builder.create(scf.IfOp, [access.parts.rounds], [value.type], regions=branches)
    return made.results[0]


def _memory_properties(op: Operation) -> dict[str, Attribute]:
    return {key: op.properties[key] for key in ("cache", "evict") if key in op.properties}


def _reshaped(builder: Builder, value: SSAValue, type_: Attribute) -> SSAValue:
    """Drop or add axes of size 1 where the loaded or stored tensor has another rank."""
    return value if value.type == type_ else builder.value(tt.ReshapeOp, [value], type_)


def _load(rewrite: Rewrite, op: Operation) -> None:
    assert isinstance(op, tt.DescriptorLoadOp)
    access = _Access(rewrite, op, op.desc)
    offsets = access.offsets(tuple(op.indices))
    outside = access.outside()
    pointers = access.pointers(access.indices(offsets))
    mask = access.mask(access.indices(offsets))
    value = access.builder.value(
        tt.LoadOp, [pointers, mask, outside], outside.type, _memory_properties(op)
    )
    if access.element == types.f32:
        value = _rounded_if(access, value)
    result = _reshaped(access.builder, value, op.results[0].type)
    op.results[0].replace_all_uses_with(result)
    rewrite.replaced.append(op)


def _place(access: _Access, indices: Sequence[SSAValue]) -> tuple[SSAValue, SSAValue]:
    """Return the pointers and mask of a tile that is written."""
    offsets = access.offsets(indices)
    pointers = access.pointers(access.indices(offsets))
    return pointers, access.mask(access.indices(offsets))


def _store(rewrite: Rewrite, op: Operation) -> None:
    assert isinstance(op, tt.DescriptorStoreOp)
    access = _Access(rewrite, op, op.desc)
    pointers, mask = _place(access, tuple(op.indices))
    tile = types.tensor(access.tile.sizes, access.element)
    source = _reshaped(access.builder, op.src, tile)
    access.builder.create(tt.StoreOp, [pointers, source, mask])
    rewrite.replaced.append(op)


_ATOMIC = {
    DescriptorReduceKind.ADD: RMWOp.ADD,
    DescriptorReduceKind.AND: RMWOp.AND,
    DescriptorReduceKind.OR: RMWOp.OR,
    DescriptorReduceKind.XOR: RMWOp.XOR,
}


def _reduce(rewrite: Rewrite, op: Operation) -> None:
    assert isinstance(op, tt.DescriptorReduceOp)
    kind = DescriptorReduceKind.of(op.properties["kind"])
    if kind not in _ATOMIC:
        raise PassError(
            f"tt.descriptor_reduce {kind} has no atomic operation without signedness",
            location=locations.position(op.location),
            found=str(kind),
            accepted=[str(known) for known in _ATOMIC],
        )
    access = _Access(rewrite, op, op.desc)
    pointers, mask = _place(access, tuple(op.indices))
    atomic = _ATOMIC[kind]
    if atomic is RMWOp.ADD and types.is_float(access.element):
        atomic = RMWOp.FADD
    properties: dict[str, Attribute] = {
        "atomic_rmw_op": atomic.attr(),
        "sem": MemSemantic.RELEASE.attr(),
        "scope": MemSyncScope.GPU.attr(),
    }
    access.builder.create(tt.AtomicRMWOp, [pointers, op.src, mask], [op.src.type], properties)
    rewrite.replaced.append(op)


def _rows(access: _Access, x_offsets: SSAValue, y_offset: SSAValue) -> list[SSAValue]:
    """Return the indices of a gather: given rows, and a run of columns."""
    rows = access.tile.expand_dims(x_offsets, 1)
    start = _wide(access.builder, y_offset)
    wide = access.builder.value(arith.ExtSIOp, [rows], types.with_element(rows.type, types.i64))
    return [wide, access.tile.index(start, 1)]


def _gather_access(
    rewrite: Rewrite, op: Operation, descriptor: SSAValue, tile: Attribute
) -> _Access:
    access = _Access(rewrite, op, descriptor)
    access.tile = TileAddressing(access.builder, types.shape(tile))
    return access


def _gather(rewrite: Rewrite, op: Operation) -> None:
    assert isinstance(op, tt.DescriptorGatherOp)
    access = _gather_access(rewrite, op, op.desc, op.results[0].type)
    indices = _rows(access, op.x_offsets, op.y_offset)
    pointers = access.pointers(indices)
    mask = access.mask(indices)
    outside = access.outside()
    builder = access.builder
    value = builder.value(tt.LoadOp, [pointers, mask, outside], outside.type)
    if access.element == types.f32:
        operands = [access.parts.rounds, rounded(builder, value), value]
        value = builder.value(arith.SelectOp, operands, value.type)
    op.results[0].replace_all_uses_with(value)
    rewrite.replaced.append(op)


def _scatter(rewrite: Rewrite, op: Operation) -> None:
    assert isinstance(op, tt.DescriptorScatterOp)
    access = _gather_access(rewrite, op, op.desc, op.src.type)
    indices = _rows(access, op.x_offsets, op.y_offset)
    pointers = access.pointers(indices)
    access.builder.create(tt.StoreOp, [pointers, op.src, access.mask(indices)])
    rewrite.replaced.append(op)


RULES: Mapping[type[Operation], Rule] = {
    tt.MakeTensorDescOp: _make,
    tt.DescriptorLoadOp: _load,
    tt.DescriptorStoreOp: _store,
    tt.DescriptorReduceOp: _reduce,
    tt.DescriptorGatherOp: _gather,
    tt.DescriptorScatterOp: _scatter,
}
