"""The lattice of the hazard analysis: accesses to memory since the last barrier.

op                                reads     writes     unfenced_writes
local_store %x, %b                          {b}        {b}
local_load %b                     {b}       {b}        {b}
barrier                                                {b}
fence_async_shared
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from weft.analysis.allocation import ByteRange
from weft.analysis.shared_memory_effects import Agent
from weft.analysis.tensor_memory_effects import TensorMemoryAccess

__all__ = ["NO_BYTES", "Accesses", "Bytes"]

_ASYNCHRONOUS = (Agent.TMA, Agent.WGMMA, Agent.TDM)
Bytes = frozenset[ByteRange]
NO_BYTES: Bytes = frozenset()


class Accesses(Struct, frozen=True):
    """The accesses that a barrier, a wait or a fence still has to order.

    Attributes:
        reads: Bytes that threads read.
        writes: Bytes that threads wrote.
        first_warp_writes: Bytes that the first warp wrote.
        async_reads: Bytes that asynchronous units read, not waited for yet.
        unfenced_writes: Bytes that threads wrote since the last proxy fence.
        completed_copies: Whether threads have waited for their own asynchronous copies, so that
            the copies of the other threads become visible at the next barrier only.
        unfenced_copies: Whether copies that tensor cores read completed since the last fence.
        created_descriptor: Whether a TMA descriptor was created, visible to the first warp only.
        tensor_memory: Accesses by threads to tensor memory.
    """

    reads: Bytes = NO_BYTES
    writes: Bytes = NO_BYTES
    first_warp_writes: Bytes = NO_BYTES
    async_reads: frozenset[tuple[Agent, ByteRange]] = frozenset()
    unfenced_writes: Bytes = NO_BYTES
    completed_copies: bool = False
    unfenced_copies: bool = False
    created_descriptor: bool = False
    tensor_memory: frozenset[TensorMemoryAccess] = frozenset()

    def join(self, other: Accesses) -> Accesses:
        """Compute the union."""
        return Accesses(
            self.reads | other.reads,
            self.writes | other.writes,
            self.first_warp_writes | other.first_warp_writes,
            self.async_reads | other.async_reads,
            self.unfenced_writes | other.unfenced_writes,
            self.completed_copies or other.completed_copies,
            self.unfenced_copies or other.unfenced_copies,
            self.created_descriptor or other.created_descriptor,
            self.tensor_memory | other.tensor_memory,
        )

    def after_barrier(self) -> Accesses:
        """Forget what a barrier orders; it neither waits for asynchronous units nor fences."""
        return Accesses(
            async_reads=self.async_reads,
            unfenced_writes=self.unfenced_writes,
            unfenced_copies=self.unfenced_copies,
        )

    def after_fence(self) -> Accesses:
        """Forget what a proxy fence covers."""
        return replace(self, unfenced_writes=NO_BYTES, unfenced_copies=False)

    def after_wait(self, unit: Agent, pending: int) -> Accesses:
        """Count what an asynchronous unit read as read by threads, after a wait for the unit.

        Args:
            unit: The unit.
            pending: The number of operations that may still be in flight.
        """
        completed = {access for access in self.async_reads if access[0] is unit}
        reads = self.reads | {range_ for _, range_ in completed}
        # Which operations are complete is not known where some are not.
        return replace(
            self, reads=reads, async_reads=self.async_reads - (set() if pending else completed)
        )

    def after_access(self, agent: Agent, reads: Bytes, writes: Bytes) -> Accesses:
        """Add the accesses of one operation; what asynchronous units write has an mbarrier."""
        if agent in _ASYNCHRONOUS:
            return replace(
                self, async_reads=self.async_reads | {(agent, range_) for range_ in reads}
            )
        unfenced = self.unfenced_writes | writes
        if agent is Agent.FIRST_WARP:
            return replace(
                self,
                first_warp_writes=self.first_warp_writes | writes,
                unfenced_writes=unfenced,
            )
        return replace(
            self,
            reads=self.reads | reads,
            writes=self.writes | writes,
            unfenced_writes=unfenced,
        )
