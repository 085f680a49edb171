"""Arrivals of commits that are multicast to the CTAs of a cluster, and copies to tensor memory."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from weft.errors import LaunchError, VerifyError
from weft.interpreter import run
from weft.interpreter.ops.multicast import count_commits
from weft.ir import ttng
from weft.ir.text import parse_module
from weft.ir.verifier import verify

BARRIER = "!ttg.memdesc<1xi64, #one, #smem, mutable>"


def layout(bases: list[list[int]], transposed: str = "false") -> str:
    cga = f", CGALayout = {bases}" if bases else ""
    return (
        f"#ttg.nvmma_shared<{{swizzlingByteWidth = 128, transposed = {transposed}, "
        f"elementBitWidth = 16{cga}}}>"
    )


def commits(
    a: list[list[int]], b: list[list[int]], count: int, descs: str = " descs %a, %b"
) -> str:
    """Return a kernel that commits without MMAs, and waits."""
    typed = ", !ttg.memdesc<256x64xf16, #a, #smem, mutable>" * (descs.count("%a"))
    typed += ", !ttg.memdesc<64x256xf16, #b, #smem, mutable>" * (descs.count("%b"))
    return f"""
#a = {layout(a)}
#b = {layout(b)}
#one = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = {[[0]] * len(a)}}}>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = {1 << len(a)} : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32}} {{
tt.func public @k(%x: !tt.ptr<i32>) {{
  %zero = arith.constant 0 : i32
  %a = ttg.local_alloc : () -> !ttg.memdesc<256x64xf16, #a, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x256xf16, #b, #smem, mutable>
  %bar = ttg.local_alloc : () -> {BARRIER}
  ttng.init_barrier %bar, {count} : {BARRIER}
  ttng.tc_gen5_commit %bar{descs} : {BARRIER}{typed}
  ttng.wait_barrier %bar, %zero : {BARRIER}
  tt.return
}}
}}
"""  # noqa: E501


def arrivals_by_cta(a: list[list[int]], b: list[list[int]]) -> list[int]:
    """Count the arrivals on each CTA's mbarrier from what each CTA holds."""
    ranks = range(1 << len(a))

    def part(bases: list[list[int]], rank: int) -> tuple[int, ...]:
        images = [base for bit, base in enumerate(bases) if rank >> bit & 1]
        return tuple(np.bitwise_xor.reduce(images, axis=0)) if images else (0, 0)

    return [
        sum(part(a, rank) == part(a, other) or part(b, rank) == part(b, other) for other in ranks)
        for rank in ranks
    ]


STEPS = ([0, 0], [1, 0])
CASES = [
    ([STEPS[m] for m in a], [[0, STEPS[n][0]] for n in b])
    for size in (1, 2)
    for a in itertools.product((0, 1), repeat=size)
    for b in itertools.product((0, 1), repeat=size)
    if sum(a) < 2 and sum(b) < 2
]


@pytest.mark.parametrize(("a", "b"), CASES)
def test_a_commit_arrives_once_for_each_cta_that_shares_an_operand(a, b):
    counts = arrivals_by_cta(a, b)
    assert len(set(counts)) == 1
    run(parse_module(commits(a, b, counts[0])), "k", (1,), [np.zeros(1, np.int32)])
    with pytest.raises(LaunchError, match="deadlock"):
        run(parse_module(commits(a, b, counts[0] + 1)), "k", (1,), [np.zeros(1, np.int32)])
    if counts[0] > 1:
        with pytest.raises(LaunchError, match="too many arrivals"):
            run(parse_module(commits(a, b, counts[0] - 1)), "k", (1,), [np.zeros(1, np.int32)])


def test_a_commit_without_buffers_arrives_in_its_cta():
    a = [[0, 0], [0, 0]]
    run(parse_module(commits(a, a, 1, "")), "k", (1,), [np.zeros(1, np.int32)])


PAIRED = """
#a = {a}
#b = {b}
#one = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = {one}}}>
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CTASplitM = 4, twoCTAs = true>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = {ctas} : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32}} {{
tt.func public @k(%a: !ttg.memdesc<{m}x64xf16, #a, #smem>, %b: !ttg.memdesc<64x128xf16, #b, #smem>, %d: !ttg.memdesc<{m}x64xf32, #t, #ttng.tensor_memory, mutable>, %bar: !ttg.memdesc<1xi64, #one, #smem, mutable>) {{
  %true = arith.constant true
  ttng.tc_gen5_mma %a, %b, %d, %true, %true, %bar[%true] {{is_async, two_ctas{multicast}}} : !ttg.memdesc<{m}x64xf16, #a, #smem>, !ttg.memdesc<64x128xf16, #b, #smem>, !ttg.memdesc<{m}x64xf32, #t, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #one, #smem, mutable>
  tt.return
}}
}}
"""  # noqa: E501


@pytest.mark.parametrize(("multicast", "count"), [("", 1), (", multicast", 2)])
def test_the_first_of_a_pair_commits_for_both(multicast, count):
    """CTAs 0 and 1 are a pair, and so are 2 and 3, which share b."""
    text = PAIRED.format(
        a=layout([[1, 0], [2, 0]]),
        b=layout([[0, 1], [0, 0]]),
        one=[[0], [0]],
        ctas=4,
        m=512,
        multicast=multicast,
    )
    mma = next(op for op in parse_module(text).walk() if isinstance(op, ttng.TCGen5MMAOp))
    assert count_commits(mma, mma.operands[:2] if multicast else ()) == count
    assert count_commits(mma) == 1


COPY = """
#s = #ttg.shared_linear<{{offset = [[0, 1], [0, 2], [32, 0], [64, 0], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}}, alignment = 16>
#b = #ttg.blocked<{{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}}>
#one = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}}>
#t = #ttng.tensor_memory_scales_encoding<>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32}} {{
tt.func public @k(%s: !ttg.memdesc<128x4xi8, #s, #smem>, %t: !ttg.memdesc<{target}, #t, #ttng.tensor_memory, mutable>) {{
  ttng.tmem_copy %s, %t : !ttg.memdesc<128x4xi8, #s, #smem>, !ttg.memdesc<{target}, #t, #ttng.tensor_memory, mutable>
  tt.return
}}
}}
"""  # noqa: E501


def test_copies_to_tensor_memory_keep_the_shape():
    verify(parse_module(COPY.format(target="128x4xi8")))
    text = "source shape 128, 4 must match destination shape 128, 8"
    with pytest.raises(VerifyError, match=text):
        verify(parse_module(COPY.format(target="128x8xi8")))
