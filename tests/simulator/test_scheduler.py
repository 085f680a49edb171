"""Divergence: branches, loops of different lengths, phis and barriers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError


def test_both_sides_of_a_branch_and_a_phi():
    result = np.zeros(64, np.int32)
    body = """
  %low = icmp ult i32 %i, 40
  br i1 %low, label %then, label %else
then:
  %a = mul i32 %i, 2
  br label %done
else:
  %b = add i32 %i, 1000
  br label %done
done:
  %r = phi i32 [ %a, %then ], [ %b, %else ]
  %to = getelementptr i32, ptr addrspace(1) %p0, i32 %i
  store i32 %r, ptr addrspace(1) %to, align 4
  ret void"""
    run_text(body, [result], threads=64)
    i = np.arange(64)
    np.testing.assert_array_equal(result, np.where(i < 40, 2 * i, i + 1000))


def test_only_active_threads_store():
    result = np.full(64, -1, np.int32)
    body = """
  %even = and i32 %i, 1
  %is_even = icmp eq i32 %even, 0
  br i1 %is_even, label %then, label %done
then:
  %to = getelementptr i32, ptr addrspace(1) %p0, i32 %i
  store i32 %i, ptr addrspace(1) %to, align 4
  br label %done
done:
  ret void"""
    report = run_text(body, [result], threads=64)
    i = np.arange(64)
    np.testing.assert_array_equal(result, np.where(i % 2 == 0, i, -1))
    assert report.global_memory.accesses == {("store", 4): 2}


LOOP = """
  br label %test
test:
  %n = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi i32 [ 0, %entry ], [ %more, %body ]
  %goes_on = icmp slt i32 %n, %i
  br i1 %goes_on, label %body, label %done
body:
  %next = add i32 %n, 1
  %more = add i32 %sum, %next
  br label %test
done:
  %to = getelementptr i32, ptr addrspace(1) %p0, i32 %i
  store i32 %sum, ptr addrspace(1) %to, align 4
  ret void"""


def test_a_loop_with_a_different_trip_count_per_thread():
    result = np.zeros(64, np.int32)
    run_text(LOOP, [result], threads=64)
    i = np.arange(64)
    np.testing.assert_array_equal(result, i * (i + 1) // 2)


def test_phis_of_a_basic_block_are_simultaneous():
    """A swap in a loop: each phi has the old value of the other."""
    result = np.zeros(32, np.int32)
    body = LOOP.replace(
        "%sum = phi i32 [ 0, %entry ], [ %more, %body ]",
        "%sum = phi i32 [ 7, %entry ], [ %other, %body ]\n"
        "  %other = phi i32 [ 9, %entry ], [ %sum, %body ]",
    ).replace("  %more = add i32 %sum, %next\n", "")
    run_text(body, [result])
    np.testing.assert_array_equal(result, np.where(np.arange(32) % 2 == 0, 7, 9))


def test_a_barrier_after_divergence():
    """The first warp executes more before the barrier than the second."""
    result = np.zeros(64, np.int32)
    body = """
  %first = icmp ult i32 %i, 32
  %own = getelementptr i32, ptr addrspace(3) @shared, i32 %i
  br i1 %first, label %slow, label %join
slow:
  %twice = add i32 %i, %i
  store i32 %twice, ptr addrspace(3) %own, align 4
  br label %join
join:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %partner = and i32 %i, 31
  %at = getelementptr i32, ptr addrspace(3) @shared, i32 %partner
  %x = load i32, ptr addrspace(3) %at, align 4
  %to = getelementptr i32, ptr addrspace(1) %p0, i32 %i
  store i32 %x, ptr addrspace(1) %to, align 4
  ret void"""
    report = run_text(body, [result], threads=64, shared_bytes=256)
    np.testing.assert_array_equal(result, 2 * (np.arange(64) % 32))
    assert report.barriers == 1


def test_programs_have_their_own_shared_memory():
    result = np.zeros(6, np.int32)
    body = """
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %columns = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %row = mul i32 %y, %columns
  %program = add i32 %row, %x
  %first = icmp eq i32 %i, 0
  br i1 %first, label %then, label %done
then:
  %to = getelementptr i32, ptr addrspace(1) %p0, i32 %program
  store i32 %program, ptr addrspace(1) %to, align 4
  br label %done
done:
  ret void"""
    run_text(body, [result], grid=(3, 2))
    np.testing.assert_array_equal(result, np.arange(6))


def test_a_basic_block_without_a_terminator():
    with pytest.raises(CodegenError, match="block entry has no terminator"):
        run_text("  %a = add i32 %i, 1", [np.zeros(1, np.int32)])
