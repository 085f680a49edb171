"""Classes of run-time values, which kernels name in annotations and in isinstance."""

from __future__ import annotations

from weft.errors import CompilationError
from weft.language.builtin import builtin_of


class tensor:
    """A value that exists at run time: a scalar or a block."""

    def __init__(self, *args: object) -> None:
        raise CompilationError(
            "only the compiler creates a tl.tensor",
            hint="use tl.full, tl.zeros or tl.arange",
        )


class tensor_descriptor:
    """A tensor descriptor: an argument, or the result of tl.make_tensor_descriptor."""

    def __init__(self, *args: object) -> None:
        raise CompilationError(
            "only the compiler creates a tl.tensor_descriptor",
            hint="use tl.make_tensor_descriptor",
        )


@builtin_of("tensor")
def item(x):
    """Return the single element of a block as a scalar."""


@builtin_of("tensor")
def logical_and(x, other):
    """Return `x and other`, elementwise."""


@builtin_of("tensor")
def logical_or(x, other):
    """Return `x or other`, elementwise."""
