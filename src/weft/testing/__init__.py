"""Helpers for tests of passes and kernels, and measurements with Triton's interface.

pass_equivalence.py    check_pass: compare a kernel before and after passes
benchmarking.py        do_bench, assert_close
perf_reports.py        perf_report: measurements over a range of sizes; svg_plot.py draws them
bench.py               Bench: what `weft bench` measures of a file
launch_recorder.py     the launches of a program, for `weft bench`; launch_cost.py counts them
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_attributes import lazy_getattr, object_references

if TYPE_CHECKING:
    from weft.testing.bench import Bench
    from weft.testing.benchmarking import assert_close, do_bench, do_bench_cudagraph
    from weft.testing.pass_equivalence import Difference, check_pass
    from weft.testing.perf_reports import Benchmark, Mark, perf_report

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

__getattr__ = lazy_getattr(
    __name__,
    object_references(
        {
            "weft.testing.bench": "Bench",
            "weft.testing.benchmarking": "assert_close do_bench do_bench_cudagraph",
            "weft.testing.pass_equivalence": "Difference check_pass",
            "weft.testing.perf_reports": "Benchmark Mark perf_report",
        }
    ),
)
