"""Pairs of fp32 in 64-bit registers, on which Blackwell computes with one instruction."""

from __future__ import annotations

from typing import Any

from weft.gluon.standard import full_like as _full_like
from weft.language.aggregates import aggregate
from weft.language.constexpr import constexpr, constexpr_function
from weft.language.debugging import static_assert
from weft.language.dtypes import float32, int64
from weft.language.inline_asm import inline_asm_elementwise
from weft.language.kernel_function import kernel_function
from weft.language.reductions import reduce
from weft.language.shape_manipulation import join
from weft.language.tensor_classes import tensor
from weft.language.tuples import tuple

__all__ = ["Float2Tensor", "fma", "full_like", "pack", "pack2", "unpack", "unpack2"]


@kernel_function
def _add_f32x2(a, b):
    return inline_asm_elementwise(
        """
        add.f32x2 $0, $1, $2;
        """,
        "=l,l,l",
        [a, b],
        dtype=int64,
        is_pure=True,
        pack=1,
    )


@kernel_function
def _sub_f32x2(a, b):
    return inline_asm_elementwise(
        """
        sub.f32x2 $0, $1, $2;
        """,
        "=l,l,l",
        [a, b],
        dtype=int64,
        is_pure=True,
        pack=1,
    )


@kernel_function
def _mul_f32x2(a, b):
    return inline_asm_elementwise(
        """
        mul.f32x2 $0, $1, $2;
        """,
        "=l,l,l",
        [a, b],
        dtype=int64,
        is_pure=True,
        pack=1,
    )


@kernel_function
def _fma_f32x2(a, b, c):
    return inline_asm_elementwise(
        """
        fma.rn.f32x2 $0, $1, $2, $3;
        """,
        "=l,l,l,l",
        [a, b, c],
        dtype=int64,
        is_pure=True,
        pack=1,
    )


@aggregate
class Float2Tensor:
    """A tensor of pairs.

    Attributes:
        value: The pairs as int64.
    """

    value: tensor

    @constexpr_function
    def __init__(self, value):
        self.value = value

    @kernel_function
    def __add__(self, rhs):
        static_assert(isinstance(rhs, Float2Tensor), "rhs must be a Float2Tensor")
        return Float2Tensor(_add_f32x2(self.value, rhs.value))

    @kernel_function
    def __sub__(self, rhs):
        static_assert(isinstance(rhs, Float2Tensor), "rhs must be a Float2Tensor")
        return Float2Tensor(_sub_f32x2(self.value, rhs.value))

    @kernel_function
    def __mul__(self, rhs):
        static_assert(isinstance(rhs, Float2Tensor), "rhs must be a Float2Tensor")
        return Float2Tensor(_mul_f32x2(self.value, rhs.value))

    @kernel_function
    def sum(self, axis: constexpr):
        """Return the sums of pairs along a dimension."""
        return Float2Tensor(reduce(self.value, axis=axis, combine_fn=_add_f32x2))


@kernel_function
def pack2(x0, x1):
    """Return the pairs of the elements of two tensors."""
    value = inline_asm_elementwise(
        """
        mov.b64 $0, { $1, $2 };
        """,
        "=l,r,r",
        [x0, x1],
        dtype=int64,
        is_pure=True,
        pack=1,
    )
    return Float2Tensor(value)


@kernel_function
def unpack2(x):
    """Return the first and the second elements of pairs."""
    return inline_asm_elementwise(
        """
        mov.b64 { $0, $1 }, $2;
        """,
        "=r,=r,l",
        [x.value],
        dtype=[float32, float32],
        is_pure=True,
        pack=1,
    )


@constexpr_function
def _split_shape(shape: Any, axis: int) -> Any:
    """Compute the shape with pairs as a dimension, and the order that moves it last."""
    extents = list(shape)
    assert extents[axis] >= 2, f"not enough elements to pack along axis {axis}"
    extents[axis] //= 2
    extents.insert(axis + 1, 2)
    order = list(range(len(extents)))
    order[axis + 1], order[-1] = order[-1], order[axis + 1]
    return tuple(extents), tuple(order)


@constexpr_function
def _join_shape(shape: Any, axis: int) -> Any:
    """Compute the shape without pairs, and the order that moves the last dimension to them."""
    extents = list(shape)
    extents[axis] *= 2
    order = list(range(len(extents)))
    order.insert(axis + 1, len(extents))
    return tuple(extents), tuple(order)


@kernel_function
def pack(x, axis):
    """Return the pairs of neighbours along a dimension."""
    sp: constexpr = _split_shape(x.shape, axis)
    x0, x1 = x.reshape(*sp[0]).permute(*sp[1]).split()
    return pack2(x0, x1)


@kernel_function
def unpack(x, axis):
    """Return the elements of pairs as neighbours along a dimension."""
    shape: constexpr = x.value.shape
    sp: constexpr = _join_shape(shape, axis)
    x0, x1 = unpack2(x)
    return join(x0, x1).permute(*sp[1]).reshape(*sp[0])


@kernel_function
def full_like(x, fill_value):
    """Return pairs of a scalar, with the shape and layout of `x`."""
    static_assert(fill_value.dtype == float32, "fill_value must be a float32")
    fill = _full_like(x.value, fill_value, dtype=float32)
    return pack2(fill, fill)


@kernel_function
def fma(a, b, c):
    """Return a * b + c of pairs."""
    return Float2Tensor(_fma_f32x2(a.value, b.value, c.value))
