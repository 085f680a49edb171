"""Split an MMA whose left operand is in registers along K.

Before:  %d = ttng.warp_group_dot %a, %b, %c             a: 64x64, b: 64x128
After:   %r = tt.reshape %a : 64x64 -> 64x2x32           the halves of a
         %t = tt.trans %r {order = 0, 2, 1}
         %p, %q = tt.split %t
         %b0 = ttg.memdesc_subslice %b[0, 0]             the halves of b
         %b1 = ttg.memdesc_subslice %b[32, 0]
         %e = ttng.warp_group_dot %p, %b0, %c
         %d = ttng.warp_group_dot %q, %b1, %e

The second MMA can run while the registers of the first are written for the next iteration.
"""

from __future__ import annotations

from weft.ir import attributes, tt, ttg, ttng, types
from weft.ir.builtin import Attribute, OpResult, SSAValue
from weft.ir.locations import location_of
from weft.ir.rewriting import Builder, replace
from weft.layouts import NvidiaMmaEncoding
from weft.layouts.inference import infer_reshape, infer_split, infer_trans

__all__ = ["split_register_operand"]

_PARTS = 2  # measured by Triton's authors to be the fastest
_NO_PARTIAL_SUMS = 1 << 30  # more products than any MMA has


def split_register_operand(dot: ttng.WarpGroupDotOp) -> list[ttng.WarpGroupDotOp]:
    """Split an MMA if its left operand is in registers and longer than an instruction.

    Returns:
        The MMAs in its place, in order.
    """
    if not types.is_tensor(dot.a.type):
        return [dot]
    encoding = types.encoding(dot.d.type)
    assert isinstance(encoding, NvidiaMmaEncoding)
    k = types.shape(dot.a.type)[-1]
    if k <= encoding.instr_shape[2]:
        return [dot]
    part = k // _PARTS
    builder = Builder().before(dot)
    builder.location = location_of(dot.a)
    lefts = _split_left(builder, dot.a)
    builder.location = location_of(dot.b)
    rights = _split_right(builder, dot.b, part)
    builder.location = dot.location
    remaining = dot.maxNumImpreciseAcc.value.data
    accumulator, use_accumulator = dot.c, dot.useC
    parts: list[ttng.WarpGroupDotOp] = []
    for left, right in zip(lefts, rights, strict=True):
        # The part that the limit reaches has it; parts before it need no partial sum.
        imprecise = min(remaining, part)
        remaining -= imprecise
        limit = _NO_PARTIAL_SUMS if imprecise == part else imprecise
        optionals = [] if use_accumulator is None else [use_accumulator]
        new_dot = builder.create(
            ttng.WarpGroupDotOp,
            [left, right, accumulator, *optionals],
            [dot.d.type],
            {**dot.properties, "maxNumImpreciseAcc": attributes.integer(limit, types.i32)},
        )
        parts.append(new_dot)
        accumulator, use_accumulator = new_dot.d, None
    replace(dot, [parts[-1].d])
    return parts


def _split_left(builder: Builder, value: SSAValue) -> tuple[OpResult, ...]:
    """Split a tensor into halves along its last dimension, each in the tensor's layout."""
    type_ = value.type
    encoding, shape = types.encoding(type_), types.shape(type_)
    assert encoding is not None
    rank = len(shape)
    split_shape = (*shape[:-1], _PARTS, shape[-1] // _PARTS)
    split_encoding = infer_reshape(encoding, shape, split_shape)
    split_type = types.tensor(split_shape, types.element(type_), split_encoding)
    reshaped = builder.value(tt.ReshapeOp, [value], split_type)
    order = (*range(rank - 1), rank, rank - 1)
    trans_shape = tuple(split_shape[dim] for dim in order)
    trans_encoding = infer_trans(split_encoding, split_shape, order)
    trans_type = types.tensor(trans_shape, types.element(type_), trans_encoding)
    transposed = builder.value(
        tt.TransOp, [reshaped], trans_type, {"order": attributes.array_i32(order)}
    )
    half_encoding = infer_split(trans_encoding, trans_shape)
    half_type = types.tensor(trans_shape[:-1], types.element(type_), half_encoding)
    halves = builder.create(tt.SplitOp, [transposed], [half_type, half_type])
    result_type: Attribute = types.with_encoding(half_type, encoding)
    return tuple(builder.value(ttg.ConvertLayoutOp, [half], result_type) for half in halves.results)


def _split_right(builder: Builder, buffer: SSAValue, part: int) -> tuple[OpResult, ...]:
    """Split a buffer into parts along its second to last dimension."""
    type_ = buffer.type
    assert isinstance(type_, ttg.MemDescType)
    assert type_.encoding is not None
    rank = len(type_.shape)
    dim = rank - 2
    part_shape = tuple(part if d == dim else size for d, size in enumerate(type_.shape))
    part_type = ttg.MemDescType.of(
        part_shape,
        type_.element_type,
        type_.encoding,
        type_.memory_space,
        allocated=type_.allocated,
    )
    offsets = (
        tuple(index * part if d == dim else 0 for d in range(rank)) for index in range(_PARTS)
    )
    return tuple(
        builder.value(
            ttg.MemDescSubsliceOp, [buffer], part_type, {"offsets": attributes.array_i32(offset)}
        )
        for offset in offsets
    )
