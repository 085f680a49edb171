"""Compiler hints: facts that the author guarantees and the compiler relies on."""

from __future__ import annotations

from weft.language.builtin import builtin


@builtin
def multiple_of(input, values):
    """Guarantee the divisibility of `input`; return `input`.

    The first element of each contiguous run along dimension i is a multiple of `values[i]`.
    """


@builtin
def max_contiguous(input, values):
    """Guarantee that runs of `values[i]` elements of `input` are consecutive; return `input`."""


@builtin
def max_constancy(input, values):
    """Guarantee that runs of `values[i]` elements of `input` are equal; return `input`."""


@builtin
def assume(cond):
    """Guarantee that the scalar `cond` is true."""


@builtin
def debug_barrier():
    """Synchronize all threads of this program."""
