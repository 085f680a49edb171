"""What the author knows and the compiler may rely on."""

from __future__ import annotations

from weft.language.builtin import builtin


@builtin
def multiple_of(input, values):
    """Promise that the first of each run of `input` is a multiple of `values`; return `input`.

    `values` is a number, or one per dimension.
    """


@builtin
def max_contiguous(input, values):
    """Promise that `values` neighbours of `input` are consecutive numbers; return `input`."""


@builtin
def max_constancy(input, values):
    """Promise that `values` neighbours of `input` are equal; return `input`."""


@builtin
def assume(cond):
    """Promise that the scalar `cond` is true."""


@builtin
def debug_barrier():
    """Wait until all threads of this program have come here."""
