"""The counted cost: quantities of a compile, and their prices."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explain.advice.kernels import add_transposed, copy, matmul, precise_matmul
from weft.explain.counted_cost import counted_cost
from weft.explain.counts import count
from weft.ir.rewriting import walk
from weft.ir.scf import ForOp, WhileOp
from weft.ir.scf.trip_count import trip_count
from weft.kernel.compile import compile
from weft.kernel.files import load_cases, load_file
from weft.optimum.acceptance import measure_module
from weft.optimum.alternatives import layouts_of_member
from weft.optimum.costs import prices_of
from weft.optimum.costs.plans import instruction_work
from weft.targets import target

ROOT = Path(__file__).parents[2]


def module_of(kernel, signature, chip="cuda:80", **options):
    return compile(kernel, signature=signature, target=chip, options=options).module("ttgir")


def test_a_copy_by_hand():
    """8 loads and 8 stores of a warp of 4 words per lane: 1024 elements, 128 sectors each way."""
    cost = counted_cost(module_of(copy, "*fp32:16, *fp32:16, i32:16, 1024"))
    assert cost.quantities["global sectors"] == 2 * 128
    assert cost.quantities["global instructions"] == 2 * 8
    # A sector goes through L1 and L2 (1 + 2); a comparison is one instruction per register.
    assert cost.parts["memory"] == 256 * (1 + 2) + 16 * 4
    assert cost.total == cost.parts["memory"] + 8 * 4
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
    assert cost.parts["dot"] == work // 256  # multiply-adds of a quarter cycle
    assert cost.is_certain
    fma = counted_cost(module_of(precise_matmul, "*fp32:16, *fp32:16, *fp32:16, 64"))
    assert fma.quantities["multiply-adds by FMA"] == 64**3
    assert fma.parts["dot"] == 64**3 // 32  # an instruction for the lanes of a warp


def test_prices_of_amd():
    signature = "*fp32:16, *fp32:16, i32:16, 1024"
    cdna = counted_cost(module_of(copy, signature, "hip:gfx942"))
    requests = cdna.quantities["global instructions"]
    assert cdna.total == 256 * (2 + 2) + requests * 16 + 4 * 4 * 4
    rdna = counted_cost(module_of(copy, signature, "hip:gfx1201"))
    requests = rdna.quantities["global instructions"]
    assert rdna.total == 256 * (2 + 2) + requests * 8 + 8 * 4 * 2


def _example(name: str, case: int, chip: str):
    kernel = load_cases(load_file(str(ROOT / f"{name}.py")))[case]
    return compile(
        kernel.kernel,
        signature=kernel.signature,
        constexprs=kernel.constexprs,
        target=chip,
        options=kernel.options,
    ).module("ttgir")


@pytest.mark.parametrize("chip", ["cuda:80", "cuda:90", "hip:gfx942", "hip:gfx1201"])
@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("examples/softmax", 0),
        ("examples/softmax", 2),
        ("examples/transpose", 1),
        ("examples/rotary_embedding", 0),
        ("examples/cross_entropy", 3),
        ("tests/oracle/kernels/reductions", 0),
        ("tests/oracle/kernels/conversions", 1),
        ("tests/oracle/kernels/dots", 0),
        ("tests/oracle/kernels/dots", 1),
        ("tests/oracle/kernels/memory", 9),
        ("tests/oracle/kernels/shapes", 1),
    ],
)
def test_advice_and_the_optimum_count_and_price_alike(name, case, chip):
    """They differ in barriers that memory allocation places, and in what has no layouts."""
    module = _example(name, case, chip)
    loops = [op for op in walk(module) if isinstance(op, ForOp | WhileOp)]
    assert not any(isinstance(op, WhileOp) or trip_count(op) is None for op in loops)
    prices, cost = prices_of(target(chip)), counted_cost(module)
    totals = measure_module(module, target(chip))
    barriers = cost.quantities["barriers"] - totals.barriers
    without_layouts = sum(
        prices.cost(instruction_work(each)) * one.iterations()
        for one in count(module).operations
        for each in one.instructions
        if each.kind == "warp barrier"
        or (each.kind != "barrier" and not any(layouts_of_member(one.source)))
    )
    assert cost.total == totals.cost + barriers * prices.barriers + without_layouts
