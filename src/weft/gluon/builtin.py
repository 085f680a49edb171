"""Declarations of the functions of Gluon that the compiler implements.

A declaration is a Python function without a body, as in `weft.language.builtin`; the functions of
`tl` that Gluon has too, such as `load`, are the same objects in both.
`weft.frontend.semantics.gluon` has the implementation under the qualified name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft.errors import CompilationError
from weft.language.builtin import Builtin

__all__ = ["GluonBuiltin", "builtin", "builtin_of"]


class GluonBuiltin(Builtin):
    """A function of Gluon that only kernels can call.

    Attributes:
        namespace: The module or class below `gl` that declares it: "nvidia.hopper.tma".
    """

    def __init__(
        self, function: Callable[..., object], namespace: str = "", *, takes_values: bool = False
    ) -> None:
        """Take name, signature and docstring of a Python function."""
        super().__init__(function, namespace)
        self.takes_values = takes_values

    @property
    def qualified_name(self) -> str:
        """The name of the implementation: "gluon.convert_layout"."""
        return f"gluon.{super().qualified_name}"

    def __call__(self, *args: object, _semantic: Any = None, **kwargs: object) -> Any:
        """Emit a call, in a function that the front end calls and that has `_semantic`.

        Raises:
            CompilationError: The call is in host code.
        """
        if _semantic is not None:
            return _semantic.call(self, args, kwargs)
        raise CompilationError(
            f"{self} can only be called inside a kernel",
            found="a call from host code",
            hint="did you forget to add @gluon.jit?",
        )

    def __repr__(self) -> str:
        return f"gl.{self.qualified_name.removeprefix('gluon.')}"


def builtin(function: Callable[..., object]) -> GluonBuiltin:
    """Declare a function of `gl` itself."""
    return GluonBuiltin(function)


def builtin_of(
    namespace: str, *, takes_values: bool = False
) -> Callable[[Callable[..., object]], GluonBuiltin]:
    """Create a decorator that declares a function of `gl.<namespace>`."""

    def declare(function: Callable[..., object]) -> GluonBuiltin:
        return GluonBuiltin(function, namespace, takes_values=takes_values)

    return declare
