"""Arithmetic on affine tensors: which operations keep a tensor of offsets symbolic.

    (pid * 64 + range) * stride        AffineTensor(base · stride, strides · stride)
    rows[:, None] + cols[None, :]      base from the rows, stride from the columns

Sums and products are computed modulo 2⁶⁴, which is exact for a narrower type as long as only sums
and products follow. An operation that needs the number itself (a comparison, an extension, an
address) checks `fits`, and falls back to the wrapped elements if it is false.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.interpreter.dtypes import I64
from weft.interpreter.values import AffineTensor, dense

Number = np.ndarray | AffineTensor


def _parts(value: Number, rank: int) -> tuple[np.ndarray, tuple[int, ...]]:
    if type(value) is AffineTensor:
        return value.base, value.strides
    array = dense(value)
    return (array if array.dtype == I64 else array.astype(I64)), (0,) * rank


def combine(one: Number, other: Number, sign: int) -> AffineTensor | None:
    """Add or subtract two tensors, of which one is affine.

    Args:
        one: The left operand.
        other: The right operand.
        sign: 1 to add, -1 to subtract.

    Returns:
        The affine result; None if it is not affine.
    """
    shape = one.shape if type(one) is AffineTensor else other.shape
    pattern = one if type(one) is AffineTensor else other
    if type(pattern) is not AffineTensor:
        return None
    (base, strides), (other_base, other_strides) = (
        _parts(one, len(shape)),
        _parts(other, len(shape)),
    )
    for axis, (stride, other_stride) in enumerate(zip(strides, other_strides, strict=True), 1):
        if (stride or other_stride) and (base.shape[axis] > 1 or other_base.shape[axis] > 1):
            return None
    total = base + other_base if sign > 0 else base - other_base
    slope = tuple(s + sign * o for s, o in zip(strides, other_strides, strict=True))
    return AffineTensor(total, slope, pattern.shape, pattern.dtype)


def scale(affine: AffineTensor, factor: Number) -> AffineTensor | None:
    """Multiply an affine tensor; None unless the factor is one number for all elements."""
    if type(factor) is AffineTensor or factor.size != 1:
        return None
    number = int(factor.item())
    return affine.like(affine.base * np.int64(number), tuple(s * number for s in affine.strides))


def adder(ufunc: np.ufunc, sign: int) -> Callable[[Number, Number], Number]:
    """Make an addition (sign 1) or subtraction (sign -1) that keeps affine tensors if possible."""

    def add(one: Number, other: Number) -> Number:
        if type(one) is AffineTensor or type(other) is AffineTensor:
            total = combine(one, other, sign)
            if total is not None:
                return total
        return ufunc(dense(one), dense(other))

    return add


def multiply(one: Number, other: Number) -> Number:
    """Multiply integers; the product of an affine tensor and one number is affine."""
    for affine, factor in ((one, other), (other, one)):
        if type(affine) is AffineTensor:
            product = scale(affine, factor)
            if product is not None:
                return product
    return np.multiply(dense(one), dense(other))


def extend(affine: AffineTensor, dtype: np.dtype, signed: bool) -> AffineTensor | None:
    """Extend an affine tensor to a wider type; None if its elements wrap around before."""
    if affine.fits() and (signed or affine.bounds()[0] >= 0):
        return AffineTensor(affine.base, affine.strides, affine.shape, dtype)
    return None


def advance(pointer: Number, offset: Number, size: int) -> Number:
    """Compute the addresses pointer + offset · size."""
    if type(offset) is AffineTensor:
        if offset.fits():
            offset = AffineTensor(
                offset.base * size, tuple(s * size for s in offset.strides), offset.shape, I64
            )
        else:
            offset = offset.dense().astype(I64) * size
    else:
        offset = dense(offset).astype(I64) * size
    if type(pointer) is AffineTensor or type(offset) is AffineTensor:
        total = combine(pointer, offset, 1)
        if total is not None:
            return total
    return dense(pointer) + dense(offset)


def difference_bounds(one: Number, other: Number) -> tuple[int, int] | None:
    """Bound one - other without wrap-around; None if that takes the elements."""
    for value in (one, other):
        if type(value) is AffineTensor and not value.fits():
            return None
    if type(one) is not AffineTensor and type(other) is not AffineTensor:
        return None
    difference = combine(one, other, -1)
    return None if difference is None else difference.bounds()
