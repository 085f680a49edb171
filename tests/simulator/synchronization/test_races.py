"""Races in shared memory, and outstanding stores at AMD's barriers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError
from weft.simulator.synchronization.races import Races

BARRIER = "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"
OWN = "  %own = getelementptr i32, ptr addrspace(3) @shared, i32 %i\n"
NEXT = """  %after = add i32 %i, 1
  %around = and i32 %after, 63
  %next = getelementptr i32, ptr addrspace(3) @shared, i32 %around
"""
WRITE_OWN = "  store i32 %i, ptr addrspace(3) %own, align 4\n"
READ_NEXT = "  %x = load i32, ptr addrspace(3) %next, align 4\n"
READ_OWN = "  %y = load i32, ptr addrspace(3) %own, align 4\n"
WRITE_NEXT = "  store i32 %i, ptr addrspace(3) %next, align 4\n"
COUNT = "  %old = atomicrmw add ptr addrspace(3) @shared, i32 1 monotonic, align 4\n"
COUNT_OWN = "  %mine = atomicrmw add ptr addrspace(3) %own, i32 1 monotonic, align 4\n"


def run_shared(*steps: str, threads: int = 64) -> None:
    body = "\n" + OWN + NEXT + "".join(steps) + "  ret void"
    run_text(body, [np.zeros(1, np.int32)], threads=threads, shared_bytes=256)


@pytest.mark.parametrize(
    "steps",
    [
        (WRITE_OWN, READ_OWN, WRITE_OWN),
        (WRITE_OWN, BARRIER, READ_NEXT),
        (WRITE_OWN, BARRIER, READ_NEXT, BARRIER, WRITE_OWN),
        (READ_NEXT, READ_OWN),
        (COUNT, COUNT, COUNT_OWN),
        (WRITE_OWN, BARRIER, COUNT, BARRIER, READ_NEXT),
    ],
)
def test_no_race(steps):
    run_shared(*steps)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ((WRITE_OWN, READ_NEXT), "reads byte .* that thread .* wrote"),
        ((READ_NEXT, WRITE_OWN), "writes byte .* that thread .* read"),
        ((WRITE_OWN, WRITE_NEXT), "writes byte .* that thread .* wrote"),
        ((READ_NEXT, READ_OWN, WRITE_OWN), "that several threads read"),
        ((WRITE_OWN, COUNT), "updates byte 0 .* that thread 0 wrote"),
        ((READ_NEXT, COUNT_OWN), "updates byte .* that thread .* read"),
        ((COUNT, READ_OWN), "reads byte 0 .* that atomic updates wrote"),
        ((COUNT_OWN, WRITE_NEXT), "that atomic updates wrote"),
        ((WRITE_OWN, BARRIER, READ_NEXT, WRITE_OWN), "writes byte .* that thread .* read"),
    ],
)
def test_races_are_found(steps, message):
    with pytest.raises(CodegenError, match=f"{message}.*no barrier between"):
        run_shared(*steps)


def test_a_race_names_both_instructions():
    with pytest.raises(CodegenError) as error:
        run_shared(WRITE_OWN, READ_NEXT)
    assert "%x = load i32" in error.value.found  # pyright: ignore[reportOperatorIssue]
    assert ", after store i32 %i" in error.value.found  # pyright: ignore[reportOperatorIssue]


# Two threads write the same byte: the number of their pair, or their own.
TO_PAIR = """  %pair = lshr i32 %i, 1
  %half = getelementptr i32, ptr addrspace(3) @shared, i32 %pair
"""


def test_equal_values_written_to_one_byte_at_once():
    run_shared(TO_PAIR, "  store i32 %pair, ptr addrspace(3) %half, align 4\n")


def test_different_values_written_to_one_byte_at_once():
    with pytest.raises(
        CodegenError,
        match="thread 0 and thread 1 write different values to byte 0 of shared memory at once",
    ):
        run_shared(TO_PAIR, "  store i32 %i, ptr addrspace(3) %half, align 4\n")


# A thread stores, waits, passes a barrier, and loads what the next thread stored.
WITH_BARRIER = """
  %own = getelementptr i32, ptr addrspace(3) @shared, i32 %i
  %after = add i32 %i, 1
  %around = and i32 %after, 127
  %next = getelementptr i32, ptr addrspace(3) @shared, i32 %around
  STORE
  WAIT
  call void @llvm.amdgcn.s.barrier()
  %x = load i32, ptr addrspace(3) %next, align 4
  ret void"""
STORE_OWN = "store i32 %i, ptr addrspace(3) %own, align 4"
COUNT_OWN_OLD = "%old = atomicrmw add ptr addrspace(3) %own, i32 1 monotonic, align 4"
WAIT_FOR_STORES = "call void @llvm.amdgcn.s.waitcnt(i32 49279)"
WAIT_FOR_LOADS = "call void @llvm.amdgcn.s.waitcnt(i32 3952)"
WAIT_DSCNT_0 = "call void @llvm.amdgcn.s.wait.dscnt(i16 0)"
WAIT_DSCNT_1 = "call void @llvm.amdgcn.s.wait.dscnt(i16 1)"
RELEASE = 'fence syncscope("workgroup") release'
ACQUIRE = 'fence syncscope("workgroup") acquire'


def store_and_load(chip: str, lanes: int, wait: str, store: str) -> None:
    body = WITH_BARRIER.replace("STORE", store).replace("WAIT", wait)
    arrays = [np.zeros(1, np.int32)]
    run_text(body, arrays, threads=128, lanes=lanes, shared_bytes=512, chip=chip)


@pytest.mark.parametrize("store", [STORE_OWN, COUNT_OWN_OLD])
@pytest.mark.parametrize(
    ("chip", "lanes", "wait"),
    [
        ("gfx942", 64, WAIT_FOR_STORES),
        ("gfx942", 64, RELEASE),
        ("gfx1201", 32, WAIT_DSCNT_0),
    ],
)
def test_amd_stores_complete_before_the_barrier(chip, lanes, wait, store):
    store_and_load(chip, lanes, wait, store)


@pytest.mark.parametrize("store", [STORE_OWN, COUNT_OWN_OLD])
@pytest.mark.parametrize(
    ("chip", "lanes", "wait"),
    [
        ("gfx942", 64, ""),
        ("gfx942", 64, WAIT_FOR_LOADS),
        ("gfx942", 64, ACQUIRE),
        ("gfx1201", 32, WAIT_DSCNT_1),
    ],
)
def test_amd_stores_outstanding_at_the_barrier(chip, lanes, wait, store):
    with pytest.raises(CodegenError, match=r"reads byte .* wrote, with no barrier between"):
        store_and_load(chip, lanes, wait, store)


PLACES = np.arange(4)[None]
THREAD = np.array([0])


def test_a_copy_that_writes_what_another_reads():
    races = Races.of(8)
    races.begin_async_read(PLACES, 0)
    with pytest.raises(CodegenError, match="writes shared memory that an unfinished one reads"):
        races.begin_async_write(PLACES, 0)
    with pytest.raises(CodegenError, match="that an unfinished asynchronous copy reads"):
        races.write(PLACES, THREAD)


def test_a_copy_that_reads_what_another_writes():
    races = Races.of(8)
    races.begin_async_write(PLACES, 0)
    with pytest.raises(CodegenError, match="reads shared memory that an unfinished one writes"):
        races.begin_async_read(PLACES, 0)


def test_an_access_before_and_after_the_wait_for_a_copy():
    races = Races.of(8)
    races.begin_async_write(PLACES, 0)
    with pytest.raises(CodegenError, match="that an unfinished asynchronous copy writes"):
        races.read(PLACES, THREAD)
    visible = races.copies.end_write(PLACES, 2)
    with pytest.raises(CodegenError, match="did not wait for the copy"):
        races.read(PLACES, THREAD)
    visible[0] = True
    races.read(PLACES, THREAD)


def test_a_proxy_fence_makes_stores_visible_to_copies():
    races = Races.of(8)
    races.write(PLACES, THREAD)
    with pytest.raises(CodegenError, match="no proxy fence between"):
        races.begin_async_read(PLACES, 0)
    races.proxy_fence(np.array([True, False]))
    races.begin_async_read(PLACES, 0)
