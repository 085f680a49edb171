"""Creation of blocks and scalars: ranges, constants, casts."""

from __future__ import annotations

from weft.language.builtin import builtin


@builtin
def arange(start, end):
    """Return the int32 block start, start + 1, …, end - 1.

    Both are compile-time constants that fit in int32; end - start is a power of two.
    """


@builtin
def full(shape, value, dtype):
    """Return a block of `shape` and type `dtype` filled with `value`, a constant or a scalar."""


@builtin
def to_tensor(x):
    """Convert a Python number to a scalar constant; return a run-time value unchanged."""


@builtin
def cast(input, dtype, fp_downcast_rounding=None, bitcast=False):
    """Convert the elements of `input` to `dtype`.

    Args:
        input: A scalar or a block.
        dtype: The element type of the result.
        fp_downcast_rounding: The rounding mode of a conversion to a narrower float: "rtne" (to
            nearest, ties to even, the default) or "rtz" (toward zero).
        bitcast: Reinterpret the bits instead of converting the values.
    """
