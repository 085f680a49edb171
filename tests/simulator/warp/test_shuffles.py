"""Shuffles, reductions and lane counts."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError

I = np.arange(64)  # noqa: E741


def shuffle(lines: str, lanes: int) -> np.ndarray:
    """Run lines that define %got in 64 threads, where %own is 10 times the thread's number."""
    result = np.zeros(64, np.int32)
    body = f"""
  %own = mul i32 %i, 10
{lines}
  %to = getelementptr i32, ptr addrspace(1) %p0, i32 %i
  store i32 %got, ptr addrspace(1) %to, align 4
  ret void"""
    run_text(body, [result], threads=64, lanes=lanes)
    return result


@pytest.mark.parametrize("mask", [1, 6, 31])
def test_shuffle_xor(mask):
    call = f"  %got = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %own, i32 {mask}, i32 31)"
    np.testing.assert_array_equal(shuffle(call, 32), 10 * (I ^ mask))


def test_shuffle_index():
    call = """  %turned = sub i32 31, %i
  %got = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %own, i32 %turned, i32 31)"""
    np.testing.assert_array_equal(shuffle(call, 32), 10 * (I // 32 * 32 + (31 - I) % 32))


@pytest.mark.parametrize(
    ("segment", "lane_bits"), [(0b11000, 0b00111), (0b00011, 0b01100), (0, 31)]
)
def test_shuffle_index_in_segments(segment, lane_bits):
    clamp = segment << 8 | 31
    call = (
        "  %got = call i32"
        f" @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %own, i32 {lane_bits}, i32 {clamp})"
    )
    lane = I % 32
    expected = I // 32 * 32 + ((lane & segment) | (lane_bits & ~segment))
    np.testing.assert_array_equal(shuffle(call, 32), 10 * expected)


@pytest.mark.parametrize("lanes", [32, 64])
def test_bpermute(lanes):
    call = """  %other = xor i32 %i, 5
  %place = shl i32 %other, 2
  %got = call i32 @llvm.amdgcn.ds.bpermute(i32 %place, i32 %own)"""
    np.testing.assert_array_equal(shuffle(call, lanes), 10 * (I ^ 5))


@pytest.mark.parametrize("lanes", [32, 64])
def test_mbcnt(lanes):
    call = """  %low = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %got = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %low)"""
    np.testing.assert_array_equal(shuffle(call, lanes), I % lanes)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "@llvm.nvvm.shfl.sync.bfly.i32(i32 3, i32 %i, i32 1, i32 31)",
            "shfl.sync with a full member mask",
        ),
        ("@llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 1, i32 7199)", "segments of a"),
        ("@llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %i, i32 1, i32 7)", "shfl.sync that clamps"),
        ("@llvm.nvvm.redux.sync.add.i32(i32 %i, i32 1)", "redux.sync with a full member mask"),
    ],
)
def test_unsupported_operands(call, message):
    with pytest.raises(CodegenError, match=message):
        run_text(f"  %a = call i32 {call}\n  ret void", [np.zeros(1, np.int32)])


SHUFFLE = """
  %low = icmp ult i32 %i, 16
  br i1 %low, label %then, label %done
then:
  %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 1, i32 31)
  br label %done
done:
  ret void"""


def test_a_shuffle_in_a_diverged_warp():
    with pytest.raises(CodegenError, match=r"shfl\.sync in a warp that has diverged"):
        run_text(SHUFFLE, [np.zeros(1, np.int32)])


def test_a_shuffle_in_some_warps():
    run_text(SHUFFLE.replace("%i, 16", "%i, 32"), [np.zeros(1, np.int32)], threads=64)
