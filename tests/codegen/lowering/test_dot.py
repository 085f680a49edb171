"""Dots by mma.sync, MFMA, WMMA and FMA: kernels compiled by the pipeline and simulated."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from weft.codegen import lower


@weft.jit
def product(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Multiply one tile, twice, so that the accumulator is not zero."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    c = tl.dot(a, b)
    c = tl.dot(a, b, c)
    tl.store(c_ptr + m[:, None] * N + n[None, :], c)


CASES = [
    ("cuda:80", "fp16", "fp32", (64, 64, 32), 4, "mma.sync.aligned.m16n8k16"),
    ("cuda:80", "bf16", "fp32", (32, 128, 64), 4, "mma.sync.aligned.m16n8k16"),
    ("cuda:80", "fp32", "fp32", (32, 32, 32), 2, "mma.sync.aligned.m16n8k8"),
    ("cuda:80", "fp16", "fp32", (8, 16, 32), 1, "mma.sync.aligned.m16n8k16"),
    ("cuda:80", "fp16", "fp32", (2, 32, 32), 2, "mma.sync.aligned.m16n8k16"),
    ("cuda:90", "bf16", "fp32", (16, 4, 32), 1, "mma.sync.aligned.m16n8k16"),
    ("cuda:80", "i8", "i32", (32, 32, 64), 4, "mma.sync.aligned.m16n8k32"),
    ("cuda:90", "fp16", "fp32", (64, 64, 32), 4, "wgmma.mma_async.sync.aligned.m64n64k16"),
    ("cuda:90", "bf16", "fp32", (128, 64, 64), 8, "wgmma.mma_async.sync.aligned.m64n64k16"),
    ("cuda:90", "fp32", "fp32", (64, 32, 32), 4, "wgmma.mma_async.sync.aligned.m64n32k8"),
    ("cuda:90", "i8", "i32", (64, 64, 64), 4, "wgmma.mma_async.sync.aligned.m64n64k32"),
    ("hip:gfx908", "fp16", "fp32", (64, 64, 32), 4, "v_mfma_f32_32x32x8"),
    ("hip:gfx90a", "bf16", "fp32", (64, 64, 32), 4, "v_mfma_f32_32x32x8"),
    ("hip:gfx90a", "fp32", "fp32", (32, 32, 32), 1, "v_mfma_f32_32x32x2"),
    ("hip:gfx950", "fp16", "fp32", (64, 64, 64), 4, "v_mfma_f32_32x32x16"),
    ("hip:gfx950", "i8", "i32", (64, 64, 64), 4, "v_mfma_i32_32x32x32"),
    ("hip:gfx1100", "fp16", "fp32", (32, 64, 32), 4, "v_wmma_f32_16x16x16_f16"),
    ("hip:gfx1100", "i8", "i32", (32, 32, 32), 2, "v_wmma_i32_16x16x16_iu8"),
    ("hip:gfx1201", "bf16", "fp32", (64, 32, 32), 4, "v_wmma_f32_16x16x16_bf16"),
    ("hip:gfx1100", "fp32", "fp32", (32, 32, 16), 4, "v_fma"),
]


@pytest.mark.parametrize(("chip", "kind", "total", "sizes", "warps", "instruction"), CASES)
def test_dots_use_the_chips_instruction(chip, kind, total, sizes, warps, instruction, machine):
    signature = f"*{kind}:16, *{kind}:16, *{total}:16, {', '.join(map(str, sizes))}"
    compiled = weft.compile(product, signature=signature, target=chip, num_warps=warps)
    assembly = machine.emit(lower(compiled.module("ttgir")), "assembly").decode()
    assert instruction in assembly
    require_same(compiled, tolerance=0 if kind == "i8" else 3e-2)
