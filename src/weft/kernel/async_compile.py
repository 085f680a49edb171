"""Compile kernels in other threads, as `triton.AsyncCompileMode` does.

    with ThreadPoolExecutor(4) as pool, triton.AsyncCompileMode(pool):
        add.warmup(x, y, out, n, BLOCK=1024, grid=(1,))      # a FutureKernel
        add[grid](x, y, out, n, BLOCK=1024)                  # waits for it, then launches

A thread that compiles is in no mode itself: the mode belongs to the context that entered it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextvars import ContextVar
from typing import Any

from weft.errors import LaunchError

__all__ = ["AsyncCompileMode", "FutureKernel", "active_mode"]

active_mode: ContextVar[AsyncCompileMode | None] = ContextVar("active_mode", default=None)
"""The mode that the current context is in."""


class FutureKernel:
    """A kernel that is being compiled; its attributes are those of the compiled kernel.

    Attributes:
        finalize_compile: Called with the kernel once it is compiled.
        future: Its compilation.
        kernel: The kernel, or None.
        signature: The signature that it is compiled for, which is known before.
    """

    signature: Any

    def __init__(self, finalize_compile: Callable[[Any], object], future: Future[Any]) -> None:
        self.finalize_compile = finalize_compile
        self.future = future
        self.kernel: Any = None

    def result(self, ignore_errors: bool = False) -> Any:
        """Wait for the kernel; None if it cannot be compiled and errors are ignored."""
        if self.kernel is None:
            error = self.future.exception()
            if error is not None:
                if ignore_errors:
                    return None
                raise error
            self.kernel = self.future.result()
            self.finalize_compile(self.kernel)
        return self.kernel

    def __getattr__(self, name: str) -> Any:
        return getattr(self.result(), name)


class AsyncCompileMode:
    """A context in which `submit` compiles in an executor.

    Attributes:
        executor: Runs the compilations.
        ignore_errors: Leave out kernels that cannot be compiled.
        raw_futures: The compilations.
        future_kernels: The kernels by key.
    """

    def __init__(self, executor: Executor, *, ignore_errors: bool = False) -> None:
        self.executor = executor
        self.ignore_errors = ignore_errors
        self.raw_futures: list[Future[Any]] = []
        self.future_kernels: dict[object, FutureKernel] = {}

    def submit(
        self, key: object, compile_fn: Callable[[], Any], finalize_fn: Callable[[Any], object]
    ) -> FutureKernel:
        """Compile a kernel, unless one with this key is compiled already."""
        if key not in self.future_kernels:
            future = self.executor.submit(compile_fn)
            self.raw_futures.append(future)
            self.future_kernels[key] = FutureKernel(finalize_fn, future)
        return self.future_kernels[key]

    def __enter__(self) -> AsyncCompileMode:
        if active_mode.get() is not None:
            raise LaunchError("Another AsyncCompileMode is already active")
        active_mode.set(self)
        return self

    def __exit__(self, *error: object) -> None:
        active_mode.set(None)
        for kernel in self.future_kernels.values():
            kernel.result(self.ignore_errors)
