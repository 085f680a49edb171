"""Block-scaled dots on NVIDIA: scales in tensor memory (tcgen05) and in registers (`mma.sync`)."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from weft.codegen import lower
from weft.errors import CodegenError
from weft.ir.text import parse_module


@weft.jit
def scaled(
    a_ptr,
    b_ptr,
    a_scale_ptr,
    b_scale_ptr,
    c_ptr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    A_KIND: tl.constexpr,
    B_KIND: tl.constexpr,
    A_PACKED: tl.constexpr,
    B_PACKED: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Multiply two tiles with a scale per block along k, twice."""
    m, n = tl.arange(0, M), tl.arange(0, N)
    ka, kb, ks = tl.arange(0, K // A_PACKED), tl.arange(0, K // B_PACKED), tl.arange(0, K // BLOCK)
    c = tl.zeros((M, N), tl.float32)
    for step in range(2):
        a = tl.load(a_ptr + step + m[:, None] * (K // A_PACKED) + ka[None, :])
        b = tl.load(b_ptr + step + kb[:, None] + n[None, :] * (K // B_PACKED))
        of_a = tl.load(a_scale_ptr + m[:, None] * (K // BLOCK) + ks[None, :])
        of_b = tl.load(b_scale_ptr + n[:, None] * (K // BLOCK) + ks[None, :])
        c = tl.dot_scaled(a, of_a, A_KIND, b, of_b, B_KIND, c)
    tl.store(c_ptr + m[:, None] * N + n[None, :], c)


STORED = {"e4m3": ("fp8e4nv", 1), "e5m2": ("fp8e5", 1), "e2m1": ("u8", 2)}


def compiled(chip, kinds, sizes, block, warps):
    """Compile the kernel for operands of two kinds."""
    types, packed = zip(*(STORED[kind] for kind in kinds), strict=True)
    scale = "u8" if block == 32 else "fp8e4nv"
    names = ("M", "N", "K", "A_KIND", "B_KIND", "A_PACKED", "B_PACKED", "BLOCK")
    pointers = ("a_ptr", "b_ptr", "a_scale_ptr", "b_scale_ptr", "c_ptr")
    return weft.compile(
        scaled,
        signature=dict(
            zip(pointers, (*(f"*{t}" for t in (*types, scale, scale)), "*fp32"), strict=True)
        ),
        constexprs=dict(zip(names, (*sizes, *kinds, *packed, block), strict=True)),
        attrs={(n,): [["tt.divisibility", 16]] for n in range(5)},
        target=chip,
        num_warps=warps,
    )


CASES = [
    (
        "cuda:100",
        ("e4m3", "e4m3"),
        (128, 64, 128),
        32,
        4,
        "kind::mxf8f6f4.block_scale.scale_vec::1X",
    ),
    (
        "cuda:100",
        ("e5m2", "e4m3"),
        (128, 32, 64),
        32,
        4,
        "kind::mxf8f6f4.block_scale.scale_vec::1X",
    ),
    (
        "cuda:100",
        ("e2m1", "e4m3"),
        (128, 64, 256),
        32,
        8,
        "kind::mxf8f6f4.block_scale.scale_vec::1X",
    ),
    ("cuda:100", ("e2m1", "e2m1"), (128, 64, 256), 32, 4, "kind::mxf4.block_scale.scale_vec::2X"),
    (
        "cuda:100",
        ("e2m1", "e2m1"),
        (128, 64, 128),
        16,
        4,
        "kind::mxf4nvf4.block_scale.scale_vec::4X",
    ),
    (
        "cuda:100",
        ("e4m3", "e4m3"),
        (256, 64, 128),
        32,
        8,
        "kind::mxf8f6f4.block_scale.scale_vec::1X",
    ),
    ("cuda:120", ("e4m3", "e4m3"), (32, 32, 128), 32, 4, "scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0"),
    ("cuda:120", ("e5m2", "e4m3"), (64, 16, 64), 32, 4, "scale_vec::1X.f32.e5m2.e4m3.f32.ue8m0"),
    ("cuda:120", ("e2m1", "e2m1"), (32, 64, 128), 32, 4, "scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0"),
    ("cuda:120", ("e2m1", "e2m1"), (32, 32, 64), 16, 2, "scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3"),
]


@pytest.mark.parametrize(("chip", "kinds", "sizes", "block", "warps", "instruction"), CASES)
def test_scale_per_block_along_k(chip, kinds, sizes, block, warps, instruction):
    artifact = compiled(chip, kinds, sizes, block, warps)
    assert instruction in lower(artifact.module("ttgir")).text
    require_same(artifact, tolerance=1e-3)


def test_mixed_fp4_operand_must_be_padded():
    text = compiled("cuda:100", ("e2m1", "e4m3"), (128, 64, 256), 32, 8).text("ttgir")
    assert "fp4Padded = true" in text
    with pytest.raises(CodegenError, match="mixed-precision MMA must be padded"):
        lower(parse_module(text.replace(", fp4Padded = true", "")))


def test_scaled_bf16_operand_is_rejected():
    text = compiled("cuda:100", ("e4m3", "e4m3"), (128, 64, 128), 32, 4).text("ttgir")
    actual = text.replace("lhs = e4m3", "lhs = bf16", 1)
    with pytest.raises(CodegenError, match="unsupported operands of a scaled MMA"):
        lower(parse_module(actual))


def test_scales_in_other_lanes_are_rejected():
    text = compiled("cuda:120", ("e4m3", "e4m3"), (32, 32, 128), 32, 4).text("ttgir")
    actual = text.replace("lane = [[8, 0], [0, 0]", "lane = [[0, 0], [8, 0]")
    assert actual != text
    with pytest.raises(CodegenError, match="scales are not in the lanes"):
        lower(parse_module(actual))
