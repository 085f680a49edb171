"""Iterators of `for` loops and the condition of `while` loops."""

from __future__ import annotations

from weft.language.builtin import builtin


@builtin
def range(
    arg1,
    arg2=None,
    step=None,
    num_stages=None,
    loop_unroll_factor=None,
    disallow_acc_multi_buffer=False,
    flatten=False,
    warp_specialize=False,
    disable_licm=False,
):
    """Iterate as Python's range does, with hints for the compilation of this loop.

    Args:
        arg1: The end if it is the only bound, else the start.
        arg2: The end.
        step: The increment.
        num_stages: The depth of the software pipeline.
        loop_unroll_factor: The number of iterations to unroll.
        disallow_acc_multi_buffer: Do not multi-buffer the accumulator of a dot in the loop.
        flatten: Flatten the nest of loops below this one into one loop.
        warp_specialize: Run loads and computation in different warps.
        disable_licm: Do not hoist loop-invariant code.
    """


@builtin
def static_range(arg1, arg2=None, step=None):
    """Iterate as Python's range does over compile-time constants, and unroll the loop."""


@builtin
def condition(arg1, disable_licm=False):
    """Wrap the condition of a `while` loop to give hints for its compilation."""
