"""Barriers and fences."""

from __future__ import annotations

from typing import Protocol, Self

from weft.codegen.llvm.writer import Writer

__all__ = ["Synchronization"]


class Synchronization(Protocol):
    """Barriers of a warp, a CTA, a partition of its warps, and a cluster."""

    def barrier(self, writer: Writer, *, global_memory: bool = False) -> None:
        """Wait for all threads of the CTA, or of the partition; orders shared memory.

        Args:
            writer: Where to write.
            global_memory: Whether accesses to global memory are ordered as well.
        """
        ...

    def warp_barrier(self, writer: Writer, *, global_memory: bool = False) -> None:
        """Wait for all threads of the warp, which is the whole CTA; see `barrier`."""
        ...

    def all_warps_barrier(self, writer: Writer) -> None:
        """Wait for all threads of the CTA, whatever partition they run."""
        ...

    def cluster_barrier(self, writer: Writer) -> None:
        """Wait for all threads of the cluster; orders shared memory."""
        ...

    def fence_async_proxy(self, writer: Writer) -> None:
        """Order this thread's accesses to shared memory before those of TMA and tensor cores."""
        ...

    def for_cluster(self, ctas: int) -> Self:
        """Get the same of a kernel whose programs are clusters of CTAs."""
        ...

    def for_partition(self, number: int, threads: int) -> Self:
        """Get the same of a partition of the CTA's warps, which has a barrier for itself.

        Args:
            number: Of the barrier, which no other partition uses.
            threads: Of the partition.

        Raises:
            CodegenError: The chip has no such barriers.
        """
        ...
