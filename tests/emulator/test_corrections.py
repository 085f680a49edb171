"""Each correction with a few instructions: the ISA's result, which the emulator alone misses.

The expected values are those of AMD's "Instinct MI200", "Instinct MI300", "CDNA4", "RDNA3.5" and
"RDNA4 Instruction Set Architecture". A test whose `emulated` is the expected result means that the
emulator has been mended: take the correction out, and write outcomes.toml again.
"""

from __future__ import annotations

import os

import pytest

from tests.emulator.code_object import VARIABLE
from tests.emulator.snippet import HALF_WAVE, LANES, check, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(VARIABLE not in os.environ, reason=f"{VARIABLE} names no emulator"),
]


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


def test_atomic_on_a_pair_of_bf16():
    # (2, 1) + (1, 2): the low half comes first.
    check(
        "atomics on pairs of bf16",
        [0x40404040] * 32,
        """
        v_lshlrev_b32 v2, 2, v0
        v_mov_b32 v3, 0x3f804000
        global_store_b32 v2, v3, s[6:7]
        s_wait_storecnt 0
        v_mov_b32 v4, 0x40003f80
        global_atomic_pk_add_bf16 v2, v4, s[6:7]
        s_wait_storecnt 0
        global_load_b32 v1, v2, s[6:7]
        s_wait_loadcnt 0
        """,
        "gfx1201",
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
