"""Rewrite the operations on descriptors: make, load, store, reduce, gather and scatter.

Each access becomes a masked access through pointers. An element outside of the tensor is not
stored, and is loaded as 0 or NaN, as the descriptor specifies.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import Signedness

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
from weft.passes.ttir.rewrite_tensor_descriptor_to_pointer.control_flow import (
    DescriptorRewrite,
    OperationRewrite,
)
from weft.passes.ttir.rewrite_tensor_descriptor_to_pointer.descriptor_parts import (
    DescriptorParts,
    block_shape,
)
from weft.passes.ttir.rewrite_tensor_descriptor_to_pointer.round_to_tf32 import round_to_tf32

__all__ = ["REWRITES"]


def _extend_to_i64(builder: Builder, value: SSAValue) -> SSAValue:
    """Sign-extend a scalar to i64, at its own location; fold a constant."""
    location, builder.location = builder.location, locations.location_of(value)
    constant = constant_value(value)
    extended = (
        builder.value(arith.ExtSIOp, [value], types.i64)
        if constant is None
        else builder.constant(constant, types.i64)
    )
    builder.location = location
    return extended


def _rewrite_make(rewrite: DescriptorRewrite, op: Operation) -> None:
    assert isinstance(op, tt.MakeTensorDescOp)
    builder = Builder().before(op)
    shape = tuple(_extend_to_i64(builder, size) for size in op.shape)
    is_nan = PaddingOption.of(op.properties["padding"]) is PaddingOption.NAN
    pads_with_nan = builder.constant(is_nan, types.i1)
    rounds_to_tf32 = builder.constant(False, types.i1)
    result = op.results[0]
    rewrite.parts[result] = DescriptorParts(
        op.operands[0],
        shape,
        tuple(op.strides),
        pads_with_nan,
        rounds_to_tf32,
        block_shape(result),
    )
    rewrite.dead_ops.append(op)


class _Access:
    """Builds the pointers and the mask of an access through a descriptor."""

    def __init__(self, rewrite: DescriptorRewrite, op: Operation, descriptor: SSAValue) -> None:
        self.parts = rewrite.parts[descriptor]
        self.builder = Builder().before(op)
        self.tile = TileAddressing(self.builder, self.parts.sizes)
        pointer_type = self.parts.base.type
        assert isinstance(pointer_type, types.PointerType)
        self.element = types.element(pointer_type.pointee)

    def offsets(self, indices: Sequence[SSAValue]) -> list[SSAValue]:
        return [_extend_to_i64(self.builder, index) for index in indices]

    def indices(self, offsets: Sequence[SSAValue]) -> list[SSAValue]:
        return [self.tile.index(offset, axis) for axis, offset in enumerate(offsets)]

    def pointers(self, indices: Sequence[SSAValue]) -> SSAValue:
        return self.tile.pointers(self.parts.base, self.parts.strides, indices)

    def mask(self, indices: Sequence[SSAValue]) -> SSAValue:
        mask = self.tile.mask(zip(indices, self.parts.shape, strict=True))
        assert mask is not None, "a tile has at least one axis"
        return mask

    def padding(self) -> SSAValue:
        """Build the value of elements outside of the tensor."""
        type_ = types.tensor(self.tile.sizes, self.element)
        if not types.is_float(self.element):
            return self.builder.constant(0, type_)
        nan = self.builder.constant(math.nan, type_)
        zero = self.builder.constant(0.0, type_)
        return self.builder.value(arith.SelectOp, [self.parts.pads_with_nan, nan, zero], type_)


def _round_if_requested(access: _Access, value: SSAValue) -> SSAValue:
    """Round f32 to tf32 in an scf.if on the flag of the descriptor."""
    branches: list[Region] = []
    for rounds in (True, False):
        block = Block()
        builder = Builder(access.builder.location).at_end(block)
        builder.create(scf.YieldOp, [round_to_tf32(builder, value) if rounds else value])
        branches.append(Region(block))
    condition = access.parts.rounds_to_tf32
    new_if = access.builder.create(scf.IfOp, [condition], [value.type], regions=branches)
    return new_if.results[0]


def _memory_properties(op: Operation) -> dict[str, Attribute]:
    return {key: op.properties[key] for key in ("cache", "evict") if key in op.properties}


def _reshape_if_needed(builder: Builder, value: SSAValue, type_: Attribute) -> SSAValue:
    """Remove or insert axes of size 1 if the tensor has another rank than the block."""
    return value if value.type == type_ else builder.value(tt.ReshapeOp, [value], type_)


def _rewrite_load(rewrite: DescriptorRewrite, op: Operation) -> None:
    assert isinstance(op, tt.DescriptorLoadOp)
    access = _Access(rewrite, op, op.desc)
    offsets = access.offsets(tuple(op.indices))
    padding = access.padding()
    pointers = access.pointers(access.indices(offsets))
    mask = access.mask(access.indices(offsets))
    value = access.builder.value(
        tt.LoadOp, [pointers, mask, padding], padding.type, _memory_properties(op)
    )
    if access.element == types.f32:
        value = _round_if_requested(access, value)
    result = _reshape_if_needed(access.builder, value, op.results[0].type)
    op.results[0].replace_all_uses_with(result)
    rewrite.dead_ops.append(op)


def _pointers_and_mask(access: _Access, indices: Sequence[SSAValue]) -> tuple[SSAValue, SSAValue]:
    """Build the pointers and the mask of a tile that is stored."""
    offsets = access.offsets(indices)
    pointers = access.pointers(access.indices(offsets))
    return pointers, access.mask(access.indices(offsets))


def _rewrite_store(rewrite: DescriptorRewrite, op: Operation) -> None:
    assert isinstance(op, tt.DescriptorStoreOp)
    access = _Access(rewrite, op, op.desc)
    pointers, mask = _pointers_and_mask(access, tuple(op.indices))
    tile = types.tensor(access.tile.sizes, access.element)
    source = _reshape_if_needed(access.builder, op.src, tile)
    access.builder.create(tt.StoreOp, [pointers, source, mask])
    rewrite.dead_ops.append(op)


_ATOMIC_OPS = {
    DescriptorReduceKind.ADD: RMWOp.ADD,
    DescriptorReduceKind.AND: RMWOp.AND,
    DescriptorReduceKind.OR: RMWOp.OR,
    DescriptorReduceKind.XOR: RMWOp.XOR,
}
_COMPARISONS = {
    Signedness.SIGNED: {
        DescriptorReduceKind.MIN: RMWOp.MIN,
        DescriptorReduceKind.MAX: RMWOp.MAX,
    },
    Signedness.UNSIGNED: {
        DescriptorReduceKind.MIN: RMWOp.UMIN,
        DescriptorReduceKind.MAX: RMWOp.UMAX,
    },
}


def _atomic_op(op: tt.DescriptorReduceOp) -> RMWOp:
    """Choose the atomic update of a reduction; the descriptor's type has the signedness.

    Raises:
        PassError: There is none for the element type.
    """
    kind = DescriptorReduceKind.of(op.properties["kind"])
    assert isinstance(op.desc.type, types.TensorDescType)
    element = types.element(op.desc.type.block_type)
    if kind is DescriptorReduceKind.ADD and types.is_float(element):
        return RMWOp.FADD
    supported = dict(_ATOMIC_OPS)
    if types.is_integer(element):
        supported |= _COMPARISONS.get(element.signedness.data, {})
    if kind not in supported:
        raise PassError(
            f"Cannot fallback on descriptor atomic op, unsupported for type {element}",
            location=locations.position(op.location),
            found=str(kind),
            accepted=[str(each) for each in supported],
        )
    return supported[kind]


def _rewrite_reduce(rewrite: DescriptorRewrite, op: Operation) -> None:
    assert isinstance(op, tt.DescriptorReduceOp)
    atomic = _atomic_op(op)
    access = _Access(rewrite, op, op.desc)
    pointers, mask = _pointers_and_mask(access, tuple(op.indices))
    properties: dict[str, Attribute] = {
        "atomic_rmw_op": atomic.attr(),
        "sem": MemSemantic.RELEASE.attr(),
        "scope": MemSyncScope.GPU.attr(),
    }
    access.builder.create(tt.AtomicRMWOp, [pointers, op.src, mask], [op.src.type], properties)
    rewrite.dead_ops.append(op)


def _gather_indices(access: _Access, x_offsets: SSAValue, y_offset: SSAValue) -> list[SSAValue]:
    """Build the indices of a gather: arbitrary rows and contiguous columns."""
    rows = access.tile.expand_dims(x_offsets, 1)
    start = _extend_to_i64(access.builder, y_offset)
    row_type = types.with_element(rows.type, types.i64)
    rows = access.builder.value(arith.ExtSIOp, [rows], row_type)
    return [rows, access.tile.index(start, 1)]


def _gather_access(
    rewrite: DescriptorRewrite, op: Operation, descriptor: SSAValue, tile: Attribute
) -> _Access:
    access = _Access(rewrite, op, descriptor)
    access.tile = TileAddressing(access.builder, types.shape(tile))
    return access


def _rewrite_gather(rewrite: DescriptorRewrite, op: Operation) -> None:
    assert isinstance(op, tt.DescriptorGatherOp)
    access = _gather_access(rewrite, op, op.desc, op.results[0].type)
    indices = _gather_indices(access, op.x_offsets, op.y_offset)
    pointers = access.pointers(indices)
    mask = access.mask(indices)
    padding = access.padding()
    builder = access.builder
    value = builder.value(tt.LoadOp, [pointers, mask, padding], padding.type)
    if access.element == types.f32:
        operands = [access.parts.rounds_to_tf32, round_to_tf32(builder, value), value]
        value = builder.value(arith.SelectOp, operands, value.type)
    op.results[0].replace_all_uses_with(value)
    rewrite.dead_ops.append(op)


def _rewrite_scatter(rewrite: DescriptorRewrite, op: Operation) -> None:
    assert isinstance(op, tt.DescriptorScatterOp)
    access = _gather_access(rewrite, op, op.desc, op.src.type)
    indices = _gather_indices(access, op.x_offsets, op.y_offset)
    pointers = access.pointers(indices)
    access.builder.create(tt.StoreOp, [pointers, op.src, access.mask(indices)])
    rewrite.dead_ops.append(op)


REWRITES: Mapping[type[Operation], OperationRewrite] = {
    tt.MakeTensorDescOp: _rewrite_make,
    tt.DescriptorLoadOp: _rewrite_load,
    tt.DescriptorStoreOp: _rewrite_store,
    tt.DescriptorReduceOp: _rewrite_reduce,
    tt.DescriptorGatherOp: _rewrite_gather,
    tt.DescriptorScatterOp: _rewrite_scatter,
}
