"""Barriers of AMD chips, and waits for the counters of memory operations.

A partition of a workgroup's waves has a named barrier, which a wave joins before it signals:

    s_barrier_join group.2;  s_barrier_signal group.2;  s_barrier_wait

The cluster barrier is signalled by one wave of each workgroup.
Source: AMD's CDNA5 ISA, barriers; LLVM 22.1, llvm.amdgcn.s.barrier.signal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from typing_extensions import override

from weft.codegen.hardware.capabilities import Synchronization
from weft.codegen.llvm.writer import Writer
from weft.errors import CodegenError
from weft.targets import Target
from weft.targets.wait_counters import wait_counters, wait_instruction

__all__ = ["AmdSynchronization", "signal_cluster", "wait_for", "wait_for_cluster"]

_CLUSTER, _JOINED = -3, 1  # the barrier of the cluster, and the one that a wave has joined
# On a wait between a fence and a barrier: LLVM moves no access across these. Without the attribute
# LLVM takes the wait for a write to all memory, and loads nothing after it into scalar registers.
_WRITES_NOTHING = " memory(inaccessiblemem: readwrite)"
# Becomes no instruction. LLVM would move stores past a wait that writes nothing.
_WAVE_FENCE = 'fence syncscope("wavefront") release'


@dataclass(frozen=True, slots=True)
class AmdSynchronization(Synchronization):
    """Barriers by s_barrier; see `Synchronization`.

    Attributes:
        target: The chip.
        ctas: CTAs of a cluster.
        partition: Number and waves of the partition that this is for, if any.
    """

    target: Target
    ctas: int = 1
    partition: tuple[int, int] | None = None

    @override
    def barrier(self, writer: Writer, *, global_memory: bool = False) -> None:
        """Wait for this thread's LDS accesses, and then for all threads.

        A fence would wait for copies to LDS as well, which may stay in flight.
        """
        if global_memory:
            writer.line('fence syncscope("workgroup") release')
        else:
            # A partition of one wave has no barrier, so that its wait must order accesses.
            attributes = ""
            if self.partition is None:
                writer.line(_WAVE_FENCE)
                attributes = _WRITES_NOTHING
            wait_for(writer, self.target, "shared", 0, attributes)
        if self.partition is None:
            writer.call("void", "llvm.amdgcn.s.barrier")
        else:
            _partition_barrier(writer, *self.partition)
        if global_memory:
            writer.line('fence syncscope("workgroup") acquire')

    @override
    def warp_barrier(self, writer: Writer, *, global_memory: bool = False) -> None:
        """Write a barrier; LLVM removes it from a workgroup of one wave."""
        self.barrier(writer, global_memory=global_memory)

    @override
    def all_warps_barrier(self, writer: Writer) -> None:
        replace(self, partition=None).barrier(writer)

    @override
    def cluster_barrier(self, writer: Writer) -> None:
        raise CodegenError(
            f"blocks of a cluster do not reach each other's shared memory on {self.target}",
            found=f"num_ctas={self.ctas}",
            accepted=["num_ctas=1", "layouts that keep what an operation combines in one block"],
        )

    @override
    def fence_async_proxy(self, writer: Writer) -> None:
        """Write nothing: there is no asynchronous proxy."""

    @override
    def for_cluster(self, ctas: int) -> AmdSynchronization:
        return replace(self, ctas=ctas)

    @override
    def for_partition(self, number: int, threads: int) -> AmdSynchronization:
        if "tensor" not in {row.kind for row in wait_counters(str(self.target.arch))}:
            raise CodegenError(f"warps cannot be specialised on {self.target}")
        return replace(self, partition=(number, threads // self.target.threads_per_warp))


def _partition_barrier(writer: Writer, number: int, waves: int) -> None:
    """Wait for all waves of a partition at its named barrier."""
    if waves == 1:
        return
    name = f"@group.{number}"
    barrier = f'{name} = internal addrspace(3) global target("amdgcn.named.barrier", 0) poison'
    writer.globals[barrier] = None
    address = "ptr addrspace(3)", name
    writer.call("void", "llvm.amdgcn.s.barrier.join", address)
    writer.call("void", "llvm.amdgcn.s.barrier.signal.var", address, ("i32", str(waves)))
    writer.call("void", "llvm.amdgcn.s.barrier.wait", ("i16", str(_JOINED)))


def signal_cluster(writer: Writer, first_warp: str) -> None:
    """Signal the cluster barrier for this workgroup.

    Args:
        writer: Where to write.
        first_warp: An i1, whether this is the workgroup's first wave; "" if it is the only one.
    """
    with writer.where(first_warp, "signal"):
        writer.call("void", "llvm.amdgcn.s.barrier.signal", ("i32", str(_CLUSTER)))


def wait_for_cluster(writer: Writer) -> None:
    """Wait until all workgroups have signalled the cluster barrier."""
    writer.call("void", "llvm.amdgcn.s.barrier.wait", ("i16", str(_CLUSTER)))


def wait_for(writer: Writer, target: Target, kind: str, pending: int, attributes: str = "") -> None:
    """Wait until at most `pending` operations of a kind are in flight.

    Args:
        writer: Where to write.
        target: The chip.
        kind: Of operation, a row of the chip's wait counters.
        pending: Operations.
        attributes: Of the call.
    """
    name, argument = wait_instruction(str(target.arch), kind, pending)
    type_ = "i32" if name == "s.waitcnt" else "i16"
    writer.call("void", f"llvm.amdgcn.{name}", (type_, str(argument)), attributes=attributes)
