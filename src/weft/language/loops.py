"""What a `for` or `while` of a kernel may run over."""

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
    """Count as Python's range does, with advice to the compiler about this very loop.

    `num_stages` is the depth of the software pipeline; `loop_unroll_factor` how many iterations to
    put after each other; `flatten` joins nested loops; `warp_specialize` gives loads and arithmetic
    to different warps; `disallow_acc_multi_buffer` keeps one accumulator; `disable_licm` leaves
    invariant code inside.
    """


@builtin
def static_range(arg1, arg2=None, step=None):
    """Count as Python's range does, over constants, and write the body once per number."""


@builtin
def condition(arg1, disable_licm=False):
    """Be the condition of a `while`, with advice to the compiler about this very loop."""
