"""Each correction of matrix instructions and dot products; see test_corrections.py."""

from __future__ import annotations

import os

import pytest

from tests.emulator.code_object import VARIABLE
from tests.emulator.snippet import LANES, check

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(VARIABLE not in os.environ, reason=f"{VARIABLE} names no emulator"),
]


def test_mfma_32x32():
    # A[i][0] = i and B[0][j] = 1, so that D[i][j] = i: register 4 of lane 0 holds row 8.
    check(
        "MFMA 32x32",
        [8] * 32 + [12] * 32,
        """
        v_and_b32 v2, 31, v0
        v_cvt_f32_u32 v2, v2
        v_cvt_f16_f32 v2, v2
        v_mov_b32 v4, 0x3c00
        v_mov_b32 v3, 0
        v_mov_b32 v5, 0
        v_cmp_gt_u32 vcc, 32, v0
        v_cndmask_b32 v2, 0, v2, vcc
        v_cndmask_b32 v4, 0, v4, vcc
        v_mfma_f32_32x32x8_f16 v[32:47], v[2:3], v[4:5], 0
        s_nop 15
        v_cvt_u32_f32 v1, v36
        """,
    )


def test_mfma_of_f8f6f4():
    # A is 1 in E4M3, and B 1 in E5M2: 128 products.
    ones = "\n".join(
        f"v_mov_b32 v{register}, {'0x38383838' if register < 24 else '0x3c3c3c3c'}"
        for register in range(16, 32)
    )
    check(
        "MFMA of f8f6f4 without scales",
        [128] * 64,
        f"""
        {ones}
        v_mfma_f32_16x16x128_f8f6f4 v[8:11], v[16:23], v[24:31], 0 blgp:1
        s_nop 15
        v_cvt_u32_f32 v1, v9
        """,
        "gfx950",
    )


@pytest.mark.parametrize(
    ("chip", "cause", "instruction"),
    [
        ("gfx90a", "MFMA of int8", "v_mfma_i32_16x16x16i8 v[8:11], v2, v4, 0"),
        ("gfx942", "MFMA of int8", "v_mfma_i32_16x16x32_i8 v[8:11], v[2:3], v[4:5], 0"),
        ("gfx950", "MFMA of int8", "v_mfma_i32_16x16x64_i8 v[8:11], v[2:5], v[2:5], 0"),
        ("gfx942", "MFMA of int8", "v_mfma_i32_32x32x16_i8 v[8:23], v[2:3], v[4:5], 0"),
    ],
)
def test_mfma_of_int8(chip: str, cause: str, instruction: str):
    # Each element of A and B is 1, or -1 in lane 0: row 0 and column 0 have one group of -1.
    depth = int(instruction.split("x")[2].partition("i8")[0].rstrip("_"))
    rows = 32 if "32x32" in instruction else 16
    share = depth * rows // 64
    first = [depth if column == 0 else depth - 2 * share for column in range(rows)]
    others = [depth - 2 * share if column == 0 else depth for column in range(rows)]
    check(
        cause,
        [(first if lane < rows else others)[lane % rows] for lane in LANES],
        f"""
        v_mov_b32 v2, 0x01010101
        v_cmp_eq_u32 vcc, 0, v0
        v_cndmask_b32 v2, v2, -1, vcc
        v_mov_b32 v3, v2
        v_mov_b32 v4, v2
        v_mov_b32 v5, v2
        {instruction}
        s_nop 15
        v_mov_b32 v1, v8
        """.replace("v_cndmask_b32 v2, v2, -1, vcc", "v_cndmask_b32_e64 v2, v2, -1, vcc"),
        chip,
    )


def test_mfma_of_xf32():
    # A[i][k] = 3 but in lane 5, where 2; B is 1: row 5 of D is 24 - 2.
    check(
        "MFMA of xf32",
        [22 if 16 <= lane < 32 else 24 for lane in LANES],
        """
        v_mov_b32 v2, 0x40400000
        v_mov_b32 v4, 1.0
        v_mov_b32 v5, v4
        v_mov_b32 v6, 2.0
        v_cmp_eq_u32 vcc, 5, v0
        v_cndmask_b32 v2, v2, v6, vcc
        v_mov_b32 v3, v2
        v_mfma_f32_16x16x8_xf32 v[8:11], v[2:3], v[4:5], 0
        s_nop 15
        v_cvt_u32_f32 v1, v9
        """,
    )


def test_mfma_of_fnuz_fp8():
    # 0x40 is 1 in E4M3 FNUZ, and 2 in E4M3: 32 products.
    check(
        "MFMA of fnuz fp8",
        [32] * 64,
        """
        v_mov_b32 v2, 0x40404040
        v_mov_b32 v3, v2
        v_mfma_f32_16x16x32_fp8_fp8 v[8:11], v[2:3], v[2:3], 0
        s_nop 15
        v_cvt_u32_f32 v1, v9
        """,
    )


def test_mfma_of_gfx90a_in_bf16():
    # A[i][k] = 1 but in lane 5, where 2; B is 1: row 5 of D is 16 + 4.
    check(
        "MFMA of gfx90a alone",
        [20 if 16 <= lane < 32 else 16 for lane in LANES],
        """
        v_mov_b32 v2, 0x3f803f80
        v_mov_b32 v4, v2
        v_mov_b32 v5, v2
        v_mov_b32 v6, 0x40004000
        v_cmp_eq_u32 vcc, 5, v0
        v_cndmask_b32 v2, v2, v6, vcc
        v_mov_b32 v3, v2
        v_mfma_f32_16x16x16bf16_1k v[8:11], v[2:3], v[4:5], 0
        s_nop 15
        v_cvt_u32_f32 v1, v9
        """,
        "gfx90a",
    )


@pytest.mark.parametrize(
    ("value", "expected"), [(0x7C00, 0x7F800000), (0xFC00, 0xFF800000), (0x7E00, 0x7FC00000)]
)
@pytest.mark.parametrize(
    ("chip", "instruction"),
    [
        ("gfx90a", "v_mfma_f32_16x16x16f16 v[12:15], v[4:5], v[8:9], 0"),
        ("gfx942", "v_mfma_f32_16x16x16_f16 v[12:15], v[4:5], v[8:9], 0"),
        ("gfx950", "v_mfma_f32_16x16x32_f16 v[12:15], v[4:7], v[8:11], 0"),
    ],
)
def test_mfma_of_infinities_and_nans(chip: str, instruction: str, value: int, expected: int):
    # B is 1; A is 1 but in lane 5, row 5 of D therefore infinite or NaN.
    moves = "\n".join(f"v_mov_b32 v{n}, 0x3c003c00" for n in range(4, 12))
    check(
        "MFMA of f16 that is not finite",
        [expected if 16 <= lane < 32 else 16 * (1 + (chip == "gfx950")) for lane in LANES],
        f"""
        {moves}
        v_mov_b32 v3, 0x3c00{value:04x}
        v_cmp_eq_u32 vcc, 5, v0
        v_cndmask_b32 v4, v4, v3, vcc
        {instruction}
        s_nop 15
        v_cvt_u32_f32 v1, v13
        v_lshrrev_b32 v2, 4, v0
        v_cmp_eq_u32 vcc, 1, v2
        v_cndmask_b32 v1, v1, v13, vcc
        """,
        chip,
    )


WMMA_OPERANDS = {"gfx1100": ("v[8:15]", "v[16:23]"), "gfx1201": ("v[8:11]", "v[16:19]")}


@pytest.mark.parametrize(("constant", "addend"), [("0", 0), ("1.0", 1), ("-4.0", -4)])
@pytest.mark.parametrize("chip", WMMA_OPERANDS)
def test_wmma_with_a_constant_addend(chip: str, constant: str, addend: int):
    # A and B are 1; v128, v242 and v247 are what the emulator takes for the constants.
    ones = "\n".join(f"v_mov_b32 v{n}, 0x3c003c00" for n in range(8, 24))
    others = "\n".join(f"v_mov_b32 v{n}, 4.0" for n in range(128, 256))
    a, b = WMMA_OPERANDS[chip]
    check(
        "WMMA with a constant C",
        [16 + addend] * 32,
        f"""
        {ones}
        {others}
        v_wmma_f32_16x16x16_f16 v[24:31], {a}, {b}, {constant}
        v_cvt_u32_f32 v1, v31
        """,
        chip,
    )


def test_wmma_of_fp8():
    # 0x38 is 1 in e4m3, 0x40 is 2: row 3 of A is 2 in its first half.
    check(
        "WMMA of fp8",
        [24] * 16 + [16] * 16,
        """
        v_mov_b32 v2, 0x38383838
        v_mov_b32 v4, v2
        v_mov_b32 v5, v2
        v_mov_b32 v6, 0x40404040
        v_cmp_eq_u32 vcc_lo, 3, v0
        v_cndmask_b32 v2, v2, v6, vcc_lo
        v_mov_b32 v3, v2
        v_wmma_f32_16x16x16_fp8_fp8 v[8:15], v[2:3], v[4:5], 0
        v_cvt_u32_f32 v1, v11
        """,
        "gfx1201",
    )


@pytest.mark.parametrize(
    ("cause", "instruction", "expected"),
    [
        # 1 × 2 + 2 × 3 + 1 in bf16, with 8 in the upper half of the addend
        ("dot products of bf16", "v_dot2_bf16_bf16 v1, v2, v3, v4", 0x11114110),
        ("dot products of bf16", "v_dot2_bf16_bf16 v1, v2, v3, 0", 0x11114100),
        ("dot products of bf16", "v_dot2_bf16_bf16 v1, v2, v3, v4 op_sel:[0,0,1,0]", 0x11114180),
        ("dot products of bf16", "v_dot2_bf16_bf16 v1, v2, v3, v4 op_sel:[0,0,0,1]", 0x41102222),
        (
            "dot products of f16 with an upper half",
            "v_dot2_f16_f16 v1, v5, v6, v7 op_sel:[0,0,1,1]",
            0x4C002222,
        ),
        ("", "v_dot2_f16_f16 v1, v5, v6, v7", 0x11114880),
    ],
)
def test_dot_product_of_pairs(cause: str, instruction: str, expected: int):
    check(
        cause,
        [expected] * 32,
        f"""
        v_mov_b32 v2, 0x40003f80
        v_mov_b32 v3, 0x40404000
        v_mov_b32 v4, 0x41003f80
        v_mov_b32 v5, 0x40003c00
        v_mov_b32 v6, 0x42004000
        v_mov_b32 v7, 0x48003c00
        v_mov_b32 v1, 0x11112222
        {instruction}
        """,
        "gfx1100",
    )
