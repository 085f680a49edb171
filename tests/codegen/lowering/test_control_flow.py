"""Loops with a condition loaded from memory: all lanes of a warp leave them together."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from weft.codegen import lower
from weft.codegen.backend.ptxas import ptxas_for
from weft.compiler.machine_code import assemble_cubin

CHIPS = ("cuda:80", "cuda:90", "hip:gfx942", "hip:gfx1201")


@weft.jit
def walked(x, out, size: tl.constexpr):
    """Add tiles up to the first number that is not smaller, and sum what they have come to."""
    places = tl.arange(0, size)
    total = tl.zeros((size,), tl.float32)
    step = 0
    measure = tl.load(x)
    while (measure < 1.0) & (step < 9):
        total += tl.load(x + step * size + places)
        step += 1
        measure = tl.sum(total * 0.01)
    tl.store(out + places, tl.cumsum(total, 0))
    tl.store(out + size, tl.sum(total))


def compiled(chip):
    return weft.compile(walked, signature="*fp32:16, *fp32:16, 64", target=chip, num_warps=1)


@pytest.mark.parametrize("chip", CHIPS)
def test_loop_condition_from_memory(chip):
    artifact = compiled(chip)
    require_same(artifact, tolerance=1e-4)
    agreed = "llvm.nvvm.vote.any.sync(i32 -1, i1 %" in lower(artifact.module("ttgir")).text
    assert agreed == chip.startswith("cuda")


def test_shuffles_after_a_loop_are_inlined():
    if ptxas_for("sm_80") is None:
        pytest.skip("no ptxas that knows sm_80 on this machine")
    image = assemble_cubin(lower(compiled("cuda:80").module("ttgir"))).image
    assert b"shflsync" not in image
