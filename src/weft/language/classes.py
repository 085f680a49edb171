"""Classes that kernels name in annotations and in isinstance: the kinds of values."""

from __future__ import annotations

from weft.errors import CompilationError
from weft.language.builtin import builtin_of


class tensor:
    """Name a value of a kernel that exists at run time: a scalar or a block."""

    def __init__(self, *args: object) -> None:
        raise CompilationError(
            "tl.tensor is made by the compiler only",
            hint="use tl.full, tl.zeros or tl.arange",
        )


class tensor_descriptor:
    """Name a tensor descriptor, as an argument or from tl.make_tensor_descriptor."""

    def __init__(self, *args: object) -> None:
        raise CompilationError(
            "tl.tensor_descriptor is made by the compiler only",
            hint="use tl.make_tensor_descriptor",
        )


@builtin_of("tensor")
def item(x):
    """Return the only element of a block as a scalar."""


@builtin_of("tensor")
def logical_and(x, other):
    """Return `x and other` of truth values, element by element."""


@builtin_of("tensor")
def logical_or(x, other):
    """Return `x or other` of truth values, element by element."""
