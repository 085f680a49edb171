"""What kernels, autotuners and heuristics have in common: a launch on a grid.

kernel[grid](…)    KernelInterface, the base of all three
kernel_of(tuned)   the kernel inside of an autotuner
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any, Generic, TypeVar

from weft.errors import Location, UnsupportedError
from weft.language.kernel_function import KernelFunction

__all__ = ["KernelInterface", "kernel_of"]

Inner = TypeVar("Inner")


class KernelInterface(Generic[Inner]):
    """Anything that is launched with `[grid]`: a kernel, an autotuner, heuristics."""

    fn: Inner

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> object:
        """Launch with `grid`; see JITFunction.run."""
        raise NotImplementedError

    def warmup(self, *args: object, grid: object, **kwargs: object) -> object:
        """Compile for these arguments without launching; see JITFunction.run.

        Returns:
            The loaded kernel; of an autotuner a list of them, one for each configuration.
        """
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def __getitem__(self, grid: object) -> Callable[..., Any]:
        """Get the launch on `grid`: sizes, or a function from the arguments to sizes."""
        return partial(self.run, grid=grid, warmup=False)


def kernel_of(kernel: object) -> KernelFunction:
    """Unwrap the kernel inside of autotuners and heuristics.

    Raises:
        UnsupportedError: There is none.
    """
    inner = kernel
    while isinstance(inner, KernelInterface) and not isinstance(inner, KernelFunction):
        inner = inner.fn
    if isinstance(inner, FunctionType):
        raise UnsupportedError(
            f"{inner.__name__} is a plain Python function",
            location=Location(inner.__code__.co_filename, inner.__code__.co_firstlineno),
            accepted=["a function decorated with weft.jit", "a triton JITFunction"],
            hint="decorate it with @weft.jit",
        )
    return KernelFunction.of(inner)
