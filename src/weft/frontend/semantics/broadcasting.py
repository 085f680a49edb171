"""Splat, broadcast and expand_dims: conversion of operands to a common shape.

    scalar and block       the scalar is splatted
    [8] and [4, 8]         leading dimensions of extent 1 are inserted, then broadcast
    [4, 1] and [1, 8]      both are broadcast to [4, 8]

A splat or broadcast of a constant is folded to a constant, as MLIR's builder does.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import TypeMismatchError
from weft.frontend.semantics.emission_context import EmissionContext
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue
from weft.ir import arith, attributes, tt, types
from weft.ir.builtin import FloatAttr, IntegerAttr
from weft.ir.constants import constant_attribute
from weft.language.compound_types import block_type
from weft.layouts.inference import infer_expand_dims


def splat(e: EmissionContext, scalar: TensorValue, shape: Sequence[int]) -> TensorValue:
    """Create a block of `shape` filled with a scalar; return the scalar for shape ()."""
    if not shape:
        return scalar
    return splat_to(e, scalar, block_type(scalar.type, shape))


def splat_like(e: EmissionContext, scalar: TensorValue, like: TensorValue) -> TensorValue:
    """Create a block of the shape and layout of `like`; return the scalar if `like` is one."""
    if not isinstance(like.type, block_type):
        return scalar
    return splat_to(e, scalar, like.type.with_element_ty(scalar.type))


def splat_to(e: EmissionContext, scalar: TensorValue, type_: block_type) -> TensorValue:
    """Create a block of a type filled with a scalar."""
    folded = _fold_constant(e, scalar, type_)
    if folded is not None:
        return folded
    return TensorValue(e.builder.value(tt.SplatOp, [scalar.handle], ir_type(type_)), type_)


def _fold_constant(e: EmissionContext, value: TensorValue, type_: block_type) -> TensorValue | None:
    """Emit the constant block that a constant broadcasts to; None if it is not a constant."""
    attribute = constant_attribute(value.handle)
    if isinstance(attribute, attributes.SplatAttr):
        attribute = attribute.value
    if not isinstance(attribute, IntegerAttr | FloatAttr):
        return None
    result = ir_type(type_)
    block = attributes.splat(attribute, result)
    return TensorValue(e.builder.value(arith.ConstantOp, [], result, {"value": block}), type_)


def expand_dims(e: EmissionContext, value: TensorValue, axis: int) -> TensorValue:
    """Insert a dimension of extent 1 at `axis`; a negative axis counts from the end.

    Raises:
        TypeMismatchError: The axis is out of range.
    """
    rank = len(value.shape) + 1
    if not -rank <= axis < rank:
        raise TypeMismatchError(
            f"invalid axis {axis}", found=axis, accepted=(f"{-rank} <= axis < {rank}",)
        )
    dim = axis % rank
    shape = (*value.shape[:dim], 1, *value.shape[dim:])
    if not value.is_block:
        return splat(e, value, shape)
    type_ = block_of(value).derive(shape, lambda encoding: infer_expand_dims(encoding, dim))
    properties = {"axis": attributes.integer(dim, types.i32)}
    handle = e.builder.value(tt.ExpandDimsOp, [value.handle], ir_type(type_), properties)
    return TensorValue(handle, type_)


def block_of(value: TensorValue) -> block_type:
    """Return the type of a block."""
    assert isinstance(value.type, block_type)
    return value.type


def broadcast_like(e: EmissionContext, value: TensorValue, like: TensorValue) -> TensorValue:
    """Broadcast a block to the shape of another; splat a scalar in its layout.

    Raises:
        TypeMismatchError: The ranks differ, or an extent is neither equal nor 1.
    """
    return broadcast_to(e, value, like.shape) if value.is_block else splat_like(e, value, like)


def broadcast_to(e: EmissionContext, value: TensorValue, shape: Sequence[int]) -> TensorValue:
    """Broadcast a block to `shape`, of the same rank; splat a scalar.

    Raises:
        TypeMismatchError: The ranks differ, or an extent is neither equal nor 1.
    """
    target = tuple(shape)
    if not value.is_block:
        return splat(e, value, target)
    if value.shape == target:
        return value
    if len(value.shape) != len(target):
        raise TypeMismatchError(
            "cannot broadcast, rank mismatch",
            found=f"shape {value.shape} to {target}",
            hint="add dimensions with x[None, :] or x[:, None]",
        )
    for dim, (extent, size) in enumerate(zip(value.shape, target, strict=True)):
        if extent not in (1, size):
            raise TypeMismatchError(
                f"Cannot broadcast, the expanded size of the tensor ({size}) must match the "
                f"existing size ({extent}) at non-singleton dimension {dim}",
                found=f"shape {value.shape} to {target}",
                accepted=(f"extent {size}", "extent 1"),
            )
    type_ = block_of(value).derive(target, lambda encoding: encoding)
    # Triton's builder folds, Gluon's does not.
    folded = _fold_constant(e, value, type_) if type_.encoding is None else None
    if folded is not None:
        return folded
    return TensorValue(e.builder.value(tt.BroadcastOp, [value.handle], ir_type(type_)), type_)


def broadcast(
    e: EmissionContext, a: TensorValue, b: TensorValue
) -> tuple[TensorValue, TensorValue]:
    """Broadcast two values to their common shape.

    Raises:
        TypeMismatchError: They have none.
    """
    if a.is_block and not b.is_block:
        return a, splat_like(e, b, a)
    if b.is_block and not a.is_block:
        return splat_like(e, a, b), b
    if not a.is_block:
        return a, b
    if block_of(a).encoding is not None or block_of(b).encoding is not None:
        a, b = e.match_layouts(a, b)
    while len(a.shape) < len(b.shape):
        a = expand_dims(e, a, 0)
    while len(b.shape) < len(a.shape):
        b = expand_dims(e, b, 0)
    target = common_shape(a.shape, b.shape)
    return broadcast_to(e, a, target), broadcast_to(e, b, target)


def common_shape(a: Sequence[int], b: Sequence[int]) -> tuple[int, ...]:
    """Return the shape that two shapes of one rank broadcast to.

    Raises:
        TypeMismatchError: The extents of a dimension differ and neither is 1.
    """
    extents: list[int] = []
    for dim, (left, right) in enumerate(zip(a, b, strict=True)):
        if left != right and 1 not in (left, right):
            raise TypeMismatchError(
                f"incompatible dimensions at index {dim}: {left} and {right}",
                found=f"shapes {tuple(a)} and {tuple(b)}",
                accepted=("equal extents", "extent 1"),
            )
        extents.append(right if left == 1 else left)
    return tuple(extents)
