"""Asynchronous operations complete at their waits, and a missing wait shows."""

from __future__ import annotations

import re

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.errors import LaunchError, PassError
from weft.interpreter import run
from weft.ir import ttng, types
from weft.ir.rewriting import Builder
from weft.ir.text import parse_module, print_module
from weft.testing.pass_equivalence import check_pass

LOOPS = "tritongpu-assign-latencies{{num-stages={0}}},tritongpu-schedule-loops,tritongpu-pipeline"
POINTERS = "*fp16:16, *fp16:16, *fp32:16, i32:16"
ROWS, DEPTH = 32, 32


@weft.jit
def product(a, b, c, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Multiply BM rows of a with n rows of b."""
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, n, BK):
        left = tl.load(a + rows[:, None] * n + k + depth[None, :])
        right = tl.load(b + (k + depth[:, None]) * BN + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * BN + columns[None, :], total)


@weft.jit
def product_of_tiles(a, b, c, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Multiply BM rows of a with n rows of b, both through descriptors."""
    lefts = tl.make_tensor_descriptor(a, [BM, n], [n, 1], [BM, BK])
    rights = tl.make_tensor_descriptor(b, [n, BN], [BN, 1], [BK, BN])
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, n, BK):
        total = tl.dot(lefts.load([0, k]), rights.load([k, 0]), total)
    rows, columns = tl.arange(0, BM), tl.arange(0, BN)
    tl.store(c + rows[:, None] * BN + columns[None, :], total)


def ttgir(kernel: weft.kernel.JITFunction, target: str, num_stages: int) -> str:  # pyright: ignore[reportAttributeAccessIssue]
    """Compile a kernel with tiles of 64 x 64 x 32."""
    compiled = weft.compile(
        kernel,
        signature=f"{POINTERS}, 64, 64, 32",
        target=target,
        num_stages=num_stages,
        stop_after="ttgir",
    )
    return print_module(compiled.module("ttgir"))


def largest_error(text: str, depth: int) -> float:
    """Run a product and compare it with numpy; NaN if it has undefined elements."""
    module = parse_module(text)
    random = np.random.default_rng(0)
    a = random.standard_normal((64, depth)).astype(np.float16)
    b = random.standard_normal((depth, 64)).astype(np.float16)
    c = np.zeros((64, 64), np.float32)
    name = next(name for name in ("product_of_tiles", "product") if f"@{name}(" in text)
    run(module, name, (1,), [a, b, c, depth])
    return float(np.abs(c - a.astype(np.float32) @ b.astype(np.float32)).max())


CASES = [(product, "cuda:80"), (product, "cuda:90"), (product_of_tiles, "cuda:90")]


@pytest.mark.parametrize("num_stages", range(1, 6))
@pytest.mark.parametrize(("kernel", "target"), CASES)
def test_pipelined_loops_compute_the_same(kernel, target, num_stages):
    text = ttgir(kernel, target, num_stages)
    for depth in (0, 32, 64, 96, 256):  # fewer iterations than stages, and more
        assert largest_error(text, depth) < 1e-3


def replaced(pattern: str, by: str, text: str) -> str:
    """Replace each match, of which there is one at least."""
    result, count = re.subn(pattern, by, text)
    assert count
    return result


def test_a_wait_for_too_few_copies_reads_undefined_elements():
    text = ttgir(product, "cuda:80", 3)
    wrong = replaced(r"(ttg.async_wait .*)\{num = 2 : i32\}", r"\1{num = 3 : i32}", text)
    assert np.isnan(largest_error(wrong, 256))


def test_a_buffer_that_is_overwritten_too_early_is_undefined():
    text = ttgir(product, "cuda:90", 3)
    # The MMA of the last iteration may still read the buffer that the next copy writes.
    wrong = replaced(r"\{pendings = 1 : i32\}", "{pendings = 9 : i32}", text)
    assert not largest_error(wrong, 256) < 1e-3


def test_a_wait_for_the_wrong_phase_is_found():
    module = parse_module(ttgir(product_of_tiles, "cuda:90", 3))
    for wait in [op for op in module.walk() if isinstance(op, ttng.WaitBarrierOp)]:
        # The phase before the first one is complete from the start, so this does not wait.
        wait.operands[1] = Builder().before(wait).constant(1, types.i32)
    with pytest.raises(LaunchError, match="too many arrivals on an mbarrier"):
        largest_error(print_module(module), 256)


def test_a_barrier_that_nothing_completes_is_a_deadlock():
    text = ttgir(product_of_tiles, "cuda:90", 3)
    wrong = replaced(r"(ttng.barrier_expect .*, )(\d+)( \{|,)", r"\g<1>999999\3", text)
    with pytest.raises(LaunchError, match="deadlock: nothing completes the phase"):
        largest_error(wrong, 256)


@pytest.mark.parametrize("num_stages", range(1, 6))
def test_check_pass_covers_the_loop_passes(num_stages):
    compiled = weft.compile(
        product, signature=f"{POINTERS}, 32, 32, 32", target="cuda:80", num_stages=1,
        stop_after="ttgir",
    )  # fmt: skip
    module = compiled.module("ttgir")
    passes = LOOPS.format(num_stages)
    check_pass(module, passes, grid=(1,), elements=1 << 13, scalars={3: 96}, seeds=[0])


def test_check_pass_reports_a_wrong_pass():
    with pytest.raises(PassError, match="must have one public function"):
        check_pass("module {}", LOOPS.format(3))
