"""Warp-specialized kernels for Blackwell on the simulator, beside numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

import weft
from tests.codegen.descriptors import simulated
from tests.oracle.kernels import warp_specialized as kernels

GEMM = "*fp16:16, *fp16:16, *fp16:16, i32, i32:16, i32:16"
Array = np.ndarray


def run(
    kernel: object,
    signature: str,
    constexprs: Mapping[str, object],
    arguments: Sequence[object],
    grid: tuple[int, ...] = (1,),
) -> None:
    """Compile a kernel, and run it on the simulator; arrays change in place."""
    compiled = weft.compile(
        kernel, signature=signature, constexprs=dict(constexprs), target="cuda:100"
    )
    assert "ttg.warp_specialize(" in str(compiled.asm["ttgir"])
    with np.errstate(all="ignore"):
        simulated(compiled, grid, arguments)


def random(*shape: int, seed: int = 0) -> Array:
    """Create an array of normally distributed f16 values."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float16)


def product(a: Array, b: Array) -> Array:
    """Compute a · bᵀ in f32."""
    return a.astype(np.float32) @ b.astype(np.float32).T


def check(actual: Array, expected: Array) -> None:
    """Compare f16 results with f32 ones."""
    scale = float(np.abs(expected).max())
    np.testing.assert_allclose(actual.astype(np.float32), expected, atol=scale * 1e-3, rtol=0)


def test_loads_and_mmas_of_one_tile_overlap():
    a, b, c = random(128, 256), random(64, 256, seed=1), np.zeros((128, 64), np.float16)
    run(kernels.product, f"{GEMM}, 128, 64, 64, 3", {}, [a, b, c, 128, 64, 256])
    check(c, product(a, b))


@pytest.mark.parametrize("flatten", [False, True])
@pytest.mark.parametrize("parts", [1, 2])
def test_epilogue_of_a_tile_overlaps_with_the_next_one(flatten, parts):
    a, b, c = random(256, 128), random(128, 128, seed=1), np.zeros((256, 128), np.float16)
    signature = f"{GEMM}, 128, 64, 64, 1, constexpr, {parts}"
    run(kernels.persistent_product, signature, {"FLATTEN": flatten}, [a, b, c, 256, 128, 128])
    check(c, product(a, b))


def test_softmax_runs_beside_the_mmas_of_attention():
    length, depth = 256, 64
    q, k, v = (random(length, depth, seed=seed) for seed in range(3))
    out = np.zeros((length, depth), np.float16)
    signature = "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, fp32, 128, 64, 64, 3"
    scale = np.float32(0.18)
    run(kernels.attention, signature, {}, [q, k, v, out, length, scale], grid=(2,))
    scores = product(q, k) * scale
    weights = 2 ** (scores - scores.max(1, keepdims=True))
    check(out, weights / weights.sum(1, keepdims=True) @ v.astype(np.float32))


def test_one_partition_scales_an_operand():
    a, b, c = random(128, 256), random(128, 256, seed=1), np.zeros((128, 128), np.float16)
    s = np.arange(1, 5, dtype=np.float32) / 4
    signature = "*fp16:16, *fp16:16, *fp32:16, *fp16:16, i32, i32:16, i32:16, 128, 128, 64"
    run(kernels.scaled_operand, signature, {}, [a, b, s, c, 128, 128, 256])
    scaled = (a.astype(np.float32) * np.repeat(s, 64)).astype(np.float16)
    check(c, product(scaled, b))


def test_sum_begins_anew_in_a_conditional():
    a, b, c = random(128, 448), random(128, 448, seed=1), np.zeros((128, 128), np.float16)
    run(kernels.branched_product, f"{GEMM}, 128, 128, 64, 256", {}, [a, b, c, 128, 128, 448])
    check(c, product(a[:, 256:448], b[:, 256:448]))


# Triton 3.7.1 ends its process: it combines references that have several readers.
def test_two_partitions_read_one_operand():
    a, b, d = (random(rows, 256, seed=seed) for seed, rows in enumerate((128, 64, 64)))
    c = np.zeros((128, 64), np.float16)
    signature = "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, i32:16, i32:16, 128, 64, 64"
    run(kernels.shared_operand, signature, {}, [a, b, c, d, 128, 64, 256])
    total = a.astype(np.float32).sum(1, keepdims=True)
    check(c, product(a, b) * product(a, d) + total)
