"""Bringing operands to one shape: splat, broadcast, expand_dims.

    scalar with block      the scalar is splatted
    [8] with [4, 8]        leading dimensions of extent 1 are added, then broadcast
    [4, 1] with [1, 8]     both are broadcast to [4, 8]

A splat or a broadcast of a constant becomes a constant at once, as MLIR folds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weft.errors import TypeMismatchError
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue
from weft.ir import arith, attributes, tt, types
from weft.ir.builtin import FloatAttr, IntegerAttr
from weft.ir.constants import constant_attribute
from weft.language.compound_types import block_type

if TYPE_CHECKING:
    from weft.frontend.semantics.emitter import Emitter


def splat(e: Emitter, scalar: TensorValue, shape: Sequence[int]) -> TensorValue:
    """Return a block of `shape` whose elements are all `scalar`; a scalar itself for shape ()."""
    if not shape:
        return scalar
    type_ = block_type(scalar.type, shape)
    folded = _folded(e, scalar, type_)
    if folded is not None:
        return folded
    return TensorValue(e.builder.value(tt.SplatOp, [scalar.handle], ir_type(type_)), type_)


def _folded(e: Emitter, value: TensorValue, type_: block_type) -> TensorValue | None:
    """Return the constant block that a constant stretches to, or None for no constant."""
    known = constant_attribute(value.handle)
    if isinstance(known, attributes.SplatAttr):
        known = known.value
    if not isinstance(known, IntegerAttr | FloatAttr):
        return None
    result = ir_type(type_)
    filled = attributes.splat(known, result)
    return TensorValue(e.builder.value(arith.ConstantOp, [], result, {"value": filled}), type_)


def expand_dims(e: Emitter, value: TensorValue, axis: int) -> TensorValue:
    """Insert a dimension of extent 1 at `axis` (negative counts from the end)."""
    rank = len(value.shape) + 1
    if not -rank <= axis < rank:
        raise TypeMismatchError(
            "the axis is outside of the block", found=axis, accepted=(f"{-rank} to {rank - 1}",)
        )
    place = axis % rank
    shape = (*value.shape[:place], 1, *value.shape[place:])
    if not value.is_block:
        return splat(e, value, shape)
    type_ = block_type(value.dtype, shape)
    axis_attribute = {"axis": attributes.integer(place, types.i32)}
    handle = e.builder.value(tt.ExpandDimsOp, [value.handle], ir_type(type_), axis_attribute)
    return TensorValue(handle, type_)


def broadcast_to(e: Emitter, value: TensorValue, shape: Sequence[int]) -> TensorValue:
    """Stretch a block (or scalar) to `shape`, of the same rank.

    Raises: TypeMismatchError naming the first extent that is neither equal nor 1.
    """
    target = tuple(shape)
    if not value.is_block:
        return splat(e, value, target)
    if value.shape == target:
        return value
    if len(value.shape) != len(target):
        raise TypeMismatchError(
            "a block is broadcast to a shape of the same rank",
            found=f"shape {value.shape} to {target}",
            hint="add dimensions with x[None, :] or x[:, None]",
        )
    for axis, (have, want) in enumerate(zip(value.shape, target, strict=True)):
        if have not in (1, want):
            raise TypeMismatchError(
                f"dimension {axis} of extent {have} cannot be stretched to {want}",
                found=f"shape {value.shape} to {target}",
                accepted=(f"extent {want}", "extent 1"),
            )
    type_ = block_type(value.dtype, target)
    folded = _folded(e, value, type_)
    if folded is not None:
        return folded
    return TensorValue(e.builder.value(tt.BroadcastOp, [value.handle], ir_type(type_)), type_)


def broadcast(e: Emitter, a: TensorValue, b: TensorValue) -> tuple[TensorValue, TensorValue]:
    """Bring two values to their common shape.

    Raises: TypeMismatchError where they have none.
    """
    if a.is_block and not b.is_block:
        return a, splat(e, b, a.shape)
    if b.is_block and not a.is_block:
        return splat(e, a, b.shape), b
    if not a.is_block:
        return a, b
    while len(a.shape) < len(b.shape):
        a = expand_dims(e, a, 0)
    while len(b.shape) < len(a.shape):
        b = expand_dims(e, b, 0)
    target = common_shape(a.shape, b.shape)
    return broadcast_to(e, a, target), broadcast_to(e, b, target)


def common_shape(a: Sequence[int], b: Sequence[int]) -> tuple[int, ...]:
    """Return the shape that two shapes of one rank stretch to.

    Raises: TypeMismatchError naming the first dimension that does not fit.
    """
    extents: list[int] = []
    for axis, (left, right) in enumerate(zip(a, b, strict=True)):
        if left != right and 1 not in (left, right):
            raise TypeMismatchError(
                f"the shapes do not go together in dimension {axis}",
                found=f"{tuple(a)} and {tuple(b)}",
                accepted=("equal extents", "extent 1"),
            )
        extents.append(right if left == 1 else left)
    return tuple(extents)
