"""Blocks and values out of nothing: ranges, constants, casts."""

from __future__ import annotations

from weft.language.builtin import builtin


@builtin
def arange(start, end):
    """Return the int32 block start, start + 1, …, end - 1.

    Both ends are known when compiling and fit in int32; end - start is a power of two.
    """


@builtin
def full(shape, value, dtype):
    """Return a block of `shape` filled with `value`, a constant or a scalar, as `dtype`."""


@builtin
def to_tensor(x):
    """Return `x` as a value of the kernel: a Python number becomes a scalar constant."""


@builtin
def cast(input, dtype, fp_downcast_rounding=None, bitcast=False):
    """Convert the elements of `input` to `dtype`, or reinterpret their bits where `bitcast` is set.

    `fp_downcast_rounding` is "rtne" (nearest, ties to even, the default) or "rtz" (toward zero),
    and may only be given where a float becomes a narrower one.
    """
