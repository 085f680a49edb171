"""Detect races in shared memory.

For every byte, `Races` records the thread that wrote it last and the threads that read it since the
last barrier. A read after a write of another thread (RAW), a write after a read (WAR) and a write
after a write (WAW) are races unless a barrier is between them. Atomic updates race with reads and
writes, not with each other.

    thread 0: store byte 4;  barrier;  thread 1: load byte 4      no race: the barrier forgets all
    thread 0: store byte 4;            thread 1: load byte 4      race

Threads run in lock step, so a race would not show in the results.

Asynchronous copies (TMA, TDM, cp.async) run between their issue and the wait for them; see
async_copies.py:

- while a copy writes bytes, no thread may access them; while it reads bytes, none may write them;
- once the copy is complete, threads that waited for it may access what it wrote, and so may
  threads that a barrier synchronizes with those;
- what threads wrote through ordinary stores (the generic proxy) is visible to a copy (the async
  proxy) only after a proxy fence. See PTX ISA 9.0, "Memory Consistency Model", proxies.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from weft.simulator.diagnostics import History
from weft.simulator.synchronization.accessors import (
    ATOMICS,
    NONE,
    OTHER_BLOCK,
    SEVERAL,
    Trace,
    add_readers,
    check_same_thread,
)
from weft.simulator.synchronization.async_copies import AsyncCopies
from weft.simulator.synchronization.cluster_order import ClusterOrder
from weft.simulator.synchronization.warp_order import WarpOrder

__all__ = ["Races"]

_MAX_WARP_SIZE = 64


@dataclass(slots=True)
class Races:
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
    def of(cls, size: int) -> Races:
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
        self._check_wgmma(places, "a thread")
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

    # Asynchronous copies.

    def begin_async_write(
        self, places: np.ndarray, thread: int, *, needs_fence: bool = True
    ) -> None:
        """Record that a copy starts to write bytes.

        Args:
            places: Addresses of the bytes.
            thread: The thread that issues the copy.
            needs_fence: Whether the copy uses the async proxy.

        Raises:
            RaceError: A thread accessed one of the bytes since the last barrier, or wrote it
                with no proxy fence since; or another copy or a wgmma accesses it.
        """
        accessor = np.full((1, 1), thread)
        self.copies.check_copy_write(places)
        check_same_thread("copies to", self.writer[places], accessor, "wrote", places, self.writes)
        check_same_thread("copies to", self.reader[places], accessor, "read", places, self.reads)
        if self.order is not None and thread == OTHER_BLOCK:
            self.order.forget(places)
        elif self.order is not None:
            self.order.write(places, np.array([thread]), is_copy=True)
        if needs_fence:
            self._check_fence(places)
        self._check_wgmma(places, "an asynchronous copy")
        if self.cluster is not None:
            self.cluster.write(places)
        self.copies.begin_write(places)

    def begin_async_read(
        self, places: np.ndarray, thread: int, *, needs_fence: bool = True
    ) -> None:
        """Record that a copy starts to read bytes; arguments as of `begin_async_write`.

        Raises:
            RaceError: Another thread wrote one of the bytes since the last barrier, or a thread
                wrote it with no proxy fence since; or an unfinished copy writes it.
        """
        self.copies.check_copy_read(places)
        accessor = np.full((1, 1), thread)
        check_same_thread("copies", self.writer[places], accessor, "wrote", places, self.writes)
        if self.order is not None:
            self.order.read(places, np.array([thread]))
        if needs_fence:
            self._check_fence(places)
        self.copies.check_access(places, np.array([thread]))
        self.copies.begin_read(places)

    def begin_cp_async(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record that threads start cp.async copies to bytes; arguments as of `read`.

        Raises:
            RaceError: Another thread accessed one of the bytes since the last barrier, or an
                unfinished copy or wgmma accesses it.
        """
        accessor = threads[:, None]
        self.copies.check_copy_write(places)
        check_same_thread("copies to", self.writer[places], accessor, "wrote", places, self.writes)
        check_same_thread("copies to", self.reader[places], accessor, "read", places, self.reads)
        if self.order is not None:
            self.order.write(places, threads, is_copy=True)
        self._check_wgmma(places, "an asynchronous copy")
        self.copies.begin_write(places)

    def begin_lds_copy(self, places: np.ndarray, threads: np.ndarray, *, reads_lds: bool) -> None:
        """Record that threads of an AMD chip start copies between global memory and LDS.

        Args:
            places: As of `read`.
            threads: As of `read`.
            reads_lds: Whether the copies read LDS, and do not write it.

        Raises:
            RaceError: Another thread accessed one of the bytes since the last barrier, or an
                unfinished copy accesses it.
        """
        if not reads_lds:
            self.begin_cp_async(places, threads)
            return
        self.copies.check_copy_read(places)
        accessor = threads[:, None]
        check_same_thread("copies", self.writer[places], accessor, "wrote", places, self.writes)
        self.copies.begin_read(places)

    def end_lds_copy(self, places: np.ndarray, *, reads_lds: bool) -> None:
        """Record that the warp of such copies has waited for them; it accesses the bytes next."""
        if reads_lds:
            self.copies.end_read(places)
        else:
            self.copies.forget(places)

    def end_cp_async(self, places: np.ndarray, threads: int) -> np.ndarray:
        """Record that cp.async copies, which arrive on an mbarrier, have written bytes.

        Arguments and result as of `AsyncCopies.end_write`.
        """
        self.writer[places] = NONE
        if self.order is not None:
            self.order.forget(places)
        return self.copies.end_write(places, threads)

    def end_async_read(self, places: np.ndarray, thread: int) -> None:
        """Record that a copy has read bytes, and that the thread that issued it waited for it."""
        self.copies.end_read(places)
        add_readers(self.reader, places, np.full((1, 1), thread))
        if self.order is not None:
            self.order.read(places, np.array([thread]))
        self.reads.steps[places] = self.copies.reads.steps[places]

    # Matrix instructions that read shared memory.

    def begin_wgmma(self, places: np.ndarray) -> None:
        """Record that a wgmma reads bytes until a wait covers it; places: each byte once.

        Raises:
            RaceError: A thread wrote one of the bytes with no proxy fence since.
        """
        self._check_fence(places, "matrix instruction")
        self.wgmma_readers[places] += 1
        self.wgmma_reads.record(places)

    def end_wgmma(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record that a wait of threads, a warp group, covers a wgmma."""
        self.wgmma_readers[places] -= 1
        if self.order is not None:
            for thread in threads[:: self.order.warp_size]:
                self.order.read(places, np.array([thread]))
            self.reads.steps[places] = self.wgmma_reads.steps[places]

    def read_by_warp_group(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record that a matrix instruction reads bytes for a group of threads.

        Args:
            places: Addresses of the bytes.
            threads: Numbers of the threads.

        Raises:
            RaceError: A thread wrote one of the bytes since the last barrier.
        """
        accessor = np.full((1, 1), SEVERAL)
        check_same_thread("reads", self.writer[places], accessor, "wrote", places, self.writes)
        self.copies.check_access(places, threads)
        self.reader[places] = SEVERAL
        self.reads.record(places)

    def read_by_tensor_core(
        self,
        places: np.ndarray,
        thread: int,
        number: int,
        reader: ClusterOrder | None = None,
    ) -> None:
        """Record that tcgen05 instructions, which one thread issues, read bytes.

        Args:
            places: Addresses of the bytes.
            thread: The thread, OTHER_BLOCK for a thread of another block of the pair.
            number: Number of the instruction in the block.
            reader: That other block.

        Raises:
            RaceError: Another thread wrote one of the bytes since the last barrier.
        """
        writer = self.writer[places]
        # For a reader in another block, writes before its last wait at a cluster barrier are
        # ordered.
        if reader is not None and self.cluster is not None:
            is_ordered = self.cluster.last_write[places] < reader.waits
            writer = np.where(is_ordered, NONE, writer)
        accessor = np.full((1, 1), thread)
        check_same_thread("reads", writer, accessor, "wrote", places, self.writes)
        if reader is None:
            self.copies.check_access(places, np.array([thread]))
            if self.order is not None:
                self.order.read_by_tensor_core(places, thread, number)
                self.reads.record(places)
        self._check_fence(places, "matrix instruction")

    def _check_fence(self, places: np.ndarray, reader: str = "asynchronous copy") -> None:
        is_unfenced = self.unfenced_writer[places] != NONE
        if is_unfenced.any():
            raise self.writes.error(
                f"no proxy fence between a thread's store to shared memory and the {reader} that"
                " accesses it",
                int(places[is_unfenced][0]),
            )

    def _check_wgmma(self, places: np.ndarray, writer: str) -> None:
        is_read = self.wgmma_readers[places] > 0
        if is_read.any():
            raise self.wgmma_reads.error(
                f"{writer} writes shared memory that an unfinished wgmma reads",
                int(places[is_read][0]),
            )
