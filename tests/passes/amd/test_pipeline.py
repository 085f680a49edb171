"""Pipelined dots on AMD chips compute what numpy does, for every number of iterations."""

from __future__ import annotations

import re

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.codegen import lower
from weft.interpreter import run as interpret
from weft.ir.builtin import ModuleOp
from weft.ir.text import print_module
from weft.simulator import run as simulate

CHIPS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
STAGES = (2, 3, 4)
SIZE, DEPTH = 32, 32
SIGNATURE = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "k": "i32"}
ALIGNED = {name: [["tt.divisibility", 16]] for name in "abc"}


@weft.jit
def matmul(a, b, c, k, SIZE: tl.constexpr, DEPTH: tl.constexpr):
    rows, depth = tl.arange(0, SIZE), tl.arange(0, DEPTH)
    sum = tl.zeros((SIZE, SIZE), tl.float32)
    for i in range(k):
        step = i * DEPTH + depth
        x = tl.load(a + rows[:, None] * 256 + step[None, :])
        y = tl.load(b + step[:, None] * SIZE + rows[None, :])
        sum = tl.dot(x, y, sum)
    tl.store(c + rows[:, None] * SIZE + rows[None, :], sum)


@weft.jit
def attention(a, b, c, k, SIZE: tl.constexpr, DEPTH: tl.constexpr):
    rows, depth = tl.arange(0, SIZE), tl.arange(0, DEPTH)
    q = tl.load(a + rows[:, None] * 256 + depth[None, :])
    sum = tl.zeros((SIZE, DEPTH), tl.float32)
    total = tl.zeros((SIZE,), tl.float32)
    for i in range(k):
        keys = i * DEPTH + depth
        x = tl.load(b + keys[None, :] * SIZE + rows[:, None])
        p = tl.exp2(tl.dot(q, x) * 0.01)
        total += tl.sum(p, 1)
        y = tl.load(b + keys[:, None] * SIZE + rows[None, :])
        sum = tl.dot(p.to(tl.float16), y, sum)
    sum += total[:, None]
    tl.store(c + rows[:, None] * DEPTH + depth[None, :], sum)


def compiled(kernel, chip: str, **options) -> ModuleOp:
    """Compile a kernel to TTGIR."""
    return weft.compile(
        kernel,
        signature=SIGNATURE,
        constexprs={"SIZE": SIZE, "DEPTH": DEPTH},
        attrs=ALIGNED,  # pyright: ignore[reportArgumentType]
        target=chip,
        **options,
    ).module("ttgir")


def inputs(count: int) -> list[np.ndarray]:
    random = np.random.default_rng(count)
    a = random.integers(-4, 5, (SIZE, 256)).astype(np.float16)
    b = random.integers(-4, 5, (256, SIZE)).astype(np.float16)
    return [a, b, np.full((SIZE, SIZE), -1, np.float32)]


def expected(kernel, count: int) -> np.ndarray:
    a, b, _ = (array.astype(np.float64) for array in inputs(count))
    if kernel is matmul:
        return a[:, : DEPTH * count] @ b[: DEPTH * count]
    keys = b[: DEPTH * count]
    weights = np.exp2(a[:, :DEPTH] @ keys.T * 0.01)
    return weights @ keys + weights.sum(1)[:, None]


def check(kernel, module: ModuleOp, counts: range) -> None:
    llvm = lower(module)
    for count in counts:
        arguments = [*inputs(count), count]
        simulate(
            llvm.text,
            grid=(1,),
            arguments=arguments,
            warp_size=llvm.target.threads_per_warp,
            shared_bytes=llvm.shared_bytes,
        )
        np.testing.assert_allclose(arguments[2], expected(kernel, count), rtol=2e-2, atol=0.2)


def is_default(chip: str, num_stages: int) -> bool:
    """Check whether a case is in the default run: one number of stages per chip, in rotation."""
    return CHIPS.index(chip) % len(STAGES) == STAGES.index(num_stages)


CASES = [
    pytest.param(chip, num_stages, marks=() if is_default(chip, num_stages) else pytest.mark.slow)
    for chip in CHIPS
    for num_stages in STAGES
]
ASYNC_CASES = [case for case in CASES if case.values[0] in ("gfx942", "gfx950", "gfx1250")]
kernels = pytest.mark.parametrize("kernel", [matmul, attention], ids=lambda kernel: kernel.__name__)


@kernels
@pytest.mark.parametrize(("chip", "num_stages"), CASES)
def test_through_registers(kernel, chip, num_stages):
    module = compiled(kernel, chip, num_stages=num_stages, use_block_pingpong=False)
    assert "ttg.local_store" in print_module(module)
    counts = range(num_stages + 2)
    check(kernel, module, counts)
    for count in counts:
        arguments = [*inputs(count), count]
        interpret(module, kernel.__name__, (1,), arguments)
        np.testing.assert_allclose(arguments[2], expected(kernel, count), rtol=2e-2, atol=0.2)


@kernels
@pytest.mark.parametrize("use_pingpong", [False, True])
@pytest.mark.parametrize(("chip", "num_stages"), ASYNC_CASES)
def test_asynchronously(kernel, chip, num_stages, use_pingpong):
    module = compiled(
        kernel,
        chip,
        num_stages=num_stages,
        use_async_copy=True,
        use_block_pingpong=use_pingpong,
    )
    assert "async_wait" in print_module(module)
    check(kernel, module, range(num_stages + 2))


@pytest.mark.parametrize(("use_async_copy", "order"), [(False, "[1, 0]"), (True, "[0, 1]")])
def test_the_order_of_buffers_follows_lanes_that_cannot_scatter(use_async_copy, order):
    """A lane has 32 rows of one byte each, which asynchronous copies could write together."""
    kernel = weft.compile(
        matmul,
        signature={**SIGNATURE, "a": "*fp8e5", "b": "*fp8e5"},
        constexprs={"SIZE": 64, "DEPTH": 64},
        target="hip:gfx1201",
        use_async_copy=use_async_copy,
        stop_after="loops",
    )
    orders = re.findall(r"#ttg.swizzled_shared<.*order = (\[.*\])}>", kernel.asm["ttgir"])
    assert orders
    assert order in orders
