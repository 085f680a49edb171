"""Declarations of the functions that the compiler implements.

A declaration is a Python function without a body; its signature and docstring are the contract:

    @builtin
    def program_id(axis):
        '''Return the index of this program along `axis` of the grid.'''

`weft.frontend.semantics.builtins` has the implementation under the qualified name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any

from weft.errors import CompilationError


class Builtin:
    """A function of the language that only kernels can call.

    Attributes:
        namespace: The module or class below `tl` that declares it: "" for `tl` itself, "math",
            "extra.libdevice", "tensor_descriptor", …
        takes_values: Whether the implementation takes the values of the front end, rather than
            constants and tuples of Python.
    """

    takes_values = False

    def __init__(self, function: Callable[..., object], namespace: str = "") -> None:
        """Take name, signature and docstring of a Python function."""
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.__wrapped__ = function
        self.namespace = namespace

    @property
    def qualified_name(self) -> str:
        """The name below `tl`: "load", "math.exp", "extra.libdevice.tanh"."""
        return f"{self.namespace}.{self.__name__}" if self.namespace else self.__name__

    @cached_property
    def signature(self) -> inspect.Signature:
        """The parameters."""
        return inspect.signature(self.__wrapped__)

    __triton_builtin__ = True

    def __call__(self, *args: object, _semantic: Any = None, **kwargs: object) -> Any:
        """Emit a call, in a function that the front end calls and that has `_semantic`.

        Raises:
            CompilationError: The call is in host code.
        """
        if _semantic is not None:
            return _semantic.call(self, args, kwargs)
        raise CompilationError(
            f"tl.{self.qualified_name} can only be called inside a kernel: Did you forget to add "
            "@triton.jit ? (`_semantic` argument must be provided outside of JIT functions.)",
            found="a call from host code",
        )

    def __repr__(self) -> str:
        return f"tl.{self.qualified_name}"


def builtin(function: Callable[..., object]) -> Builtin:
    """Declare a function of `tl` itself."""
    return Builtin(function)


def builtin_of(namespace: str) -> Callable[[Callable[..., object]], Builtin]:
    """Create a decorator that declares a function of `tl.<namespace>`."""

    def declare(function: Callable[..., object]) -> Builtin:
        return Builtin(function, namespace)

    return declare
