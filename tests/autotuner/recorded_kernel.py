"""A fake kernel that records its launches, and a fake do_bench with given times."""

from __future__ import annotations

import numpy as np

import weft
import weft.language as tl
from weft.errors import CompilationError
from weft.kernel.jit import JITFunction


class RecordedKernel(JITFunction):
    """A kernel that adds 1 to `x`, and fails to compile for a BLOCK of 13."""

    def run(self, *args, grid, warmup=False, **kwargs):  # pyright: ignore[reportIncompatibleMethodOverride]
        if kwargs.get("BLOCK") == 13:
            raise CompilationError("13 is unlucky")
        self.calls = [*getattr(self, "calls", []), (warmup, kwargs)]
        if not warmup:
            args[0][...] += 1  # pyright: ignore[reportIndexIssue]
        return grid


def kernel() -> RecordedKernel:
    def add_one(x, n, BLOCK: tl.constexpr):
        pass

    return RecordedKernel(add_one)


def bench(times):
    """Return a do_bench that runs a call once, and returns the times of a list in order."""
    remaining = iter(times)

    def do_bench(call, quantiles):
        call()
        return [next(remaining)] * len(quantiles)

    return do_bench


CONFIGS = [weft.Config({"BLOCK": block}, num_warps=block // 16) for block in (16, 32, 64)]
x = np.zeros(4, np.float32)


def blocks(fn) -> list[int]:
    return [kwargs["BLOCK"] for _, kwargs in fn.calls]
