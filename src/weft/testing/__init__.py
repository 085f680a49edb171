"""Helpers for tests of passes and kernels, and measurements with Triton's interface.

pass_equivalence.py    check_pass: compare a kernel before and after passes
benchmarking.py        do_bench, assert_close
gpu_clock.py           set_gpu_clock: lock the clocks of a GPU
perf_reports.py        perf_report: measurements over a range of sizes; svg_plot.py draws them
peak_rates.py          get_dram_gbps and its like: peak rates of a GPU
sanitizing.py          sanitize: check launches; unwritten: arrays whose reads are found
simulation.py          simulate: run launches in the simulator of another chip
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
    from weft.testing.peak_rates import (
        get_dram_gbps,
        get_max_simd_tflops,
        get_max_tensorcore_tflops,
        nvsmi,
    )
    from weft.testing.perf_reports import Benchmark, Mark, perf_report
    from weft.testing.sanitizing import Finding, sanitize, unwritten
    from weft.testing.simulation import simulate

__all__ = [
    "Bench",
    "Benchmark",
    "Difference",
    "Finding",
    "Mark",
    "assert_close",
    "check_pass",
    "do_bench",
    "do_bench_cudagraph",
    "get_dram_gbps",
    "get_max_simd_tflops",
    "get_max_tensorcore_tflops",
    "nvsmi",
    "perf_report",
    "sanitize",
    "simulate",
    "unwritten",
]

__getattr__ = lazy_getattr(
    __name__,
    object_references(
        {
            "weft.testing.bench": "Bench",
            "weft.testing.benchmarking": "assert_close do_bench do_bench_cudagraph",
            "weft.testing.gpu_clock": "cuda_memcheck set_gpu_clock",
            "weft.testing.pass_equivalence": "Difference check_pass",
            "weft.testing.peak_rates": (
                "get_dram_gbps get_max_simd_tflops get_max_tensorcore_tflops nvsmi"
            ),
            "weft.testing.perf_reports": "Benchmark Mark perf_report",
            "weft.testing.sanitizing": "Finding sanitize unwritten",
            "weft.testing.simulation": "simulate",
        }
    ),
)
