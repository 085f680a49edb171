"""Descriptors that a warp creates in shared memory, with barriers between the steps."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError

SYNC = "  call void @llvm.nvvm.bar.warp.sync(i32 -1)\n"
CLEAR = """  %a{n} = getelementptr i32, ptr addrspace(3) @shared, i32 %i
  call void asm sideeffect "@$2 st.shared.b32 [$0], $1;", "r,r,b"(ptr addrspace(3) %a{n}, i32 0, i1 true)
"""  # noqa: E501
SET = """  %f{n} = icmp eq i32 %i, 0
  call void asm sideeffect "@$1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [$0], 1;", "l,b"(ptr addrspace(3) @shared, i1 %f{n})
"""  # noqa: E501
COPY_TO_GLOBAL = """  call void asm sideeffect "@$2 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], 128;", "l,l,b"(ptr addrspace(1) %p0, ptr addrspace(3) @shared, i1 true)
"""  # noqa: E501


def run_steps(*steps: str) -> None:
    body = "".join(step.replace("{n}", str(n)) for n, step in enumerate(steps)) + "  ret void"
    run_text(body, [np.zeros(128, np.uint8)], shared_bytes=128)


def test_barriers_between_all_steps():
    run_steps(CLEAR, SYNC, SET, SYNC, COPY_TO_GLOBAL, SYNC, CLEAR, SYNC, SET, SYNC, COPY_TO_GLOBAL)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ((CLEAR, SET, SYNC, COPY_TO_GLOBAL), "thread 0 writes byte 4 .* that thread 1 wrote"),
        ((CLEAR, SYNC, SET, COPY_TO_GLOBAL), "thread 1 reads byte 0 .* that thread 0 wrote"),
        (
            (CLEAR, SYNC, SET, SYNC, COPY_TO_GLOBAL, CLEAR),
            "thread 1 writes byte 4 .* that thread 0 read",
        ),
    ],
)
def test_missing_barriers(steps, message):
    with pytest.raises(CodegenError, match=message):
        run_steps(*steps)
