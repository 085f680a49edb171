"""Lines of inline assembly that the registry has, and that it does not have."""

from __future__ import annotations

import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError
from weft.simulator.registry import find_assembly


@pytest.mark.parametrize(
    "line",
    [
        "ld.global.ca.v2.b32 {$0, $1}, [$4];",
        "@$3 ld.global.L1::evict_last.L2::cache_hint.b32 $0, [$2], $4;",
        "st.global.wt.b16 [$1], $0;",
        "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;",
        "cp.async.ca.shared.global [$0], [$1], 8, $2;",
        "cp.async.cg.shared.global [$0], [$1], 16, $2;",
        "cp.async.cg.shared.global [$0], [$1], 16, !$2;",
        "@$2 cp.async.ca.shared.global [$0], [$1], 4;",
        "@$3 cp.async.ca.shared.global [$0], [$1], 4, !$2;",
        "atom.global.gpu.acq_rel.add.noftz.v4.f16x2 {$0, $1, $2, $3}, [$4], {$5, $6, $7, $8};",
        "wgmma.fence.sync.aligned;",
        "tcgen05.ld.sync.aligned.32x32b.x2.b32 {$0, $1}, [$2];",
        "tcgen05.st.sync.aligned.16x64b.x2.unpack::16b.b32 [$0], {$1, $2};",
        "wgmma.wait_group.sync.aligned 1;",
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {$0, $1}, {$2, $3}, {$4}, {$0, $1};",
        "atom.acq_rel.gpu.global.add.f32 $0, [$1], $2;",
        "mma.sync.aligned.m16n8k8.row.col.satfinite.s32.s8.s8.s32 {$0}, {$1}, {$2}, {$0};",
    ],
)
def test_supported_lines(line):
    entry = find_assembly(line)
    assert entry is not None
    assert entry[0][0] == line


@pytest.mark.parametrize(
    "line",
    [
        "ld.global.cx.v2.b32 {$0, $1}, [$4];",
        "ld.shared.b32 $0, [$2];",
        "ld.global.relaxed.gpu.b32 $0, [$2];",
        "ld.global.v3.b32 {$0, $1, $2}, [$4];",
        "createpolicy.fractional.L2::evict_normal.b64 $0, 1.0;",
        "createpolicy.fractional.L2::evict_first.b64 $0, 0.5;",
        "cp.async.cg.shared.global [$0], [$1], 8, $2;",
        "cp.async.ca.shared.global [$0], [$1], 2, $2;",
        "atom.weak.gpu.global.add.u32 $0, [$1], $2;",
        "atom.global.cluster.relaxed.add.u32 $0, [$1], $2;",
        "atom.global.gpu.relaxed.nand.b32 $0, [$1], $2;",
        "wgmma.fence.aligned;",
        "tcgen05.ld.sync.aligned.64x32b.x2.b32 {$0, $1}, [$2];",
        "tcgen05.st.sync.aligned.16x512b.x1.b32 [$0], {$1, $2};",
        "wgmma.wait_group.sync.aligned $0;",
        "mma.sync.aligned.m16n8k8.row.row.f32.tf32.tf32.f32 {$0, $1}, {$2, $3}, {$4}, {$0, $1};",
        "mma.sync.aligned.m16n8k8.row.col.saturate.s32.s8.s8.s32 {$0}, {$1}, {$2}, {$0};",
    ],
)
def test_unsupported_lines(line):
    assert find_assembly(line) is None
    with pytest.raises(CodegenError, match="does not support this inline assembly"):
        run_text(f'  call void asm sideeffect "{line}", ""()\n  ret void', [])
