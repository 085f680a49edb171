"""Each correction with a few instructions: the ISA's result, which the emulator alone misses.

The expected values are those of AMD's "Instinct MI200", "Instinct MI300", "CDNA4", "RDNA3.5" and
"RDNA4 Instruction Set Architecture". A test whose `emulated` is the expected result means that the
emulator has been mended: take the correction out, and write outcomes.toml again.
"""

from __future__ import annotations

import os

import pytest

from tests.emulator.code_object import VARIABLE
from tests.emulator.snippet import run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(VARIABLE not in os.environ, reason=f"{VARIABLE} names no emulator"),
]

LANES = range(64)
HALF_WAVE = range(32)


def check(
    cause: str,
    expected: list[int],
    body: str,
    chip: str = "gfx942",
    threads: int = 0,
    private_bytes: int = 0,
) -> None:
    """Check that the correction gives the expected result, and the emulator another or none."""
    results = run(body, chip, threads, private_bytes)
    assert results.causes == ([cause] if cause else [])
    assert results.corrected == expected
    assert (results.emulated == expected) == (not cause)


def test_a_right_program_is_run_right():
    check("", [lane + 7 for lane in LANES], "v_add_u32 v1, 7, v0")


def test_cache_control_does_nothing():
    # The emulator loads a dword to v0 with the descriptor s[0:3].
    results = run("""
        s_mov_b32 s0, s6
        s_mov_b32 s1, s7
        s_mov_b32 s2, 0x1000
        s_mov_b32 s3, 0x00027000
        v_mov_b32 v2, v0
        buffer_inv sc1
        v_mov_b32 v1, v0
        v_mov_b32 v0, v2
    """)
    assert results.corrected == list(LANES) != results.emulated


DPP_CASES = {
    "in_place": ("DPP in place", "gfx942", "v_mov_b32_dpp v1, v1 quad_perm:[1,0,3,2]",
                 [lane ^ 1 for lane in LANES]),
    "row_bcast_15": ("DPP row_bcast", "gfx942", "v_mov_b32_dpp v1, v0 row_bcast:15 row_mask:0xa",
                     [lane if lane // 16 % 2 == 0 else lane // 16 * 16 - 1 for lane in LANES]),
    "row_bcast_31": ("DPP row_bcast", "gfx942", "v_mov_b32_dpp v1, v0 row_bcast:31 row_mask:0xc",
                     [lane if lane < 32 else 31 for lane in LANES]),
    "masked_add": ("DPP of masked lanes", "gfx942",
                   "v_add_u32_dpp v1, v0, v0 quad_perm:[1,0,3,2] row_mask:0x2",
                   [lane + (lane ^ 1) if lane // 16 == 1 else lane for lane in LANES]),
    "masked_bank": ("DPP of masked lanes", "gfx942",
                    "v_add_u32_dpp v1, v0, v0 row_mirror row_mask:0xf bank_mask:0x4",
                    [lane + (lane ^ 15) if lane // 4 % 4 == 2 else lane for lane in LANES]),
    "shift_out_of_the_row": ("DPP of masked lanes", "gfx942",
                             "v_add_u32_dpp v1, v0, v0 row_shr:3 row_mask:0xf bank_mask:0xf",
                             [2 * lane - 3 if lane % 16 >= 3 else lane for lane in LANES]),
    "row_share": ("DPP row_share", "gfx1100", "v_mov_b32_dpp v1, v0 row_share:4",
                  [lane & 16 | 4 for lane in HALF_WAVE]),
    "row_xmask": ("DPP row_xmask", "gfx1201", "v_mov_b32_dpp v1, v0 row_xmask:9",
                  [lane ^ 9 for lane in HALF_WAVE]),
    "dpp8": ("DPP8", "gfx1100", "v_mov_b32_dpp v1, v0 dpp8:[7,6,5,4,3,2,1,0]",
             [lane ^ 7 for lane in HALF_WAVE]),
    "of_three_operands": ("DPP in VOP3", "gfx1100",
                          "v_add3_u32_e64_dpp v1, v0, v0, v0 row_ror:1 row_mask:0xf bank_mask:0xf",
                          [lane & 16 | lane - 1 & 15 for lane in HALF_WAVE]),
}  # fmt: skip


@pytest.mark.parametrize("case", DPP_CASES)
def test_dpp(case: str):
    cause, chip, instruction, expected = DPP_CASES[case]
    if case == "of_three_operands":
        expected = [each + 2 * lane for lane, each in enumerate(expected)]
    check(cause, expected, f"v_mov_b32 v1, v0\n{instruction}", chip)


def test_dpp_into_another_register_needs_no_correction():
    check("", [lane ^ 1 for lane in LANES], "v_mov_b32_dpp v1, v0 quad_perm:[1,0,3,2]")


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (0x401F, [lane ^ 16 for lane in LANES]),  # lane & 31, | 0, ^ 16
        (0x0018, [lane & 56 for lane in LANES]),
        (0x8000 | 0b00011011, [lane ^ 3 for lane in LANES]),  # quad_perm:[3,2,1,0]
    ],
)
def test_swizzle(mode: int, expected: list[int]):
    check("ds_swizzle", expected, f"ds_swizzle_b32 v1, v0 offset:{mode}\ns_waitcnt lgkmcnt(0)")


def test_bpermute_takes_the_lane_modulo_the_number_of_lanes():
    check(
        "ds_bpermute past the lanes",
        [(lane + 66) % 64 for lane in LANES],
        """
        v_lshlrev_b32 v2, 2, v0
        v_add_u32 v2, 0x108, v2
        ds_bpermute_b32 v1, v2, v0
        s_waitcnt lgkmcnt(0)
        """,
    )


@pytest.mark.parametrize(
    "wait", ["s_waitcnt vmcnt(0)", "s_waitcnt vmcnt(1)", "s_waitcnt lgkmcnt(0)"]
)
def test_a_load_completes_at_its_wait(wait: str):
    # The second load has not been waited for with vmcnt(1), and none with lgkmcnt(0).
    results = run(
        f"""
        v_lshlrev_b32 v2, 2, v0
        v_mov_b32 v1, 0
        v_mov_b32 v3, 0
        global_load_dword v1, v2, s[6:7]
        global_load_dword v3, v2, s[6:7]
        {wait}
        v_lshl_or_b32 v4, v3, 8, v1
        s_waitcnt vmcnt(0)
        v_mov_b32 v1, v4
        """
    )
    factor = {"s_waitcnt vmcnt(0)": 257, "s_waitcnt vmcnt(1)": 1}.get(wait, 0)
    assert results.corrected == [factor * lane for lane in LANES]


@pytest.mark.parametrize("chip", ["gfx1100", "gfx1201"])
def test_permlane_with_a_literal(chip: str):
    select = "s_mov_b32 s8, 0x76543210\nv_permlanex16_b32 v1, v0, s8, "
    expected = [lane ^ 16 for lane in HALF_WAVE]
    check("permlane with a literal", expected, f"{select} 0xfedcba98", chip)
    check("", expected, f"s_mov_b32 s9, 0xfedcba98\n{select} s9", chip)


@pytest.mark.parametrize("width", [16, 32])
def test_permlane_swap(width: int):
    # Odd rows of v1, which are 100 + lane, become the even rows of v2, which are lane.
    expected = [lane - width if lane & width else 100 + lane for lane in LANES]
    check(
        "permlane swaps",
        expected,
        f"""
        v_mov_b32 v2, v0
        v_add_u32 v1, 100, v0
        v_permlane{width}_swap_b32 v1, v2
        """,
        "gfx950",
    )


DESCRIPTOR = """
    s_mov_b32 s8, s6
    s_mov_b32 s9, s7
    s_mov_b32 s10, 0x40
    s_mov_b32 s11, 0x00027000
    v_lshlrev_b32 v2, 2, v0
    v_mov_b32 v1, -1
"""


@pytest.mark.parametrize(
    ("chip", "wait", "load", "offset"),
    [
        (
            "gfx942",
            "s_waitcnt vmcnt(0)",
            "buffer_load_ushort v1, v2, s[8:11], 0 offen offset:2",
            None,
        ),
        (
            "gfx942",
            "s_waitcnt vmcnt(0)",
            "buffer_load_ubyte v1, v2, s[8:11], 0 offen offset:5",
            None,
        ),
        ("gfx1100", "s_waitcnt vmcnt(0)", "buffer_load_b32 v1, v2, s[8:11], 0 offen", 0),
        ("gfx1201", "s_wait_loadcnt 0", "buffer_load_u8 v1, v2, s[8:11], null offen offset:8", 2),
    ],
)
def test_buffer_load_is_bounded(chip: str, wait: str, load: str, offset: int | None):
    # The descriptor has 64 bytes, which are 16 dwords: 0, 1, 2, …; beyond it is zero, and so are
    # the upper bytes of each dword (offset None).
    lanes = LANES if chip == "gfx942" else HALF_WAVE
    numbers = [16 if offset is None else lane + offset for lane in lanes]
    expected = [number if number < 16 else 0 for number in numbers]
    check("buffer instructions", expected, f"{DESCRIPTOR}\n{load}\n{wait}", chip)


def test_buffer_store_is_bounded():
    # The descriptor is of the output, which a load reads back: 12 of 16 lanes have stored a half.
    stored = [lane + 7 if lane < 12 else 0 for lane in HALF_WAVE]
    check(
        "buffer instructions",
        stored,
        """
        s_mov_b32 s8, s4
        s_mov_b32 s9, s5
        s_mov_b32 s10, 24
        s_mov_b32 s11, 0x31014000
        v_add_nc_u32 v3, 7, v0
        v_lshlrev_b32 v2, 1, v0
        buffer_store_b16 v3, v2, s[8:11], 0 offen
        s_waitcnt_vscnt null, 0x0
        v_mov_b32 v1, 0
        global_load_u16 v1, v2, s[4:5]
        s_waitcnt vmcnt(0)
        s_barrier
        """,
        "gfx1100",
    )


@pytest.mark.parametrize("chip", ["gfx942", "gfx1100", "gfx1201"])
def test_lds_load_of_a_half_leaves_the_other(chip: str):
    cdna, store, load = chip == "gfx942", "store", "load"
    if cdna:
        store, load = "write", "read"
    wait = "s_wait_dscnt 0" if chip == "gfx1201" else "s_waitcnt lgkmcnt(0)"
    check(
        "LDS loads of a half",
        [0x12345678] * (64 if cdna else 32),
        f"""
        v_mov_b32 v2, 0
        v_mov_b32 v3, 0x1234
        ds_{store}_b32 v2, v3
        v_mov_b32 v1, 0x5678
        ds_{load}_u16_d16_hi v1, v2
        {wait}
        """,
        chip,
    )


def test_lds_loads_of_both_halves_are_in_flight_together():
    # The second load is issued before the first one has written its half.
    check(
        "LDS loads of a half",
        [0x56781234] * 64,
        """
        v_mov_b32 v2, 0
        v_mov_b32 v3, 0x56781234
        ds_write_b32 v2, v3
        v_mov_b32 v1, 0
        ds_read_u16_d16 v1, v2
        ds_read_u16_d16_hi v1, v2 offset:2
        s_waitcnt lgkmcnt(0)
        """,
    )


@pytest.mark.parametrize(("bits", "per_row"), [(16, 4), (8, 2), (4, 1)])
def test_lds_load_transposes(bits: int, per_row: int):
    # Lane l stores its number in each element of its row of 64 bits, and reads a column: the
    # elements are the numbers of the lanes whose rows the column crosses.
    count = 64 // bits
    mask = (1 << bits) - 1
    rows = [[(lane & 48) + row * per_row + lane % 16 // count for row in range(2)]
            for lane in LANES]  # fmt: skip
    copies = {16: "v_lshl_or_b32 v3, v0, 16, v0", 8: "v_mul_u32_u24 v3, 0x1010101, v0",
              4: "v_and_b32 v3, 15, v0\ns_mov_b32 s8, 0x11111111\nv_mul_lo_u32 v3, v3, s8",
              }  # fmt: skip
    check(
        "LDS loads that transpose",
        [first & mask | (second & mask) << bits for first, second in rows],
        f"""
        v_lshlrev_b32 v2, 3, v0
        {copies[bits]}
        v_mov_b32 v4, v3
        v_mov_b32 v5, v3
        ds_write_b64 v2, v[4:5]
        ds_read_b64_tr_b{bits} v[6:7], v2
        s_waitcnt lgkmcnt(0)
        v_and_b32 v1, {(1 << 2 * bits) - 1}, v6
        """,
        "gfx950",
    )


@pytest.mark.parametrize(
    ("chip", "instruction"),
    [
        ("gfx942", "global_atomic_add v1, v2, v3, s[6:7] sc0\ns_waitcnt vmcnt(0)"),
        (
            "gfx1201",
            "global_atomic_add_u32 v1, v2, v3, s[6:7] th:TH_ATOMIC_RETURN\ns_wait_loadcnt 0",
        ),
    ],
)
def test_atomic_returns_the_old_value(chip: str, instruction: str):
    # Dword 5 holds 5, and each lane adds 3.
    check(
        "atomics that return a value",
        [5 + 3 * lane for lane in (LANES if chip == "gfx942" else HALF_WAVE)],
        f"v_mov_b32 v1, 7\nv_mov_b32 v2, 20\nv_mov_b32 v3, 3\n{instruction}",
        chip,
    )


@pytest.mark.parametrize(
    ("operation", "old", "operand", "returns"),
    [
        ("sub", 5, 2, [5, 3]), ("smin", 5, -1, [5, -1]), ("umax", 5, 9, [5, 9]),
        ("and", 5, 4, [5, 4]), ("or", 5, 2, [5, 7]), ("xor", 5, 1, [5, 4]),
        ("swap", 5, 8, [5, 8]), ("inc", 5, 5, [5, 0]), ("dec", 5, 3, [5, 3]),
    ],
)  # fmt: skip
def test_each_atomic(operation: str, old: int, operand: int, returns: list[int]):
    # Two lanes, one after the other; the others keep 7.
    body = f"""
        v_mov_b32 v1, 7
        v_mov_b32 v2, {old * 4}
        v_mov_b32 v3, {operand}
        s_mov_b64 exec, 3
        global_atomic_{operation} v1, v2, v3, s[6:7] sc0
        s_waitcnt vmcnt(0)
        s_mov_b64 exec, -1
    """
    expected = [each & 0xFFFFFFFF for each in returns] + [7] * 62
    check("atomics that return a value", expected, body)


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


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("v_cvt_f16_f32_e32 v130, v0", [0x3C00] * 64),
        ("v_add_f16_e32 v130, v131, v132", [0x4200] * 64),
        ("v_add_u16_e32 v130, v2, v132", [0x4002] * 64),
    ],
)
def test_operations_of_16_bits_on_high_registers(instruction: str, expected: list[int]):
    check(
        "16-bit operations on v128 and after",
        expected,
        f"""
        v_mov_b32 v3, v0
        v_mov_b32 v2, 2
        v_mov_b32 v130, 0
        v_mov_b32 v131, 0x3c00
        v_mov_b32 v132, 0x4000
        v_mov_b32 v0, 1.0
        {instruction}
        v_mov_b32 v1, v130
        v_mov_b32 v0, v3
        """,
    )


def test_inactive_lanes_do_not_read_lds():
    # The emulator loads from the address of an inactive lane, and crashes.
    results = run("""
        v_mov_b32 v1, v0
        v_mov_b32 v2, 0x7f800000
        s_mov_b64 exec, 3
        v_mov_b32 v2, 4
        ds_write_b32 v2, v0
        s_waitcnt lgkmcnt(0)
        ds_read_b32 v1, v2
        s_waitcnt lgkmcnt(0)
        s_mov_b64 exec, -1
    """)
    assert results.corrected == [1, 1, *LANES[2:]]
    assert results.emulated is None


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


def test_conversion_of_fp4():
    # The byte 0xa7 is 6 and -1; the scale is 2: 12 (0x4140) and -2 (0xc000).
    check(
        "conversions of fp4",
        [0xC0004140] * 64,
        "v_mov_b32 v2, 0xa7\nv_mov_b32 v3, 2.0\nv_cvt_scalef32_pk_bf16_fp4 v1, v2, v3",
        "gfx950",
    )


@pytest.mark.parametrize(
    ("chip", "load", "scratch_load", "wait"),
    [
        ("gfx942", "global_load_dword", "scratch_load_dword", "s_waitcnt vmcnt(1)"),
        ("gfx1100", "global_load_b32", "scratch_load_b32", "s_waitcnt vmcnt(1)"),
        ("gfx1201", "global_load_b32", "scratch_load_b32", "s_wait_loadcnt 1"),
    ],
)
def test_loads_from_scratch_count_as_loads(chip: str, load: str, scratch_load: str, wait: str):
    results = run(
        f"""
        v_lshlrev_b32 v2, 2, v0
        v_mov_b32 v1, 7
        {load} v1, v2, s[6:7]
        {scratch_load} v5, off, off
        {wait}
        """,
        chip,
        private_bytes=4,
    )
    assert results.corrected == list(range(len(results.corrected)))


def test_each_wave_has_its_scratch():
    check(
        "scratch of several waves",
        list(range(128)),
        """
        v_mov_b32 v1, v0
        v_mov_b32 v2, 0
        scratch_store_dword off, v0, off
        s_barrier
        scratch_load_dword v1, off, off
        s_waitcnt vmcnt(0)
        """,
        threads=128,
        private_bytes=16,
    )
