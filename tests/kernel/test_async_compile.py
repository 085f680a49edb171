"""Compilations in other threads, or in any executor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft.errors import CompilationError, LaunchError
from weft.kernel.async_compile import AsyncCompileMode, FutureKernel


@weft.jit
def fill(x, VALUE: tl.constexpr):
    tl.store(x, VALUE)


@weft.jit
def wrong(x):
    tl.store(x, missing)  # pyright: ignore[reportUndefinedVariable]  # noqa: F821


class Queue(Executor):
    """An executor that runs one task at each request."""

    def __init__(self) -> None:
        self.tasks: list[Callable[[], None]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()

        def run() -> None:
            try:
                future.set_result(fn(*args, **kwargs))
            except Exception as error:
                future.set_exception(error)

        self.tasks.append(run)
        return future


def test_each_kernel_is_submitted_once():
    kernel, queue, x = weft.jit(fill.fn), Queue(), np.zeros(1, np.float32)
    with AsyncCompileMode(queue):
        for value in (1, 2, 1):
            assert isinstance(kernel.warmup(x, value, grid=(1,)), FutureKernel)
        assert len(queue.tasks) == len(kernel.device_caches[0][0]) == 2
        queue.tasks.pop(0)()
        kernel[(1,)](x, 1)
        assert x[0] == 1
        queue.tasks.pop(0)()
    loaded = kernel[(1,)](x, 2)
    assert x[0] == 2
    assert not isinstance(loaded, FutureKernel)
    assert kernel.warmup(x, 2, grid=(1,)) is loaded
    assert not queue.tasks


def test_threads(monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    gpu, kernel = FakeCuda(monkeypatch), weft.jit(fill.fn)
    with ThreadPoolExecutor(2) as pool, AsyncCompileMode(pool):
        for value in range(4):
            kernel.warmup(Tensor(), value, grid=(1,))
        for value in range(5):
            assert kernel[(1,)](Tensor(), value).metadata.num_warps == 4
    assert len(gpu.launches) == len(kernel.device_caches[0][0]) == 5


def test_errors():
    x = np.zeros(1, np.float32)
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(CompilationError, match="missing"), AsyncCompileMode(pool):
            weft.jit(wrong.fn).warmup(x, grid=(1,))
        with AsyncCompileMode(pool, ignore_errors=True):
            weft.jit(wrong.fn).warmup(x, grid=(1,))
        with (
            AsyncCompileMode(pool),
            pytest.raises(LaunchError, match="already active"),
            AsyncCompileMode(pool),
        ):
            pass
