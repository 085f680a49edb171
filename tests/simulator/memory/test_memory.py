"""Memory: accesses outside of arrays, alignment and masks."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError, OutOfBoundsError

OWN = "  %own = getelementptr i32, ptr addrspace(3) @shared, i32 %i\n"


OUTSIDE = """
  %far = add i32 %i, OFFSET
  %a = getelementptr i32, ptr addrspace(1) %p0, i32 %far
  %x = load i32, ptr addrspace(1) %a, align 4
  ret void"""


@pytest.mark.parametrize(("offset", "thread"), [(1, 31), (-1, 0), (100000, 0), (-8, 0), (31, 1)])
def test_a_load_out_of_bounds_names_the_thread(offset, thread):
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
def test_misaligned_addresses(step, verb, size):
    body = "\n  %a = getelementptr i32, ptr addrspace(1) %p0, i32 %i\n  " + step + "\n  ret void"
    with pytest.raises(CodegenError, match=f"thread 1 .* {verb} of global .* multiple of {size}"):
        run_text(body, [np.zeros(40, np.int32)])


def test_the_gap_between_two_arrays():
    with pytest.raises(OutOfBoundsError) as caught:
        run_text(OUTSIDE.replace("OFFSET", "32"), [np.zeros(32, np.int32), np.zeros(32, np.int32)])
    assert "accepted" in str(caught.value)


def test_inactive_threads_access_nothing():
    body = """
  %inside = icmp ult i32 %i, 8
  %a = getelementptr i32, ptr addrspace(1) %p0, i32 %i
  br i1 %inside, label %then, label %done
then:
  store i32 5, ptr addrspace(1) %a, align 4
  br label %done
done:
  ret void"""
    result = np.zeros(8, np.int32)
    run_text(body, [result])
    np.testing.assert_array_equal(result, 5)


def test_accesses_outside_of_shared_memory():
    body = f"\n{OWN}  store i32 %i, ptr addrspace(3) %own, align 4\n  ret void"
    with pytest.raises(
        OutOfBoundsError, match="thread 64 of the block stores 4 bytes outside of shared"
    ):
        run_text(body, [], threads=128, shared_bytes=256)


def test_shared_memory_is_uninitialized():
    result = np.zeros(32, np.int32)
    body = (
        "\n" + OWN + "  %y = load i32, ptr addrspace(3) %own, align 4\n"
        "  %to = getelementptr i32, ptr addrspace(1) %p0, i32 %i\n"
        "  store i32 %y, ptr addrspace(1) %to, align 4\n  ret void"
    )
    run_text(body, [result], shared_bytes=128)
    assert (result != 0).all()
