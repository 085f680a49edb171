"""The kinds of instructions that are counted whatever their operands are."""

from __future__ import annotations

import pytest

from weft.simulator.instruction_kinds import fixed_kind
from weft.simulator.llvm_ir.parser import Instruction


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 1, i32 31)", ("shuffle", 32)),
        ("i32 @llvm.amdgcn.update.dpp.i32(i32 %a, i32 %b, i32 177)", ("shuffle", 32)),
        ("i32 @llvm.amdgcn.readlane.i32(i32 %a, i32 3)", ("shuffle", 32)),
        ("i32 @llvm.amdgcn.readfirstlane.i32(i32 %a)", None),
        ("i32 @llvm.nvvm.redux.sync.add(i32 %a, i32 -1)", ("warp reduction", 32)),
        ("void @llvm.nvvm.bar.warp.sync(i32 -1)", ("warp barrier", 0)),
        ("void @llvm.nvvm.barrier.cluster.wait.aligned()", ("cluster barrier", 0)),
        ("void @llvm.amdgcn.s.barrier.wait(i16 -3)", ("cluster barrier", 0)),
        ("void @llvm.amdgcn.s.barrier.wait(i16 -1)", ("barrier", 0)),
        ('{ i32 } asm sideeffect "mma.sync.aligned.m16n8k16.row.col {$0}", "=r"()', ("mma", 0)),
        ('{ i32 } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16 {$0}", "=r"()', ("mma", 0)),
        ('void asm sideeffect "wgmma.commit_group.sync.aligned;", ""()', None),
        ("<4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %a)", ("mma", 0)),
        (
            '{ i32, i32 } asm sideeffect "tcgen05.ld.sync.aligned.32x32b.x2.b32 {$0, $1}, [$2];"',
            ("tensor memory load", 64),
        ),
        (
            'void asm sideeffect "@$2 tcgen05.st.sync.aligned.32x32b.x1.b32 [$0], {$1};"',
            ("tensor memory store", 32),
        ),
        ("float @llvm.fma.f32(float %a, float %b, float %c)", None),
    ],
)
def test_kinds(text, kind):
    assert fixed_kind(Instruction("%r", "call", text)) == kind


def test_other_opcodes_have_no_fixed_kind():
    assert fixed_kind(Instruction("%r", "load", "float, ptr addrspace(3) %p")) is None
