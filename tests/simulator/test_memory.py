"""Memory: accesses outside of arrays, masks, and races in shared memory, found and not found."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError, LaunchError, OutOfBoundsError

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


# All threads of a pair write the same byte: the number of the pair, or of the thread.
TO_PAIR = """  %pair = lshr i32 %i, 1
  %half = getelementptr i32, ptr addrspace(3) @shared, i32 %pair
"""


def test_equal_values_may_be_written_to_one_byte_at_once():
    run_shared(TO_PAIR, "  store i32 %pair, ptr addrspace(3) %half, align 4\n")


def test_other_values_may_not():
    with pytest.raises(
        CodegenError,
        match="thread 0 and thread 1 write other values to byte 0 of shared memory at once",
    ):
        run_shared(TO_PAIR, "  store i32 %i, ptr addrspace(3) %half, align 4\n")


OUTSIDE = """
  %far = add i32 %i, OFFSET
  %a = getelementptr i32, ptr addrspace(1) %p0, i32 %far
  %x = load i32, ptr addrspace(1) %a, align 4
  ret void"""


@pytest.mark.parametrize(("offset", "thread"), [(1, 31), (-1, 0), (100000, 0), (-8, 0), (31, 1)])
def test_a_load_outside_names_the_thread(offset, thread):
    with pytest.raises(OutOfBoundsError, match=f"thread {thread} of the block loads 4 bytes"):
        run_text(OUTSIDE.replace("OFFSET", str(offset)), [np.zeros(32, np.int32)])


@pytest.mark.parametrize(
    ("step", "verb"),
    [
        ("store i32 1, ptr addrspace(1) %a, align 4", "stores 4 bytes"),
        ("%x = atomicrmw add ptr addrspace(1) %a, i32 1 monotonic, align 4", "updates 4 bytes"),
        ("%x = load <4 x i32>, ptr addrspace(1) %a, align 16", "loads 16 bytes"),
    ],
)
def test_every_access_is_checked(step, verb):
    body = OUTSIDE.replace("OFFSET", "1").replace(
        "%x = load i32, ptr addrspace(1) %a, align 4", step
    )
    with pytest.raises(OutOfBoundsError, match=f"{verb} outside of global memory"):
        run_text(body, [np.zeros(32, np.int32)])


LOAD = "%x = load ALL, ptr addrspace(1) %a, align ALIGN"
STORE = "store ALL zeroinitializer, ptr addrspace(1) %a, align ALIGN"
PTX = 'call void asm sideeffect "st.global.v2.b32 [$2], {$0, $1};", "r,r,l"(i32 1, i32 1, GIVEN)'


@pytest.mark.parametrize(
    ("step", "verb", "size"),
    [
        (LOAD.replace("ALL", "<2 x i32>").replace("ALIGN", "8"), "loads 8 bytes", 8),
        (LOAD.replace("ALL", "i32").replace("ALIGN", "16"), "loads 4 bytes", 16),
        (LOAD.replace("ALL", "<2 x i32>").replace(", align ALIGN", ""), "loads 8 bytes", 8),
        (STORE.replace("ALL", "<2 x i32>").replace("ALIGN", "8"), "stores 8 bytes", 8),
        (PTX.replace("GIVEN", "ptr addrspace(1) %a"), "stores 8 bytes", 8),
    ],
)
def test_addresses_are_the_multiples_that_they_are_said_to_be(step, verb, size):
    body = "\n  %a = getelementptr i32, ptr addrspace(1) %p0, i32 %i\n  " + step + "\n  ret void"
    with pytest.raises(CodegenError, match=f"thread 1 .* {verb} of global .* multiple of {size}"):
        run_text(body, [np.zeros(40, np.int32)])


def test_between_two_arrays_there_is_nothing():
    with pytest.raises(OutOfBoundsError) as caught:
        run_text(OUTSIDE.replace("OFFSET", "32"), [np.zeros(32, np.int32), np.zeros(32, np.int32)])
    assert "accepted" in str(caught.value)


def test_threads_that_are_elsewhere_access_nothing():
    body = """
  %inside = icmp ult i32 %i, 8
  %a = getelementptr i32, ptr addrspace(1) %p0, i32 %i
  br i1 %inside, label %then, label %done
then:
  store i32 5, ptr addrspace(1) %a, align 4
  br label %done
done:
  ret void"""
    found = np.zeros(8, np.int32)
    run_text(body, [found])
    np.testing.assert_array_equal(found, 5)


def test_shared_memory_ends():
    with pytest.raises(
        OutOfBoundsError, match="thread 64 of the block stores 4 bytes outside of shared"
    ):
        run_shared(WRITE_OWN, threads=128)


def test_shared_memory_holds_nothing_at_first():
    found = np.zeros(32, np.int32)
    body = (
        "\n" + OWN + READ_OWN + "  %to = getelementptr i32, ptr addrspace(1) %p0, i32 %i\n"
        "  store i32 %y, ptr addrspace(1) %to, align 4\n  ret void"
    )
    run_text(body, [found], shared_bytes=128)
    assert (found != 0).all()


def test_arguments_that_do_not_fit():
    from weft.simulator import run

    text = 'define ptx_kernel void @k(i32 %n) "nvvm.reqntid"="32" {\nentry:\n  ret void\n}\n'
    with pytest.raises(LaunchError, match="k takes 1 arguments"):
        run(text, grid=(1,), arguments=[1, 2], warp_size=32)
