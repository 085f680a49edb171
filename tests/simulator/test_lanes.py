"""Values of other lanes: shuffles of both vendors, and lanes counted."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text

I = np.arange(64)  # noqa: E741


def shuffled(lines: str, lanes: int) -> np.ndarray:
    """Return what every one of 64 threads gets; its own value is 10 times its number."""
    found = np.zeros(64, np.int32)
    body = f"""
  %own = mul i32 %i, 10
{lines}
  %to = getelementptr i32, ptr addrspace(1) %p0, i32 %i
  store i32 %got, ptr addrspace(1) %to, align 4
  ret void"""
    run_text(body, [found], threads=64, lanes=lanes)
    return found


@pytest.mark.parametrize("mask", [1, 6, 31])
def test_butterflies_stay_in_their_warp(mask):
    call = f"  %got = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %own, i32 {mask}, i32 31)"
    np.testing.assert_array_equal(shuffled(call, 32), 10 * (I ^ mask))


def test_a_lane_by_number():
    call = """  %turned = sub i32 31, %i
  %got = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %own, i32 %turned, i32 31)"""
    np.testing.assert_array_equal(shuffled(call, 32), 10 * (I // 32 * 32 + (31 - I) % 32))


@pytest.mark.parametrize(("kept", "bits"), [(0b11000, 0b00111), (0b00011, 0b01100), (0, 31)])
def test_bits_of_the_lane_that_stay_its_own(kept, bits):
    clamp = kept << 8 | 31
    call = (
        f"  %got = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %own, i32 {bits}, i32 {clamp})"
    )
    lane = I % 32
    expected = I // 32 * 32 + ((lane & kept) | (bits & ~kept))
    np.testing.assert_array_equal(shuffled(call, 32), 10 * expected)


@pytest.mark.parametrize("lanes", [32, 64])
def test_a_permutation_by_bytes(lanes):
    call = """  %other = xor i32 %i, 5
  %place = shl i32 %other, 2
  %got = call i32 @llvm.amdgcn.ds.bpermute(i32 %place, i32 %own)"""
    np.testing.assert_array_equal(shuffled(call, lanes), 10 * (I ^ 5))


@pytest.mark.parametrize("lanes", [32, 64])
def test_lanes_below_are_counted(lanes):
    call = """  %low = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %got = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %low)"""
    np.testing.assert_array_equal(shuffled(call, lanes), I % lanes)
