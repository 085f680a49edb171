"""Integer operations of arith: two's complement that wraps around, division that truncates.

i1 is numpy's bool, whose `+` is a logical or; so i1 has a table of functions for itself.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation

from weft.interpreter.affine_arithmetic import Number, adder, multiply
from weft.interpreter.dtypes import BOOL, dtype_of, unsigned
from weft.interpreter.registry import Evaluate, pure
from weft.interpreter.values import AffineTensor, dense, extent
from weft.ir import arith, math, tt, types
from weft.ir.attributes import number

Binary = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _div_signed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a - np.fmod(a, b)) // b


def _ceil_div(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a // b + (a % b != 0).astype(a.dtype)


_SIGNED: dict[str, Binary] = {
    "arith.divsi": _div_signed,
    "arith.remsi": np.fmod,
    "arith.floordivsi": np.floor_divide,
    "arith.ceildivsi": _ceil_div,
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.shrsi": np.right_shift,
    "arith.minsi": np.minimum,
    "arith.maxsi": np.maximum,
}
_UNSIGNED: dict[str, Binary] = {
    "arith.divui": np.floor_divide,
    "arith.remui": np.remainder,
    "arith.ceildivui": _ceil_div,
    "arith.shli": np.left_shift,
    "arith.shrui": np.right_shift,
    "arith.minui": np.minimum,
    "arith.maxui": np.maximum,
}
_BITS: dict[str, Binary] = {  # signed, the i1 true is -1
    "arith.addi": np.logical_xor,
    "arith.subi": np.logical_xor,
    "arith.muli": np.logical_and,
    "arith.andi": np.logical_and,
    "arith.ori": np.logical_or,
    "arith.xori": np.logical_xor,
    "arith.minsi": np.logical_or,
    "arith.maxsi": np.logical_and,
    "arith.minui": np.logical_and,
    "arith.maxui": np.logical_or,
    "arith.divsi": np.logical_and,
    "arith.divui": np.logical_and,
    "arith.floordivsi": np.logical_and,
    "arith.ceildivsi": np.logical_and,
    "arith.ceildivui": np.logical_and,
    "arith.remsi": lambda a, b: a & ~a & b,
    "arith.remui": lambda a, b: a & ~a & b,
    "arith.shli": lambda a, b: a & ~b,
    "arith.shrui": lambda a, b: a & ~b,
    "arith.shrsi": lambda a, b: a | (b & ~b),
}


@pure(arith.AddIOp, arith.SubIOp, arith.MulIOp)
def ring(op: Operation) -> Evaluate:
    """Add, subtract or multiply, keeping affine tensors."""
    if dtype_of(op.results[0].type) == BOOL:
        return _BITS[op.name]
    if op.name == "arith.muli":
        return multiply
    return adder(np.add, 1) if op.name == "arith.addi" else adder(np.subtract, -1)


@pure(*_SIGNED)
def signed(op: Operation) -> Evaluate:
    """Apply a signed operation."""
    if dtype_of(op.results[0].type) == BOOL:
        return _BITS[op.name]
    f = _SIGNED[op.name]
    if op.name == "arith.remsi":
        return lambda a, b: a if _is_below(a, b) else f(dense(a), dense(b))
    return lambda a, b: f(dense(a), dense(b))


@pure(*_UNSIGNED)
def unsigned_(op: Operation) -> Evaluate:
    """Apply an unsigned operation, on unsigned views."""
    dtype = dtype_of(op.results[0].type)
    if dtype == BOOL:
        return _BITS[op.name]
    f, view = _UNSIGNED[op.name], unsigned(dtype)
    return lambda a, b: f(dense(a).view(view), dense(b).view(view)).view(dtype)


def _is_below(a: Number, b: Number) -> bool:
    """Check whether an affine tensor is in [0, b), so that a % b is the tensor itself."""
    if (
        type(a) is not AffineTensor
        or type(b) is AffineTensor
        or b.shape[0] != b.size
        or not a.fits()
    ):
        return False
    low, high = a.bounds()
    return low >= 0 and high < extent(b)[0]


@pure(tt.MulhiUIOp)
def mulhiui(op: Operation) -> Evaluate:
    """Compute the high half of the unsigned product."""
    dtype = dtype_of(op.results[0].type)
    view, bits = unsigned(dtype), 8 * dtype.itemsize
    if bits < 64:
        wide = np.dtype(np.uint64)

        def high(a: Number, b: Number) -> np.ndarray:
            x, y = (dense(v).view(view).astype(wide) for v in (a, b))
            return (x * y >> np.uint64(bits)).astype(view).view(dtype)

        return high
    return lambda a, b: _mulhi64(dense(a).view(view), dense(b).view(view)).view(dtype)


def _mulhi64(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    a1, a0, b1, b0 = a >> half, a & low, b >> half, b & low
    middle = a1 * b0 + (a0 * b0 >> half)
    other = a0 * b1 + (middle & low)
    return a1 * b1 + (middle >> half) + (other >> half)


@pure(math.AbsIOp)
def absi(op: Operation) -> Evaluate:
    """Compute the absolute value; that of the least number is itself."""
    if dtype_of(op.results[0].type) == BOOL:
        return dense
    return lambda a: np.abs(dense(a))


@pure(arith.ConstantOp)
def constant(op: Operation) -> Evaluate:
    """Produce the constant; a splat is one number."""
    type_ = op.results[0].type
    dtype, attribute = dtype_of(type_), op.properties["value"]
    shape = types.shape(type_)
    value = number(attribute)
    if value is not None:
        scalar = (
            np.array(value).astype(dtype) if dtype.kind not in "iu" else _integer(int(value), dtype)
        )
        array = np.asarray(scalar).reshape((1,) * (len(shape) + 1))
    else:
        if not isinstance(attribute, DenseIntOrFPElementsAttr):
            raise TypeError(f"arith.constant: {attribute} has no numbers")
        array = np.array(attribute.get_values()).astype(dtype).reshape(1, *shape)
    return lambda: array


def _integer(value: int, dtype: np.dtype) -> np.ndarray:
    bits = 8 * dtype.itemsize
    wrapped = (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    return np.array(wrapped, dtype)
