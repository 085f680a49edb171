"""Detect races in shared memory between threads, asynchronous copies and matrix instructions.

`thread_accesses.py` records the accesses of threads. Asynchronous copies (TMA, TDM, cp.async, and
those of AMD chips between global memory and LDS) run between their issue and the wait for them, as
wgmma and tcgen05 instructions do; see async_copies.py:

- while a copy writes bytes, no thread may access them; while it reads bytes, none may write them;
- once the copy is complete, threads that waited for it may access what it wrote, and so may
  threads that a barrier synchronizes with those;
- what threads wrote through ordinary stores (the generic proxy) is visible to a copy (the async
  proxy) only after a proxy fence. See PTX ISA 9.0, "Memory Consistency Model", proxies.
"""

from __future__ import annotations

import numpy as np

from weft.simulator.synchronization.accessors import (
    NONE,
    OTHER_BLOCK,
    SEVERAL,
    add_readers,
    check_same_thread,
)
from weft.simulator.synchronization.cluster_order import ClusterOrder
from weft.simulator.synchronization.thread_accesses import ThreadAccesses

__all__ = ["Races"]


class Races(ThreadAccesses):
    """Accesses to each byte of a block's shared memory since the last barrier."""

    __slots__ = ()

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
        self.check_wgmma(places, "an asynchronous copy")
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
        self.check_wgmma(places, "an asynchronous copy")
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
