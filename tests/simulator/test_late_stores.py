"""AMD's stores to shared memory are done when their thread has waited: a barrier waits for none."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError

BODY = """
  %own = getelementptr i32, ptr addrspace(3) @shared, i32 %i
  %after = add i32 %i, 1
  %around = and i32 %after, 127
  %next = getelementptr i32, ptr addrspace(3) @shared, i32 %around
  STORE
  WAIT
  call void @llvm.amdgcn.s.barrier()
  %x = load i32, ptr addrspace(3) %next, align 4
  ret void"""
STORE = "store i32 %i, ptr addrspace(3) %own, align 4"
COUNT = "%old = atomicrmw add ptr addrspace(3) %own, i32 1 monotonic, align 4"
FOR_STORES = "call void @llvm.amdgcn.s.waitcnt(i32 49279)"
FOR_LOADS = "call void @llvm.amdgcn.s.waitcnt(i32 3952)"
BY_NAME = "call void @llvm.amdgcn.s.wait.dscnt(i16 0)"
SOME = "call void @llvm.amdgcn.s.wait.dscnt(i16 1)"
RELEASE = 'fence syncscope("workgroup") release'
ACQUIRE = 'fence syncscope("workgroup") acquire'


def met(chip: str, lanes: int, wait: str, store: str) -> None:
    body = BODY.replace("STORE", store).replace("WAIT", wait)
    arrays = [np.zeros(1, np.int32)]
    run_text(body, arrays, threads=128, lanes=lanes, shared_bytes=512, chip=chip)


@pytest.mark.parametrize("store", [STORE, COUNT])
@pytest.mark.parametrize(
    ("chip", "lanes", "wait"),
    [
        ("gfx942", 64, FOR_STORES),
        ("gfx942", 64, RELEASE),
        ("gfx1201", 32, BY_NAME),
    ],
)
def test_stores_that_were_waited_for_are_seen(chip, lanes, wait, store):
    met(chip, lanes, wait, store)


@pytest.mark.parametrize("store", [STORE, COUNT])
@pytest.mark.parametrize(
    ("chip", "lanes", "wait"),
    [
        ("gfx942", 64, ""),
        ("gfx942", 64, FOR_LOADS),
        ("gfx942", 64, ACQUIRE),
        ("gfx1201", 32, SOME),
    ],
)
def test_stores_that_were_not(chip, lanes, wait, store):
    with pytest.raises(CodegenError, match=r"reads byte .* wrote, with no barrier between"):
        met(chip, lanes, wait, store)
