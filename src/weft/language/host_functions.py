"""Python functions that run while a kernel is compiled, on the kernel's values.

    @tl.core.builtin
    def twice(x, _semantic=None):
        return tl.add(x, x, _semantic=_semantic)

The front end calls such a function with the values of the kernel, and with itself as `_semantic`,
which the function passes on to functions of the language.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from weft.errors import CompilationError

__all__ = ["HostFunction", "builtin", "extern", "is_builtin", "must_use_result"]


class HostFunction:
    """A Python function that the front end calls.

    Attributes:
        fn: The function.
    """

    __triton_builtin__ = True
    __name__: str

    def __init__(self, fn: Callable[..., object]) -> None:
        self.fn = fn
        functools.update_wrapper(self, fn)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Call the function, as another one does that the front end calls.

        Raises:
            CompilationError: There is no `_semantic`: the call is in host code.
        """
        if kwargs.get("_semantic") is None:
            raise CompilationError(
                "Did you forget to add @triton.jit ? (`_semantic` argument must be provided "
                "outside of JIT functions.)",
                found=f"a call of {self.__name__} from host code",
            )
        return self.fn(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Bind a method to its instance."""
        return self if instance is None else functools.partial(self, instance)


def builtin(fn: Callable[..., object]) -> HostFunction:
    """Make a Python function with a parameter `_semantic` callable in kernels."""
    return HostFunction(fn)


def extern(fn: Callable[..., object]) -> HostFunction:
    """Make a Python function callable in kernels, as `builtin` does."""
    return HostFunction(fn)


def is_builtin(fn: object) -> bool:
    """Check whether the compiler implements a function, or calls it with `_semantic`."""
    return bool(getattr(fn, "__triton_builtin__", False))


def must_use_result(x: Any, s: object = True) -> Any:
    """Make a call whose result is not used an error, with a text if `x` is one."""
    if isinstance(x, str):
        return lambda function: must_use_result(function, x)
    x._must_use_result = s
    return x
