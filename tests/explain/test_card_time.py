"""The predicted time of a launch: what makes it longer, and times by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from weft.errors import UnknownTargetError
from weft.explain.block_time import BlockTime
from weft.explain.card_time import LaunchWork, predict_seconds
from weft.explain.global_traffic import TensorTraffic
from weft.targets.boards import board
from weft.targets.instruction_timing import instruction_timing

H200 = board("H200 SXM")
CLOCK = 67e12 / (2 * 128 * 132)
BLOCK = BlockTime(3000.0, 5000.0, {"issue": 400.0, "lsu": 300.0}, 1600, 0.0)
ROW = TensorTraffic("x", 1 << 30, 16384.0, 0.0)


def seconds(block: BlockTime = BLOCK, *traffic: TensorTraffic, **launch: int) -> float:
    work = LaunchWork(block, traffic or (ROW,), launch.get("programs", 1 << 16))
    predicted = predict_seconds(work, launch.get("resident", 4), H200, "cuda:90")
    assert predicted is not None
    return predicted


def test_a_single_block_takes_its_time_alone():
    one = TensorTraffic("x", 64, 64.0, 0.0)
    assert seconds(BLOCK, one, programs=1) == pytest.approx(5000 / CLOCK, rel=0.01)


def test_memory_at_its_rate_when_blocks_wait_for_nothing_else():
    block = BlockTime(10.0, 10.0, {"issue": 1.0}, 4, 0.0)
    bytes_, programs = 1 << 16, 1 << 18
    rate = 4.8e12 * instruction_timing("cuda:90").memory_percent / 100
    row = TensorTraffic("x", bytes_ * programs, bytes_, 0.0)
    predicted = seconds(block, row, programs=programs)
    assert predicted == pytest.approx(bytes_ * programs / rate, rel=0.1)


def test_the_busiest_unit_at_its_rate_when_many_blocks_run_at_once():
    tensor = TensorTraffic("x", 64, 64.0, 0.0)
    block = replace(BLOCK, units={"tensor": 5000.0})
    programs = 132 * 32 * 10
    predicted = seconds(block, tensor, programs=programs, resident=32)
    assert predicted == pytest.approx(10 * 32 * 5000 / CLOCK, rel=0.02)


@pytest.mark.parametrize(
    "change",
    [
        {"from_l2": 3500.0, "from_memory": 5500.0},
        {"units": {"issue": 800.0}},
        {"units": {"issue": 400.0, "lsu": 2000.0}},
        {"spilled_bytes": 65536.0},
    ],
)
def test_more_work_is_not_faster(change):
    assert seconds(replace(BLOCK, **change)) > seconds()


def test_more_bytes_are_not_faster():
    for changed in (replace(ROW, loaded=65536.0, size=1 << 32), replace(ROW, stored=16384.0)):
        assert seconds(BLOCK, changed) > seconds()
    assert seconds(BLOCK, ROW, replace(ROW, tensor="y")) > seconds()


def test_more_programs_are_not_faster():
    times = [seconds(programs=programs) for programs in (1, 132, 133, 528, 529, 4000, 65536)]
    assert times == sorted(times)


def test_more_blocks_at_once_hide_waits():
    times = [seconds(resident=resident) for resident in (1, 2, 4, 8)]
    assert times == sorted(times, reverse=True)


def test_fewer_multiprocessors_are_not_faster():
    pcie = replace_board("H100 PCIe", H200.memory_gb_per_s)
    work = LaunchWork(BLOCK, (ROW,), 1 << 16)
    assert (predict_seconds(work, 4, pcie, "cuda:90") or 0) > seconds()


def replace_board(name: str, bandwidth: int):
    from msgspec import structs

    return structs.replace(board(name), memory_gb_per_s=bandwidth)


def test_a_last_wave_of_few_blocks_takes_a_blocks_time():
    wave = 132 * 4
    assert seconds(programs=4 * wave + 1) - seconds(programs=4 * wave) > 4000 / CLOCK


def test_a_row_that_l2_keeps_is_read_from_memory_once():
    # Programs read a row of 16 KiB twice: those of 132 blocks fit L2, those of 4,224 do not.
    fast = BlockTime(1.0, 1.0, {"issue": 0.1}, 1, 0.0)
    programs = 1 << 16
    row = TensorTraffic("x", programs << 14, 2.0 * (1 << 14), 0.0)
    once, twice = (seconds(fast, row, programs=programs, resident=n) for n in (1, 32))
    assert twice == pytest.approx(2 * once, rel=0.05)


def test_what_is_not_known():
    work = LaunchWork(BLOCK, (ROW,), 8)
    assert predict_seconds(work, 4, board("MI300X"), "cuda:90") is None
    assert predict_seconds(work, 0, H200, "cuda:90") is None
    with pytest.raises(UnknownTargetError, match="no timings of instructions are listed"):
        predict_seconds(work, 4, board("MI300X"), "hip:gfx942")
