"""Arithmetic on ramps: what keeps a tensor of offsets symbolic, and when it must not stay so.

    (pid * 64 + range) * stride        Ramp(base · stride, strides · stride)
    rows[:, None] + cols[None, :]      base from the rows, stride from the columns

Sums and products are kept modulo 2**64, which is enough for any narrower type as long as only
sums and products follow. Whatever reads the number itself (a comparison, a widening, an
address) asks `fits` first, and takes the wrapped elements where the answer is no.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.interpreter.dtypes import I64
from weft.interpreter.values import Ramp, dense

Number = np.ndarray | Ramp


def _parts(value: Number, rank: int) -> tuple[np.ndarray, tuple[int, ...]]:
    if type(value) is Ramp:
        return value.base, value.strides
    array = dense(value)
    return (array if array.dtype == I64 else array.astype(I64)), (0,) * rank


def combine(one: Number, other: Number, sign: int) -> Ramp | None:
    """Return one + sign·other as a ramp, or None where the sum is none. One of them is a ramp."""
    shape = one.shape if type(one) is Ramp else other.shape
    pattern = one if type(one) is Ramp else other
    if type(pattern) is not Ramp:
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
    return Ramp(total, slope, pattern.shape, pattern.dtype)


def scale(ramp: Ramp, factor: Number) -> Ramp | None:
    """Return ramp · factor, or None unless the factor is one number for all."""
    if type(factor) is Ramp or factor.size != 1:
        return None
    number = int(factor.item())
    return ramp.like(ramp.base * np.int64(number), tuple(s * number for s in ramp.strides))


def adder(ufunc: np.ufunc, sign: int) -> Callable[[Number, Number], Number]:
    """Return addition (sign 1) or subtraction (sign -1) of integers, symbolic where it can be."""

    def add(one: Number, other: Number) -> Number:
        if type(one) is Ramp or type(other) is Ramp:
            total = combine(one, other, sign)
            if total is not None:
                return total
        return ufunc(dense(one), dense(other))

    return add


def multiply(one: Number, other: Number) -> Number:
    """Return the product of integers, symbolic where one factor is a ramp, the other a number."""
    for ramp, factor in ((one, other), (other, one)):
        if type(ramp) is Ramp:
            product = scale(ramp, factor)
            if product is not None:
                return product
    return np.multiply(dense(one), dense(other))


def widened(ramp: Ramp, dtype: np.dtype, signed: bool) -> Ramp | None:
    """Return a ramp in a wider type, or None where its elements wrapped before."""
    if ramp.fits() and (signed or ramp.bounds()[0] >= 0):
        return Ramp(ramp.base, ramp.strides, ramp.shape, dtype)
    return None


def advance(pointer: Number, offset: Number, size: int) -> Number:
    """Return pointer + offset · size, an address for each element."""
    if type(offset) is Ramp:
        if offset.fits():
            offset = Ramp(
                offset.base * size, tuple(s * size for s in offset.strides), offset.shape, I64
            )
        else:
            offset = offset.dense().astype(I64) * size
    else:
        offset = dense(offset).astype(I64) * size
    if type(pointer) is Ramp or type(offset) is Ramp:
        total = combine(pointer, offset, 1)
        if total is not None:
            return total
    return dense(pointer) + dense(offset)


def difference_bounds(one: Number, other: Number) -> tuple[int, int] | None:
    """Return bounds on one - other without wrap-around; None where they are not at hand."""
    for value in (one, other):
        if type(value) is Ramp and not value.fits():
            return None
    gap = combine(one, other, -1) if type(one) is Ramp or type(other) is Ramp else None
    return gap.bounds() if gap is not None else None
