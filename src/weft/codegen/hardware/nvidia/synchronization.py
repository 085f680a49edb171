"""Barriers and fences of PTX.

Source: PTX ISA 9.0, barrier, barrier.cluster and fence.proxy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from typing_extensions import override

from weft.codegen.hardware.capabilities import Synchronization
from weft.codegen.llvm.writer import Writer

__all__ = ["NvidiaSynchronization"]

_ALL_WARPS = 1  # the number of a barrier; 0 is the kernel's, those of partitions follow


@dataclass(frozen=True, slots=True)
class NvidiaSynchronization(Synchronization):
    """Barriers by barrier.cta and barrier.cluster; see `Synchronization`.

    Attributes:
        partition: Barrier number and threads of the partition that this is for, if any.
    """

    partition: tuple[int, int] | None = None

    @override
    def barrier(self, writer: Writer, *, global_memory: bool = False) -> None:
        """Wait; the instruction orders all memory for the threads of the CTA."""
        if self.partition is not None:
            number, threads = (("i32", str(each)) for each in self.partition)
            writer.call("void", "llvm.nvvm.barrier.cta.sync.aligned.count", number, threads)
            return
        writer.call("void", "llvm.nvvm.barrier.cta.sync.aligned.all", ("i32", "0"))

    @override
    def warp_barrier(self, writer: Writer, *, global_memory: bool = False) -> None:
        writer.call("void", "llvm.nvvm.bar.warp.sync", ("i32", "-1"))

    @override
    def all_warps_barrier(self, writer: Writer) -> None:
        writer.call("void", "llvm.nvvm.barrier.cta.sync.all", ("i32", str(_ALL_WARPS)))

    @override
    def cluster_barrier(self, writer: Writer) -> None:
        """Arrive, which releases, and wait, which acquires."""
        for verb in ("arrive", "wait"):
            writer.call("void", f"llvm.nvvm.barrier.cluster.{verb}.aligned")

    @override
    def fence_async_proxy(self, writer: Writer) -> None:
        text = "fence.proxy.async.shared::cta;"
        writer.line(f'call void asm sideeffect "{text}", "~{{memory}}"()')

    @override
    def for_cluster(self, ctas: int) -> NvidiaSynchronization:
        return self

    @override
    def for_partition(self, number: int, threads: int) -> NvidiaSynchronization:
        return replace(self, partition=(number, threads))
