"""The time of a block alone and of its units, by hand."""

from __future__ import annotations

from msgspec import structs

from weft.explain.block_time import Loop, read_sass, time_block
from weft.explain.block_time.block_time import BlockTime
from weft.targets.instruction_timing import instruction_timing

# Instructions that are fetched from the next level of their cache do not wait.
TIMING = structs.replace(instruction_timing("cuda:90"), fetch_cycles=1)
LOAD = "LDG.E R4, desc[UR4][R2.64]"
L2, MEMORY = TIMING.l2_latency, TIMING.memory_latency


def block_time(*lines: str, trips: int = 1, warps: int = 1) -> BlockTime:
    text = "\n".join(f"        /*{16 * n:04x}*/  {line} ;" for n, line in enumerate(lines))
    ((*instructions,), *_) = read_sass(text).blocks
    return time_block((Loop(trips, tuple(instructions)),), warps, TIMING, partitions=4)


def test_an_instruction_waits_for_the_registers_that_it_reads():
    time = block_time(LOAD, "FMUL R5, R4, R4")
    assert time.from_l2 == L2 + 2  # a cycle of the load-store unit, and one to issue
    assert time.from_memory - time.from_l2 == MEMORY - L2
    assert block_time(LOAD, "FMUL R5, R6, R6").from_l2 < 10


def test_loads_wait_together_if_none_needs_the_other():
    apart = block_time(LOAD, "LDG.E R6, desc[UR4][R8.64]", "FADD R9, R4, R6")
    chain = block_time(LOAD, "LDG.E R6, desc[UR4][R4.64]", "FADD R9, R4, R6")
    assert apart.from_l2 < L2 + 10 < 2 * L2 < chain.from_l2


def test_iterations_multiply():
    one, ten = (block_time(LOAD, "FMUL R2, R4, R4", trips=trips) for trips in (1, 10))
    assert ten.instructions == 10 * one.instructions == 20
    assert 9 * one.from_l2 < ten.from_l2 < 11 * one.from_l2 + 50
    assert ten.units["lsu"] == 10 * one.units["lsu"]


def test_units_of_warps():
    one, eight = (block_time("MUFU.EX2 R4, R5", "SHFL.BFLY PT, R6, R7, 0x1, 0x1f", warps=warps)
                  for warps in (1, 8))  # fmt: skip
    # A partition has a unit of special functions; all share the load-store unit.
    assert (one.units["xu"], one.units["lsu"]) == (2.0, 1.0)
    assert (eight.units["xu"], eight.units["lsu"]) == (16.0, 8.0)
    assert eight.from_l2 > one.from_l2


def test_barriers_wait_for_all_warps():
    lines = ("MUFU.EX2 R4, R5", "BAR.SYNC.DEFER_BLOCKING 0x0", "FADD R6, R7, R8")
    assert block_time(*lines, warps=32).from_l2 > 64 + 30
    assert block_time(*lines, warps=4).from_l2 < 64


def test_copies_that_are_issued_ahead_hide_their_latency():
    copy = ("LDGSTS.E.BYPASS.128 [R2], desc[UR4][R4.64]", "LDGDEPBAR")
    times = [
        block_time(f"DEPBAR.LE SB0, {ahead:#x}", *copy, *["FADD R6, R6, R8"] * 20, trips=64)
        for ahead in (0, 1, 2)
    ]
    latencies = [time.from_memory for time in times]
    assert latencies == sorted(latencies, reverse=True)
    assert latencies[0] > 60 * MEMORY > 1.5 * latencies[1]


def test_mmas_of_a_group_overlap_until_the_wait():
    mma = "HGMMA.64x256x16.F32 R24, gdesc[UR4], R24, gsb0"
    waits = block_time(mma, "WARPGROUP.DEPBAR.LE gsb0, 0x0", trips=16, warps=4)
    runs_on = block_time(mma, "WARPGROUP.DEPBAR.LE gsb0, 0x1", trips=16, warps=4)
    assert waits.units["tensor"] == runs_on.units["tensor"] == 16 * 128
    assert 16 * 128 <= runs_on.from_l2 < waits.from_l2


def test_spilled_registers_are_counted():
    time = block_time("STL.64 [R1], R4", "LDL R6, [R1+0x8]", trips=3, warps=2)
    assert time.spilled_bytes == 3 * 2 * 32 * 12
