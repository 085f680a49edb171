"""The counted cost: quantities of a compile, and their prices."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.explain.advice.kernels import add_transposed, copy, matmul, precise_matmul
from weft.explain.counted_cost import counted_cost, prices_of
from weft.explain.counts import count
from weft.kernel.compile import compile
from weft.optimum.costs.work import prices_of as prices_of_optimum
from weft.targets import target


def module_of(kernel, signature, chip="cuda:80", **options):
    return compile(kernel, signature=signature, target=chip, options=options).module("ttgir")


def test_a_copy_by_hand():
    """8 loads and 8 stores of a warp of 4 words per lane: 1024 elements, 128 sectors each way."""
    cost = counted_cost(module_of(copy, "*fp32:16, *fp32:16, i32:16, 1024"))
    assert cost.quantities["global sectors"] == 2 * 128
    assert cost.quantities["global instructions"] == 2 * 8
    assert cost.parts["memory"] == cost.total == 256 * 3 + 16 * (1 + 4)
    assert (cost.loaded, cost.stored, cost.shared_bytes) == (128, 128, 0)


def test_conversions():
    module = module_of(add_transposed, "*fp32:16, *fp32:16, *fp32:16, 64")
    cost = counted_cost(module)
    assert cost.quantities["conversions"] == 2
    assert cost.quantities["bytes converted"] == 2 * 64 * 64 * 4
    assert cost.quantities["bytes converted in loops"] == 0
    counts = count(module)
    wavefronts = sum(counts.total(kind).wavefronts for kind in ("shared load", "shared store"))
    assert cost.quantities["shared wavefronts"] == wavefronts
    assert cost.parts["conversion"] > 4 * wavefronts


def test_dots():
    signature = "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 64, 64, 32"
    cost = counted_cost(module_of(matmul, signature))
    work = 64 * 64 * 4096  # K is 4096, as every integer argument
    issued = cost.quantities["MMA instructions"]
    assert issued == work // (16 * 8 * 16)
    assert cost.parts["dot"] == issued + Fraction(4, 1024) * work
    assert cost.is_certain
    fma = counted_cost(module_of(precise_matmul, "*fp32:16, *fp32:16, *fp32:16, 64"))
    assert fma.quantities["multiply-adds by FMA"] == 64**3
    assert fma.parts["dot"] == Fraction(32, 1024) * 64**3


def test_prices_of_amd():
    signature = "*fp32:16, *fp32:16, i32:16, 1024"
    cdna = counted_cost(module_of(copy, signature, "hip:gfx942"))
    assert cdna.total == 256 * 4 + cdna.quantities["global instructions"] * (4 + 16)
    rdna = counted_cost(module_of(copy, signature, "hip:gfx1201"))
    assert rdna.total == 256 * 4 + rdna.quantities["global instructions"] * (2 + 8)


@pytest.mark.parametrize("chip", ["cuda:80", "cuda:100", "hip:gfx942", "hip:gfx1201"])
def test_the_optimum_has_the_same_prices(chip):
    """One table in two units of code: docs/decisions/029."""
    prices, others = prices_of(target(chip)), prices_of_optimum(target(chip))
    assert prices.instruction == others.instructions
    assert prices.shuffle == others.shuffles
    assert prices.wavefront == others.wavefronts
    assert prices.barrier == others.barriers
    assert prices.request == others.requests
    assert prices.sector == others.sectors + others.transferred_sectors
    assert prices.mma == Fraction(1, others.macs_per_quarter_cycle)
    assert prices.fma == Fraction(others.instructions, target(chip).threads_per_warp)
