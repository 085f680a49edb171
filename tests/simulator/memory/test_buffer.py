"""Buffer loads, stores and resources."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError


@pytest.mark.parametrize(
    ("resource", "chip"),
    [
        ("i16 4, i64 2147483646, i32 159744", "gfx942"),
        ("i16 0, i64 1024, i32 159744", "gfx942"),
        ("i16 0, i64 2147483646, i32 159744", "gfx1100"),
    ],
)
def test_unsupported_resources(resource, chip):
    call = f"@llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %p0, {resource})"
    with pytest.raises(CodegenError, match="does not support this buffer resource"):
        run_text(
            f"  %r = call ptr addrspace(8) {call}\n  ret void", [np.zeros(1, np.int32)], chip=chip
        )


def test_a_scalar_offset():
    body = """
  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %p0, i16 0, i64 2147483646, i32 159744)
  %o = mul i32 %i, 4
  %x = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %r, i32 %o, i32 8, i32 0)
  call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %x, ptr addrspace(8) %r, i32 %o, i32 0, i32 0)
  ret void"""  # noqa: E501
    memory = np.arange(40, dtype=np.int32)
    run_text(body, [memory], chip="gfx942")
    np.testing.assert_array_equal(memory[:32], np.arange(2, 34))
