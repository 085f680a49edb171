"""Cluster barriers, and access to the shared memory of other blocks."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from weft.errors import CodegenError
from weft.simulator import run
from weft.simulator.synchronization.cluster import blocks_of_mask

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
CLUSTER_BARRIER = """
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
"""
READ = """
  %m = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %s, i32 %o)
  %v = load i32, ptr addrspace(7) %m
"""
STORE_RESULT = """
  %b = mul i32 %c, 32
  %i = add i32 %b, %t
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %i
  store i32 %v, ptr addrspace(1) %a
"""
DIVERGED = f"""
  %f = icmp eq i32 %t, 0
  br i1 %f, label %x, label %y
x:{CLUSTER_BARRIER}
  br label %y
y:
"""


def run_kernel(body: str, text: str = KERNEL) -> np.ndarray:
    result = np.full(128, -1, np.int32)
    run(text.replace("BODY", body), grid=(2,), arguments=[result], warp_size=32, shared_bytes=128)
    return result


def test_blocks_read_each_other():
    result = run_kernel(WRITE + CLUSTER_BARRIER + READ + CLUSTER_BARRIER + STORE_RESULT)
    assert result.reshape(4, 32).tolist() == [[n] * 32 for n in (1, 0, 3, 2)]


def test_a_block_reads_its_own_memory_by_a_cluster_address():
    result = run_kernel(
        (WRITE + CLUSTER_BARRIER + READ + STORE_RESULT).replace("%s, i32 %o", "%s, i32 %r")
    )
    assert result.reshape(4, 32).tolist() == [[n] * 32 for n in range(4)]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (WRITE + READ, "that another block reads, with no cluster barrier between"),
        (WRITE + CLUSTER_BARRIER + READ, "is read after the block has exited"),
        (
            WRITE + CLUSTER_BARRIER + READ + WRITE + CLUSTER_BARRIER,
            "a block reads byte 0 of shared memory that another block writes",
        ),
        (
            CLUSTER_BARRIER.splitlines()[1] + CLUSTER_BARRIER,
            "arrives at the cluster barrier twice without a wait",
        ),
        (CLUSTER_BARRIER.splitlines()[2], "waits at the cluster barrier before it has arrived"),
        (
            WRITE + CLUSTER_BARRIER + READ.replace("%o", "2"),
            "an address of a block outside of the cluster",
        ),
        (DIVERGED, "that only some threads of a warp reach"),
        (
            WRITE + CLUSTER_BARRIER.replace("arrive", "arrive.relaxed") + READ,
            "a block reads byte 0 of shared memory that another block writes",
        ),
    ],
)
def test_missing_synchronization(body, message):
    with pytest.raises(CodegenError, match=message):
        run_kernel(body)


def test_a_kernel_without_clusters():
    with pytest.raises(CodegenError, match="a kernel without clusters"):
        run_kernel(CLUSTER_BARRIER, KERNEL.replace(' "nvvm.cluster_dim"="2"', ""))


def test_a_block_that_never_arrives():
    """Block 0 waits on an mbarrier without arrivals, and block 1 at the cluster barrier."""
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
    with pytest.raises(CodegenError, match="deadlock"):
        run_kernel(body + CLUSTER_BARRIER)


def test_multicast_to_a_block_that_has_exited():
    cluster = [SimpleNamespace(rank=rank, finished=rank == 1) for rank in range(2)]
    block = SimpleNamespace(cluster=cluster)
    assert blocks_of_mask(block, 0b01) == cluster[:1]  # pyright: ignore[reportArgumentType]
    with pytest.raises(CodegenError, match="of block 1 is written after the block has exited"):
        blocks_of_mask(block, 0b11)  # pyright: ignore[reportArgumentType]
