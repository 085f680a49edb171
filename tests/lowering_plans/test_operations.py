"""Operations whose plan has no separate module, and the barrier of one warp."""

from __future__ import annotations

from tests.lowering_plans.modules import BLOCKED, instructions, summary

ROWS = BLOCKED % ("1, 8", "8, 4", "4, 1", "1, 0")
SHARED = "#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>"
BUFFER = f"!ttg.memdesc<64x32xf16, {SHARED}, #ttg.shared_memory, mutable>"
BODY = f"""
tt.func public @k(%x: tensor<64x32xf16, {ROWS}>) {{
  %b = ttg.local_alloc : () -> {BUFFER}
  ttg.local_store %x, %b : tensor<64x32xf16, {ROWS}> -> {BUFFER}
  gpu.barrier
  %y = ttg.local_load %b : {BUFFER} -> tensor<64x32xf16, {ROWS}>
  %z = arith.addf %y, %y : tensor<64x32xf16, {ROWS}>
  tt.return
}}
"""


def test_accesses_to_a_buffer():
    assert summary(BODY, "ttg.local_store") == [("shared store", 128, 2, 4)]
    (load,) = instructions(BODY, "ttg.local_load")
    assert (load.kind, load.requests, load.wavefronts, load.conflicts) == ("shared load", 8, 32, 0)


def test_arithmetic_and_empty_buffers_have_no_instructions():
    assert summary(BODY, "arith.addf") == []
    assert summary(BODY, "ttg.local_alloc") == []


def test_a_barrier_of_one_warp_is_one_of_the_warp():
    assert summary(BODY, "gpu.barrier") == [("barrier", 0, 1, 4)]
    one = "tt.func public @k() { gpu.barrier tt.return }"
    assert summary(one, "gpu.barrier", warps=1) == [("warp barrier", 0, 1, 1)]


def test_barriers_of_a_cluster_and_of_half_of_the_waves():
    body = "tt.func public @k(%p: i1) { OP tt.return }"
    arrive = "ttng.cluster_arrive {relaxed = false} ttng.cluster_wait"
    wait = body.replace("OP", arrive)
    assert summary(wait, "ttng.cluster_wait", ctas=2) == [("cluster barrier", 0, 1, 4)]
    assert summary(wait, "ttng.cluster_arrive", ctas=2) == []
    wait = body.replace("OP", "amdg.cluster_barrier_wait")
    options = {"chip": "hip:gfx1250", "ctas": 2}
    assert summary(wait, "amdg.cluster_barrier_wait", **options) == [("cluster barrier", 0, 1, 4)]
    half = body.replace("OP", "amdg.cond_barrier %p")
    assert summary(half, "amdg.cond_barrier", chip="hip:gfx942", warps=8) == [("barrier", 0, 1, 4)]
