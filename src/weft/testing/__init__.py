"""Help for tests of passes and kernels, and for measuring kernels under Triton's names."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft.testing.bench import Bench
    from weft.testing.meaning import Difference, check_pass
    from weft.testing.measuring import assert_close, do_bench, do_bench_cudagraph
    from weft.testing.reports import Benchmark, Mark, perf_report

__all__ = [
    "Bench",
    "Benchmark",
    "Difference",
    "Mark",
    "assert_close",
    "check_pass",
    "do_bench",
    "do_bench_cudagraph",
    "perf_report",
]

_HOMES = {
    "Bench": "bench",
    "Benchmark": "reports",
    "Difference": "meaning",
    "Mark": "reports",
    "assert_close": "measuring",
    "check_pass": "meaning",
    "do_bench": "measuring",
    "do_bench_cudagraph": "measuring",
    "perf_report": "reports",
}


def __getattr__(name: str) -> object:
    """Load a name on first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'weft.testing' has no attribute {name!r}")
    return getattr(importlib.import_module(f"weft.testing.{home}"), name)
