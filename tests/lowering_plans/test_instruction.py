"""Wavefronts of one instruction, by hand."""

from __future__ import annotations

import pytest

from weft.lowering_plans.instruction import BankTraffic, Instruction, count_wavefronts
from weft.targets import target

MEMORY = target("cuda:90").shared_memory


@pytest.mark.parametrize(("stride", "passes"), [(0, 1), (4, 1), (8, 2), (128, 32), (132, 1)])
def test_wavefronts_follow_from_the_distance_of_lanes(stride, passes):
    warps = [[stride * lane for lane in range(32)]] * 2
    assert count_wavefronts(warps, 32, MEMORY, "read") == BankTraffic(2 * passes, 2, 2)


def test_a_phase_or_a_warp_without_lanes_takes_no_pass():
    half = [16 * lane if lane < 8 else None for lane in range(32)]
    traffic = count_wavefronts([half, [None] * 32], 128, MEMORY, "write")
    assert traffic == BankTraffic(1, 1, 1)


def test_requests_and_conflicts():
    each = Instruction("shared load", 32, count=3, warps=4, wavefronts=24, ideal_wavefronts=12)
    assert (each.requests, each.conflicts) == (12, 12)
