"""cp.async: every thread waits for its own copies, and may let a barrier tell of them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text

BARRIER = "ptr addrspace(3) @shared"
MAKE = f"""
  %lead = icmp eq i32 %i, 0
  call void asm sideeffect "@$0 mbarrier.init.shared::cta.b64 [$1], 32;", "b,r"(i1 %lead, {BARRIER})
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
"""
COPY = """
  %o = mul i32 %i, 4
  %behind = add i32 %o, 128
  %to = getelementptr i8, ptr addrspace(3) @shared, i32 %behind
  %from = getelementptr i8, ptr addrspace(1) %p0, i32 %o
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r"\
(ptr addrspace(3) %to, ptr addrspace(1) %from, i32 4)
"""
TELL = f"""
  call void asm sideeffect "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];", "r"({BARRIER})
  call void asm sideeffect "{{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 \
done, [$0], $1; @!done bra.uni again; }}", "r,r"({BARRIER}, i32 0)
"""
WAIT = """
  call void asm sideeffect "cp.async.commit_group;", ""()
  call void asm sideeffect "cp.async.wait_group 0;", "~{memory}"()
"""
SAY = """
  %v = load i32, ptr addrspace(3) %to
  %q = getelementptr i8, ptr addrspace(1) %p1, i32 %o
  store i32 %v, ptr addrspace(1) %q
  ret void"""


@pytest.mark.parametrize("tells", [0, 1])
def test_a_warp_waits_for_its_own_copies(tells):
    """One warp is told of its copies by a barrier, while the other waits for its own."""
    x, y = np.arange(1, 65, dtype=np.int32), np.zeros(64, np.int32)
    body = f"""{MAKE}{COPY}
  %warp = lshr i32 %i, 5
  %tells = icmp eq i32 %warp, {tells}
  br i1 %tells, label %tell, label %wait
tell:{TELL}
  br label %say
wait:{WAIT}
  br label %say
say:{SAY}"""
    run_text(body, [x, y], threads=64, shared_bytes=512)
    assert (y == x).all()


def test_what_a_warp_does_not_wait_for_is_not_there():
    x, y = np.arange(1, 65, dtype=np.int32), np.zeros(64, np.int32)
    body = f"""{COPY}
  %first = icmp ult i32 %i, 32
  br i1 %first, label %wait, label %say
wait:{WAIT}
  br label %say
say:{SAY}"""
    run_text(body, [x, y], threads=64, shared_bytes=512)
    assert (y[:32] == x[:32]).all()
    assert not (y[32:] == x[32:]).any()
