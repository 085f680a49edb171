"""Each pass of warp specialization keeps the results of kernels, in the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from tests.oracle.kernels import warp_specialized as kernels
from weft.compiler.options import options_for
from weft.compiler.remaining_stages import remaining_passes
from weft.interpreter import run
from weft.ir.builtin import ModuleOp
from weft.ir.text import print_module
from weft.passes import Pass, parse_pipeline, run_pipeline
from weft.passes.loops.automatic_warp_specialization import AutomaticWarpSpecialization
from weft.targets import target as lookup

GEMM = "*fp16:16, *fp16:16, *fp16:16, i32, i32:16, i32:16"
ATTENTION = "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, fp32"

# What tritongpu-automatic-warp-specialization runs, one by one.
NESTED = (
    "tritongpu-partition-scheduling", "nvws-hoist-tmem-store", "nvws-insert-aref",
    "nvws-insert-tmem-aref", "sccp", "cse", "nvws-lower-aref{num-stages=3}",
    "tritongpu-partition-loops", "nvws-lower-warp-group", "tritongpu-schedule-loops",
)  # fmt: skip


def product_case():
    """A product with five steps of each tile; the second tile has 32 rows."""
    random = np.random.default_rng(0)
    a, b = (random.standard_normal((n, 320)).astype(np.float16) for n in (160, 64))
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    arguments = [a, b, np.zeros((160, 64), np.float16), 160, 64, 320]
    return kernels.product, f"{GEMM}, 128, 64, 64, 3", {}, arguments, (2, 1), 2, expected


def persistent_case(*, flatten):
    """Several tiles for each program."""
    *_, arguments, _, at, expected = product_case()
    signature = f"{GEMM}, 128, 64, 64, 1, constexpr, 1"
    constexprs = {"FLATTEN": flatten}
    return kernels.persistent_product, signature, constexprs, arguments, (1,), at, expected


def biased_case():
    """An epilogue that loads and stores through pointers, with the index of the tile."""
    _, _, _, (a, b, c, *sizes), _, _, expected = product_case()
    bias = np.linspace(-4, 4, b.shape[0], dtype=np.float32)
    signature = "*fp16:16, *fp16:16, *fp32:16, *fp16:16, i32, i32:16, i32:16, 128, 64, 64, 1"
    expected = np.maximum(expected + bias, 0)
    return kernels.biased_product, signature, {}, [a, b, bias, c, *sizes], (1,), 3, expected


def attention_case():
    """Softmax between two products."""
    random = np.random.default_rng(0)
    q, k, v = (random.standard_normal((256, 64)).astype(np.float16) for _ in range(3))
    scores = q.astype(np.float32) @ k.astype(np.float32).T * np.float32(0.18)
    weights = 2 ** (scores - scores.max(1, keepdims=True))
    expected = weights / weights.sum(1, keepdims=True) @ v.astype(np.float32)
    arguments = [q, k, v, np.zeros((256, 64), np.float16), 256, 0.18]
    return kernels.attention, f"{ATTENTION}, 128, 64, 64, 3", {}, arguments, (2,), 3, expected


CASES = {
    "product": product_case,
    "persistent": lambda: persistent_case(flatten=False),
    "flattened": lambda: persistent_case(flatten=True),
    "biased": biased_case,
    "attention": attention_case,
}


def passes_one_by_one(module: ModuleOp, target: str) -> list[Pass]:
    """List the passes from TTIR on, those of automatic warp specialization one by one."""
    chip = lookup(target)
    passes: list[Pass] = []
    for each in remaining_passes(module, "final", chip, options_for(chip, {})):
        if isinstance(each, AutomaticWarpSpecialization):
            passes += [one for name in NESTED for one in parse_pipeline(name)]
        else:
            passes.append(each)
    return passes


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("target", ["cuda:90", "cuda:100"])
def test_every_pass_keeps_the_results(target, case):
    kernel, signature, constexprs, arguments, grid, at, expected = CASES[case]()
    module = weft.compile(
        kernel, signature=signature, constexprs=constexprs, target=target, stop_after="ttir"
    ).module("ttir")
    scale = float(np.abs(expected).max())
    text = ""
    changes: set[str] = set()

    def after(pass_: Pass, changed: ModuleOp) -> None:
        nonlocal text
        before, text = text, print_module(changed)
        if text == before:
            return
        inputs = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
        run(changed, kernel.__name__, grid, inputs)
        actual = inputs[at].astype(np.float32)
        np.testing.assert_allclose(actual, expected, rtol=0, atol=2e-3 * scale, err_msg=pass_.name)
        changes.add(pass_.name)

    passes = passes_one_by_one(module, target)
    start = next(n for n, each in enumerate(passes) if each.name == "tritongpu-fuse-nested-loops")
    run_pipeline(passes[:start], module)
    run_pipeline(passes[start:], module, after=after)
    if target == "cuda:90":
        is_specialized = case != "flattened"  # the flattened loop has an else-block
        assert ("nvgpu-warp-specialization" in changes) == is_specialized
    else:
        assert changes >= {name.partition("{")[0] for name in NESTED[2:] if name.startswith("n")}
    assert ("ttg.warp_specialize(" in text) == ((target, case) != ("cuda:90", "flattened"))
