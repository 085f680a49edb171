"""cp.async: threads wait for their own copies, by group or on an mbarrier."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError

BARRIER = "ptr addrspace(3) @shared"
INIT = f"""
  %lead = icmp eq i32 %i, 0
  call void asm sideeffect "@$0 mbarrier.init.shared::cta.b64 [$1], 32;", "b,r"(i1 %lead, {BARRIER})
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
"""
COPY = """
  %o = mul i32 %i, 4
  %offset = add i32 %o, 128
  %to = getelementptr i8, ptr addrspace(3) @shared, i32 %offset
  %from = getelementptr i8, ptr addrspace(1) %p0, i32 %o
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r"\
(ptr addrspace(3) %to, ptr addrspace(1) %from, i32 4)
"""
ARRIVE = f"""
  call void asm sideeffect "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];", "r"({BARRIER})
  call void asm sideeffect "{{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 \
done, [$0], $1; @!done bra.uni again; }}", "r,r"({BARRIER}, i32 0)
"""
WAIT = """
  call void asm sideeffect "cp.async.commit_group;", ""()
  call void asm sideeffect "cp.async.wait_group 0;", "~{memory}"()
"""
STORE_RESULT = """
  %v = load i32, ptr addrspace(3) %to
  %q = getelementptr i8, ptr addrspace(1) %p1, i32 %o
  store i32 %v, ptr addrspace(1) %q
  ret void"""


@pytest.mark.parametrize("arrives", [0, 1])
def test_a_warp_waits_for_its_own_copies(arrives):
    """One warp waits on an mbarrier at which its copies arrive, the other for its group."""
    x, y = np.arange(1, 65, dtype=np.int32), np.zeros(64, np.int32)
    body = f"""{INIT}{COPY}
  %warp = lshr i32 %i, 5
  %arrives = icmp eq i32 %warp, {arrives}
  br i1 %arrives, label %arrive, label %wait
arrive:{ARRIVE}
  br label %store
wait:{WAIT}
  br label %store
store:{STORE_RESULT}"""
    run_text(body, [x, y], threads=64, shared_bytes=512)
    assert (y == x).all()


def test_a_missing_wait_is_found():
    x, y = np.arange(1, 65, dtype=np.int32), np.zeros(64, np.int32)
    body = f"""{COPY}
  %first = icmp ult i32 %i, 32
  br i1 %first, label %wait, label %store
wait:{WAIT}
  br label %store
store:{STORE_RESULT}"""
    with pytest.raises(CodegenError, match="that an unfinished asynchronous copy writes"):
        run_text(body, [x, y], threads=64, shared_bytes=512)


def test_copies_that_arrive_after_the_block_has_exited():
    arrive = ARRIVE.split("\n")[1]
    body = f"{INIT}{COPY}\n{arrive}\n  ret void"
    with pytest.raises(CodegenError, match="exits with asynchronous copies to its shared memory"):
        run_text(body, [np.zeros(64, np.int32)], threads=64, shared_bytes=512)
