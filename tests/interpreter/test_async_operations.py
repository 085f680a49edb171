"""Asynchronous operations complete at their waits, and a missing wait shows."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from tests.matmul_kernels import compile_to_ttgir, descriptor_matmul, matmul, substitute
from weft.errors import LaunchError, PassError
from weft.interpreter import run
from weft.ir import ttng, types
from weft.ir.rewriting import Builder
from weft.ir.text import parse_module, print_module
from weft.testing.pass_equivalence import check_pass

LOOPS = "tritongpu-assign-latencies{{num-stages={0}}},tritongpu-schedule-loops,tritongpu-pipeline"
POINTERS = "*fp16:16, *fp16:16, *fp32:16, i32:16"
ROWS, DEPTH = 32, 32


def ttgir(kernel: weft.JITFunction, target: str, num_stages: int) -> str:
    return compile_to_ttgir(kernel, target, num_stages, (64, 64, 32))


def largest_error(text: str, depth: int) -> float:
    """Run a matmul and compare it with numpy; NaN if it has undefined elements."""
    module = parse_module(text)
    random = np.random.default_rng(0)
    a = random.standard_normal((64, depth)).astype(np.float16)
    b = random.standard_normal((depth, 64)).astype(np.float16)
    c = np.zeros((64, 64), np.float32)
    name = next(name for name in ("descriptor_matmul", "matmul") if f"@{name}(" in text)
    run(module, name, (1,), [a, b, c, depth])
    return float(np.abs(c - a.astype(np.float32) @ b.astype(np.float32)).max())


CASES = [(matmul, "cuda:80"), (matmul, "cuda:90"), (descriptor_matmul, "cuda:90")]


@pytest.mark.parametrize("num_stages", range(1, 6))
@pytest.mark.parametrize(("kernel", "target"), CASES)
def test_pipelined_loops_compute_the_same(kernel, target, num_stages):
    text = ttgir(kernel, target, num_stages)
    for depth in (0, 32, 64, 96, 256):  # fewer iterations than stages, and more
        assert largest_error(text, depth) < 1e-3


def test_a_wait_for_too_few_copies_reads_undefined_elements():
    text = ttgir(matmul, "cuda:80", 3)
    wrong = substitute(r"(ttg.async_wait .*)\{num = 2 : i32\}", r"\1{num = 3 : i32}", text)
    assert np.isnan(largest_error(wrong, 256))


def test_a_buffer_that_is_overwritten_too_early_is_undefined():
    text = ttgir(matmul, "cuda:90", 3)
    # The MMA of the last iteration may still read the buffer that the next copy writes.
    wrong = substitute(r"\{pendings = 1 : i32\}", "{pendings = 9 : i32}", text)
    assert not largest_error(wrong, 256) < 1e-3


def test_a_wait_for_the_wrong_phase_is_found():
    module = parse_module(ttgir(descriptor_matmul, "cuda:90", 3))
    for wait in [op for op in module.walk() if isinstance(op, ttng.WaitBarrierOp)]:
        # The phase before the first one is complete from the start, so this does not wait.
        wait.operands[1] = Builder().before(wait).constant(1, types.i32)
    with pytest.raises(LaunchError, match="too many arrivals on an mbarrier"):
        largest_error(print_module(module), 256)


def test_a_barrier_that_nothing_completes_is_a_deadlock():
    text = ttgir(descriptor_matmul, "cuda:90", 3)
    wrong = substitute(r"(ttng.barrier_expect .*, )(\d+)( \{|,)", r"\g<1>999999\3", text)
    with pytest.raises(LaunchError, match="deadlock: nothing completes the phase"):
        largest_error(wrong, 256)


@pytest.mark.parametrize("num_stages", range(1, 6))
def test_check_pass_covers_the_loop_passes(num_stages):
    compiled = weft.compile(
        matmul, signature=f"{POINTERS}, 32, 32, 32", target="cuda:80", num_stages=1,
        stop_after="ttgir",
    )  # fmt: skip
    module = compiled.module("ttgir")
    passes = LOOPS.format(num_stages)
    check_pass(module, passes, grid=(1,), elements=1 << 13, scalars={3: 96}, seeds=[0])


def test_check_pass_reports_a_wrong_pass():
    with pytest.raises(PassError, match="must have one public function"):
        check_pass("module {}", LOOPS.format(3))
