"""Blocks of a cluster: who waits for whom, and who may read whose memory when."""

from __future__ import annotations

import numpy as np
import pytest

from weft.errors import CodegenError
from weft.simulator import run

KERNEL = """
@shared = external addrspace(3) global [0 x i8], align 1024
define ptx_kernel void @k(ptr addrspace(1) %p) "nvvm.reqntid"="32" "nvvm.cluster_dim"="2" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %o = xor i32 %r, 1
  %s = getelementptr i32, ptr addrspace(3) @shared, i32 %t
BODY
  ret void
}
"""
WRITE = "\n  store i32 %c, ptr addrspace(3) %s"
MEET = """
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
"""
READ = """
  %m = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %s, i32 %o)
  %v = load i32, ptr addrspace(7) %m
"""
KEEP = """
  %b = mul i32 %c, 32
  %i = add i32 %b, %t
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %i
  store i32 %v, ptr addrspace(1) %a
"""
SOME = f"""
  %f = icmp eq i32 %t, 0
  br i1 %f, label %x, label %y
x:{MEET}
  br label %y
y:
"""


def ran(body: str, text: str = KERNEL) -> np.ndarray:
    found = np.full(128, -1, np.int32)
    run(text.replace("BODY", body), grid=(2,), arguments=[found], warp_size=32, shared_bytes=128)
    return found


def test_blocks_read_what_the_other_wrote():
    found = ran(WRITE + MEET + READ + MEET + KEEP)
    assert found.reshape(4, 32).tolist() == [[n] * 32 for n in (1, 0, 3, 2)]


def test_a_block_reads_its_own_memory_through_the_cluster():
    found = ran((WRITE + MEET + READ + KEEP).replace("%s, i32 %o", "%s, i32 %r"))
    assert found.reshape(4, 32).tolist() == [[n] * 32 for n in range(4)]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (WRITE + READ, "that another block reads, with no barrier of the cluster between"),
        (WRITE + MEET + READ, "has ended, and its shared memory is read"),
        (
            WRITE + MEET + READ + WRITE + MEET,
            "a block reads byte 0 of shared memory that another block writes",
        ),
        (MEET.splitlines()[1] + MEET, "arrives at its cluster's barrier twice without a wait"),
        (MEET.splitlines()[2], "waits for its cluster before it has arrived"),
        (WRITE + MEET + READ.replace("%o", "2"), "an address in a block that the cluster has not"),
        (SOME, "some threads of a block are elsewhere"),
        (
            WRITE + MEET.replace("arrive", "arrive.relaxed") + READ,
            "a block reads byte 0 of shared memory that another block writes",
        ),
    ],
)
def test_what_breaks_the_rules(body, said):
    with pytest.raises(CodegenError, match=said):
        ran(body)


def test_a_block_in_no_cluster():
    with pytest.raises(CodegenError, match="in no cluster"):
        ran(MEET, KERNEL.replace(' "nvvm.cluster_dim"="2"', ""))


def test_a_block_that_never_arrives():
    """It waits for an arrival of its own that nobody brings, so that its peer waits, too."""
    body = """
  %z = icmp eq i32 %r, 0
  %g = icmp eq i32 %t, 0
  call void asm sideeffect "@$0 mbarrier.init.shared::cta.b64 [$1], 1;", "b,r,~{memory}"(i1 %g, ptr addrspace(3) @shared)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %z, label %x, label %y
x:
  call void asm sideeffect "{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1; @!done bra.uni again; }", "r,r,~{memory}"(ptr addrspace(3) @shared, i32 0)
  br label %y
y:
"""  # noqa: E501
    with pytest.raises(CodegenError, match="threads wait for ever"):
        ran(body + MEET)
