"""The functions of `gl` that are written in Gluon itself."""

# In a kernel, a parameter annotated `constexpr` takes any constant.
# pyright: reportAssignmentType=false, reportArgumentType=false
from __future__ import annotations

from weft.gluon.core import full
from weft.language.kernel_function import kernel_function

__all__ = ["full_like", "zeros", "zeros_like"]


@kernel_function
def zeros(shape, dtype, layout=None):
    """Return a tensor of zeros.

    Args:
        shape: The shape.
        dtype: The type of an element.
        layout: The layout, AutoLayout() if not given.
    """
    return full(shape, 0, dtype, layout)


@kernel_function
def full_like(input, value, shape=None, dtype=None, layout=None):
    """Return a tensor filled with a scalar, with the shape, type and layout of another.

    Args:
        input: The other tensor.
        value: A constant or a scalar.
        shape: The shape, if it is another.
        dtype: The type of an element, if it is another.
        layout: The layout, if it is another.
    """
    return full(
        input.shape if shape is None else shape,
        value,
        input.dtype if dtype is None else dtype,
        input.type.layout if layout is None else layout,
    )


@kernel_function
def zeros_like(input, shape=None, dtype=None, layout=None):
    """Return a tensor of zeros with the shape, type and layout of another.

    Args:
        input: The other tensor.
        shape: The shape, if it is another.
        dtype: The type of an element, if it is another.
        layout: The layout, if it is another.
    """
    return full_like(input, 0, shape=shape, dtype=dtype, layout=layout)
