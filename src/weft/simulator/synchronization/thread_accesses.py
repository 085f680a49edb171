"""Accesses of threads to shared memory, and the barriers that order them.

For every byte, `ThreadAccesses` records the thread that wrote it last and the threads that read it
since the last barrier. A read after a write of another thread (RAW), a write after a read (WAR) and
a write after a write (WAW) are races unless a barrier is between them. Atomic updates race with
reads and writes, not with each other.

    thread 0: store byte 4;  barrier;  thread 1: load byte 4      no race: the barrier orders them
    thread 0: store byte 4;            thread 1: load byte 4      race

Threads run in lock step, so a race would not show in the results. `races.py` adds the accesses of
asynchronous copies and of matrix instructions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from weft.simulator.diagnostics import History
from weft.simulator.synchronization.accessors import (
    ATOMICS,
    NONE,
    SEVERAL,
    Trace,
    add_readers,
    check_same_thread,
)
from weft.simulator.synchronization.async_copies import AsyncCopies
from weft.simulator.synchronization.cluster_order import ClusterOrder
from weft.simulator.synchronization.warp_order import WarpOrder

__all__ = ["ThreadAccesses"]

_MAX_WARP_SIZE = 64


@dataclass(slots=True)
class ThreadAccesses:
    """Accesses to each byte of a block's shared memory since the last barrier.

    Attributes:
        writer: [byte]: the thread that wrote it, or NONE or ATOMICS.
        reader: [byte]: the thread that read it, or NONE or SEVERAL.
        unfenced_writer: [byte]: the thread that wrote it with no proxy fence since, or NONE.
        copies: The asynchronous copies that access bytes.
        wgmma_readers: [byte]: number of unfinished wgmma instructions that read it.
        pending_stores: [thread]: whether it has stores that it has not waited for; empty on chips
            whose barriers wait for stores.
        cluster: Order of accesses by the blocks of the cluster, None without a cluster.
        order: Order of accesses by the warps, None if only barriers of all warps order them.
        history: The instructions of the kernel, and the one that runs.
        writes: The instructions that wrote each byte last.
        reads: The instructions that read each byte last.
        wgmma_reads: The wgmma instructions that read each byte last.
    """

    writer: np.ndarray
    reader: np.ndarray
    unfenced_writer: np.ndarray
    copies: AsyncCopies
    wgmma_readers: np.ndarray
    history: History
    writes: Trace
    reads: Trace
    wgmma_reads: Trace
    pending_stores: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    cluster: ClusterOrder | None = None
    order: WarpOrder | None = None

    @classmethod
    def of(cls, size: int) -> Self:
        """Create the record for a number of bytes, without accesses."""
        history = History()
        writes, reads, wgmma_reads = (Trace.of(size, history) for _ in range(3))
        return cls(
            writer=np.full(size, NONE),
            reader=np.full(size, NONE),
            unfenced_writer=np.full(size, NONE),
            copies=AsyncCopies.of(size, history),
            wgmma_readers=np.zeros(size, np.int32),
            history=history,
            writes=writes,
            reads=reads,
            wgmma_reads=wgmma_reads,
        )

    # Synchronization between threads.

    def barrier(self, threads: np.ndarray) -> None:
        """Synchronize threads at a barrier.

        Accesses of these threads no longer race with those of others after the barrier, and a copy
        that is visible to one of them is visible to all. Threads with outstanding stores are left
        out: their stores may take effect after the barrier.

        Args:
            threads: [thread] mask.
        """
        if self.pending_stores.any():
            threads = threads & ~self.pending_stores
        if self.order is not None:
            self.order.barrier(threads)
        if not threads.all():
            self.copies.synchronize(threads)
            for accessor in (self.writer, self.reader):
                # The threads of SEVERAL and ATOMICS are unknown: a barrier of more than a warp
                # is assumed to include them.
                is_ordered = (accessor < NONE) & (threads.sum() > _MAX_WARP_SIZE)
                is_ordered |= (accessor >= 0) & threads[np.maximum(accessor, 0)]
                accessor[is_ordered] = NONE
            return
        self.writer[:] = NONE
        self.reader[:] = NONE
        self.copies.synchronize_all()

    def begin_stores(self, mask: np.ndarray) -> None:
        """Record that threads have stores that are complete only after `complete_stores`."""
        self.pending_stores = (
            self.pending_stores | mask if self.pending_stores.size else mask.copy()
        )

    def complete_stores(self, mask: np.ndarray) -> None:
        """Record that threads have waited for their stores."""
        if self.pending_stores.size:
            self.pending_stores &= ~mask

    def release(self, threads: np.ndarray) -> None:
        """Forget accesses of threads before they arrived at a barrier that others observed.

        Args:
            threads: Numbers of the threads.
        """
        for accessor in (self.writer, self.reader):
            accessor[np.isin(accessor, threads)] = NONE
        if len(threads):
            self.reader[self.reader == SEVERAL] = NONE

    def proxy_fence(self, mask: np.ndarray) -> None:
        """Make writes visible to the async proxy: those of the threads, and those they observed."""
        # A write without a writer was before a barrier, which let the fencing threads observe it;
        # of a byte that a copy overwrote, they must also have observed the copy.
        is_observed = (self.writer == NONE) & self.copies.visible_bytes(mask)
        is_fenced = (self.unfenced_writer != NONE) & (mask[self.unfenced_writer] | is_observed)
        self.unfenced_writer[is_fenced] = NONE

    # Accesses of threads.

    def read(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record that threads read bytes.

        Args:
            places: [thread, byte] addresses.
            threads: Numbers of the threads.

        Raises:
            RaceError: The read races with a write.
        """
        accessor = threads[:, None]
        self.copies.check_access(places, threads)
        check_same_thread("reads", self.writer[places], accessor, "wrote", places, self.writes)
        if self.order is not None and len(threads):
            self.order.read(places, threads)
        add_readers(self.reader, places, accessor)
        self.reads.record(places)

    def write(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record that threads write bytes; arguments as of `read`.

        Raises:
            RaceError: The write races with a read or another write.
        """
        accessor = threads[:, None]
        self.copies.check_access(places, threads)
        self.check_wgmma(places, "a thread")
        self.copies.check_thread_write(places)
        check_same_thread("writes", self.writer[places], accessor, "wrote", places, self.writes)
        check_same_thread("writes", self.reader[places], accessor, "read", places, self.reads)
        if self.order is not None and len(threads):
            self.order.write(places, threads)
        if self.cluster is not None:
            self.cluster.write(places)
        self.writer[places] = accessor
        self.unfenced_writer[places] = accessor
        self.writes.record(places)

    def check_same_values(
        self, places: np.ndarray, threads: np.ndarray, is_stored: np.ndarray
    ) -> None:
        """Check that threads that write one byte in the same instruction write the same value.

        Args:
            places: As of `read`.
            threads: As of `read`.
            is_stored: [thread, byte]: whether the byte has the thread's value now.

        Raises:
            RaceError: Two threads wrote different values.
        """
        if not is_stored.all():
            row, column = (int(index[0]) for index in np.nonzero(~is_stored))
            place = int(places[row, column])
            raise self.writes.error(
                f"thread {int(threads[row])} and thread {int(self.writer[place])} write different"
                f" values to byte {place} of shared memory at once",
                place,
            )

    def update(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record atomic updates, which do not race with each other; arguments as of `read`."""
        accessor = threads[:, None]
        self.copies.check_access(places, threads)
        # For the check, earlier atomics count as accesses of the thread itself.
        writer = self.writer[places]
        other_writer = np.where(writer == ATOMICS, accessor, writer)
        check_same_thread("updates", other_writer, accessor, "wrote", places, self.writes)
        check_same_thread("updates", self.reader[places], accessor, "read", places, self.reads)
        if self.cluster is not None:
            self.cluster.write(places)
        self.writer[places] = ATOMICS
        self.unfenced_writer[places] = accessor
        self.writes.record(places)

    def read_by_block(self, places: np.ndarray, reader: ClusterOrder) -> None:
        """Record that another block of the cluster reads bytes; see `ClusterOrder.read_by`."""
        assert self.cluster is not None
        self.cluster.read_by(places, reader)

    def read_by_warp(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record that the lanes of a warp read the same bytes, as one read of its first lane.

        Args:
            places: [1, byte] addresses.
            threads: Numbers of the threads.

        Raises:
            RaceError: The read races with a write.
        """
        self.copies.check_access(places, threads)
        all_places = np.broadcast_to(places, (len(threads), places.shape[1]))
        writer = self.writer[all_places]
        check_same_thread("reads", writer, threads[:, None], "wrote", all_places, self.writes)
        add_readers(self.reader, places, threads[:1, None])
        self.reads.record(places)

    # Accesses to barriers in shared memory.

    def write_mbarrier(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record that threads initialize or invalidate an mbarrier, which needs no proxy fence."""
        unfenced_writer = self.unfenced_writer[places]
        self.write(places, threads)
        self.unfenced_writer[places] = unfenced_writer

    def arrive_at_mbarrier(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record that threads arrive at an mbarrier, which no other thread may be polling.

        Raises:
            RaceError: Another thread waited on it since the last barrier.
        """
        reader = self.reader[places]
        check_same_thread("arrives at", reader, threads[:, None], "read", places, self.reads)

    def access_lds_barrier(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record that threads arrive at a barrier in LDS, which other threads may be polling.

        Raises:
            RaceError: Another thread initialized it since the last barrier.
        """
        writer = self.writer[places]
        check_same_thread("arrives at", writer, threads[:, None], "wrote", places, self.writes)

    def check_wgmma(self, places: np.ndarray, writer: str) -> None:
        """Check that no unfinished wgmma reads bytes that are to be written.

        Args:
            places: Addresses of the bytes.
            writer: What writes them, for the message.

        Raises:
            RaceError: One does.
        """
        is_read = self.wgmma_readers[places] > 0
        if is_read.any():
            raise self.wgmma_reads.error(
                f"{writer} writes shared memory that an unfinished wgmma reads",
                int(places[is_read][0]),
            )
