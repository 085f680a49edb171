"""AMD's copies to LDS: their addresses, and races with what runs beside them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.simulator import RaceError

RESOURCE = (
    "  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1("
    "ptr addrspace(1) %p0, i16 0, i64 2147483646, i32 159744)\n  %o = mul i32 %i, 4\n"
)
LOAD = (
    "call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %r, ptr addrspace(3) @shared"
)
OWN = "  %own = getelementptr i32, ptr addrspace(3) @shared, i32 %i\n"
READ = "  %x = load i32, ptr addrspace(3) %own, align 4\n"
STORE = """  %to = getelementptr i32, ptr addrspace(1) %p1, i32 %i
  store i32 %x, ptr addrspace(1) %to, align 4
"""
WAIT = "  call void @llvm.amdgcn.s.waitcnt(i32 3952)\n"
COPY = f"  {LOAD}, i32 4, i32 %o, i32 0, i32 0, i32 0)\n"


def run(*steps: str) -> tuple[np.ndarray, np.ndarray]:
    source, result = np.arange(80, dtype=np.int32), np.zeros(64, np.int32)
    body = RESOURCE + OWN + "".join(steps) + "  ret void"
    run_text(body, [source, result], threads=64, lanes=64, shared_bytes=256, chip="gfx942")
    return source, result


def test_offsets_of_a_buffer_load_are_added():
    copy = f"  {LOAD}, i32 4, i32 %o, i32 8, i32 12, i32 0)\n"
    source, result = run(copy, WAIT, READ, STORE)
    np.testing.assert_array_equal(result, source[5:69])


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ((COPY, READ, WAIT), "a thread accesses .* unfinished asynchronous copy writes"),
        ((COPY, COPY, WAIT), "an asynchronous copy writes .* unfinished one writes"),
        ((COPY, "  store i32 %i, ptr addrspace(3) %own, align 4\n", WAIT), "a thread accesses"),
    ],
)
def test_races_with_a_copy(steps, message):
    with pytest.raises(RaceError, match=re.compile(message)) as error:
        run(*steps)
    assert error.value.first is not None
    assert "buffer.load.lds" in error.value.first.text


def test_a_copy_after_the_wait():
    source, result = run(COPY, WAIT, READ, COPY, WAIT, STORE)
    np.testing.assert_array_equal(result, source[:64])
