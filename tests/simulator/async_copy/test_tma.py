"""TMA: operands that do not match the instruction or the descriptor."""

from __future__ import annotations

import numpy as np
import pytest

from weft.errors import CodegenError
from weft.simulator import TensorMap, run

KERNEL = """
@shared = external addrspace(3) global [0 x i8], align 1024
define ptx_kernel void @k(ptr addrspace(1) %map) "nvvm.reqntid"="32" {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %i, 0
  %to = getelementptr i8, ptr addrspace(3) @shared, i32 START
  call void asm sideeffect "@$0 mbarrier.init.shared::cta.b64 [$1], 1;", "b,r"(i1 %first, ptr addrspace(3) @shared)
  call void asm sideeffect "@$0 LINE", "b,r,l,r,r"(i1 %first, ptr addrspace(3) %to, ptr addrspace(1) %map, i32 0, ptr addrspace(3) @shared)
  ret void
}
"""  # noqa: E501
LOAD = (
    "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes"
    " [$1], [$2, {$3}], [$4];"
)


def run_line(line: str, start: int = 128, rank: int = 1) -> None:
    tensor = np.zeros((16,) * rank, np.float16)
    box = (16,) * rank
    tensor_map = TensorMap(tensor, 6, box, box, (32,) * (rank - 1), 0)
    text = KERNEL.replace("LINE", line).replace("START", str(start))
    run(text, grid=(1,), arguments=[tensor_map], warp_size=32, shared_bytes=1024)


@pytest.mark.parametrize(
    ("line", "start", "rank", "message"),
    [
        (LOAD, 128, 2, "the rank of a TMA descriptor does not match"),
        (LOAD, 0, 1, "memory of an mbarrier that was not invalidated"),
        (LOAD, 64, 1, "must be aligned to 128 bytes"),
        (LOAD.replace("{$3}", "{$3, $3}"), 128, 1, "must have 1 coordinates"),
        (
            "cp.reduce.async.bulk.tensor.1d.global.shared::cta.bulk_group [$1, {$3}], [$2];",
            128,
            1,
            "cp.reduce and a reduction operation go together",
        ),
        (LOAD, 128, 1, "exits with asynchronous copies to its shared memory"),
    ],
)
def test_errors(line, start, rank, message):
    with pytest.raises(CodegenError, match=message):
        run_line(line, start, rank)
