"""Declarations of the functions that only the compiler can carry out.

A declaration is a Python function without a body; its signature and docstring are the contract:

    @builtin
    def program_id(axis):
        '''Return the index of this program along `axis` of the grid.'''

The meaning is found by `weft.frontend.semantics.builtins` under `qualified_name`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any

from weft.errors import CompilationError


class Builtin:
    """Declare one function of the language.

    Args: function: gives signature and docstring.  family: the module of `tl` that it is in, ""
          for `tl` itself, "math", "extra.libdevice", ….
    """

    def __init__(self, function: Callable[..., Any], family: str = "") -> None:
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.__wrapped__ = function
        self.family = family

    @property
    def qualified_name(self) -> str:
        """Return the name below `tl`: "load", "math.exp", "extra.libdevice.tanh"."""
        return f"{self.family}.{self.__name__}" if self.family else self.__name__

    @cached_property
    def signature(self) -> inspect.Signature:
        """Return the parameters as a kernel author may give them."""
        return inspect.signature(self.__wrapped__)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Raise CompilationError: outside of a kernel the function has no meaning."""
        raise CompilationError(
            f"tl.{self.qualified_name} has a meaning only inside a kernel",
            found="a call from host code",
            hint="call it from a function decorated with @weft.jit",
        )

    def __repr__(self) -> str:
        return f"tl.{self.qualified_name}"


def builtin(function: Callable[..., Any]) -> Builtin:
    """Declare a function of `tl` itself."""
    return Builtin(function)


def builtin_of(family: str) -> Callable[[Callable[..., Any]], Builtin]:
    """Return a decorator that declares a function of the module `tl.<family>`."""

    def declare(function: Callable[..., Any]) -> Builtin:
        return Builtin(function, family)

    return declare
