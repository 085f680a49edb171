"""Detect races in shared memory.

For every byte, `Races` records the thread that wrote it last and the threads that read it since the
last barrier. A read after a write of another thread (RAW), a write after a read (WAR) and a write
after a write (WAW) are races unless a barrier is between them. Atomic updates race with reads and
writes, not with each other.

    thread 0: store byte 4;  barrier;  thread 1: load byte 4      no race: the barrier forgets all
    thread 0: store byte 4;            thread 1: load byte 4      race

Threads run in lock step, so a race would not show in the results.

Asynchronous copies (TMA, TDM, cp.async) run between their issue and the wait for them:

- while a copy writes bytes, no thread may access them; while it reads bytes, none may write them;
- once the copy is complete, threads that waited for it may access what it wrote, and so may
  threads that a barrier synchronizes with those;
- what threads wrote through ordinary stores (the generic proxy) is visible to a copy (the async
  proxy) only after a proxy fence.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from weft.errors import CodegenError
from weft.simulator.synchronization.cluster_order import ClusterOrder

__all__ = ["OTHER_BLOCK", "Races"]

# Entries of `writer` and `reader` besides thread numbers.
_NONE, _SEVERAL, _ATOMICS = -1, -2, -3
OTHER_BLOCK = -4
"""In place of a thread's number: a thread of another block."""
_MAX_WARP_SIZE = 64
_PREVIOUS = {_SEVERAL: "several threads", _ATOMICS: "atomic updates"}
_CURRENT = {_SEVERAL: "a matrix instruction", OTHER_BLOCK: "another block"}


@dataclass(slots=True)
class Races:
    """Accesses to each byte of a block's shared memory since the last barrier.

    Attributes:
        writer: [byte]: the thread that wrote it, or _NONE or _ATOMICS.
        reader: [byte]: the thread that read it, or _NONE or _SEVERAL.
        async_writing: [byte]: whether an unfinished copy writes it.
        async_reading: [byte]: whether an unfinished copy reads it.
        unfenced_writer: [byte]: the thread that wrote it with no proxy fence since, or _NONE.
        copy: [byte]: number of the complete copy that wrote it, or _NONE.
        visible_to: Number of a complete copy → [thread]: whether the thread has synchronized with
            it.
        wgmma_readers: [byte]: number of unfinished wgmma instructions that read it.
        pending_stores: [thread]: whether it has stores that it has not waited for; empty on chips
            whose barriers wait for stores.
        cluster: Order of accesses by the blocks of the cluster, None without a cluster.
    """

    writer: np.ndarray
    reader: np.ndarray
    async_writing: np.ndarray
    async_reading: np.ndarray
    unfenced_writer: np.ndarray
    copy: np.ndarray
    wgmma_readers: np.ndarray
    pending_stores: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    visible_to: list[np.ndarray] = field(default_factory=list)
    cluster: ClusterOrder | None = None

    @classmethod
    def of(cls, size: int) -> Races:
        """Create the record for a number of bytes, without accesses."""
        return cls(
            writer=np.full(size, _NONE),
            reader=np.full(size, _NONE),
            async_writing=np.zeros(size, bool),
            async_reading=np.zeros(size, bool),
            unfenced_writer=np.full(size, _NONE),
            copy=np.full(size, _NONE),
            wgmma_readers=np.zeros(size, np.int32),
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
        if not threads.all():
            for visible in self.visible_to:
                visible[threads] |= visible[threads].any()
            for accessor in (self.writer, self.reader):
                # Of several readers or atomics it is not known which threads they are: a barrier
                # of more than a warp is taken to include them.
                forgotten = (accessor < _NONE) & (threads.sum() > _MAX_WARP_SIZE)
                forgotten |= (accessor >= 0) & threads[np.maximum(accessor, 0)]
                accessor[forgotten] = _NONE
            return
        self.writer[:] = _NONE
        self.reader[:] = _NONE
        self.copy[:] = _NONE
        self.visible_to.clear()

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
            accessor[np.isin(accessor, threads)] = _NONE
        if len(threads):
            self.reader[self.reader == _SEVERAL] = _NONE

    def proxy_fence(self, mask: np.ndarray) -> None:
        """Make writes visible to the async proxy: those of the threads, and those they observed."""
        # visible[n]: whether copy n is visible to all threads of the mask; the last entry is for
        # bytes that no copy wrote, whose number is -1.
        visible = np.array([each[mask].all() for each in self.visible_to] + [True])
        is_observed = (self.writer == _NONE) & visible[self.copy]
        is_fenced = (self.unfenced_writer != _NONE) & (mask[self.unfenced_writer] | is_observed)
        self.unfenced_writer[is_fenced] = _NONE

    # Accesses of threads.

    def read(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record that threads read bytes.

        Args:
            places: [thread, byte] addresses.
            threads: Numbers of the threads.

        Raises:
            CodegenError: The read races with a write.
        """
        accessor = threads[:, None]
        self._check_copies(places, threads)
        self._check("reads", self.writer[places], accessor, "wrote", places)
        _add_readers(self.reader, places, accessor)

    def write(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record that threads write bytes; arguments as of `read`.

        Raises:
            CodegenError: The write races with a read or another write.
        """
        accessor = threads[:, None]
        self._check_copies(places, threads)
        self._check_wgmma(places, "a thread")
        if self.async_reading[places].any():
            raise CodegenError(
                "a thread writes shared memory that an unfinished asynchronous copy reads"
            )
        self._check("writes", self.writer[places], accessor, "wrote", places)
        self._check("writes", self.reader[places], accessor, "read", places)
        if self.cluster is not None:
            self.cluster.write(places)
        self.writer[places] = accessor
        self.unfenced_writer[places] = accessor

    def check_same_values(
        self, places: np.ndarray, threads: np.ndarray, is_stored: np.ndarray
    ) -> None:
        """Check that threads that write one byte in the same instruction write the same value.

        Args:
            places: As of `read`.
            threads: As of `read`.
            is_stored: [thread, byte]: whether the byte has the thread's value now.

        Raises:
            CodegenError: Two threads wrote different values.
        """
        if not is_stored.all():
            row, column = (int(index[0]) for index in np.nonzero(~is_stored))
            place = int(places[row, column])
            raise CodegenError(
                f"thread {int(threads[row])} and thread {int(self.writer[place])} write different"
                f" values to byte {place} of shared memory at once"
            )

    def update(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record atomic updates, which do not race with each other; arguments as of `read`."""
        accessor = threads[:, None]
        self._check_copies(places, threads)
        writer = self.writer[places]
        other_writer = np.where(writer == _ATOMICS, accessor, writer)
        self._check("updates", other_writer, accessor, "wrote", places)
        self._check("updates", self.reader[places], accessor, "read", places)
        if self.cluster is not None:
            self.cluster.write(places)
        self.writer[places] = _ATOMICS
        self.unfenced_writer[places] = accessor

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
            CodegenError: The read races with a write.
        """
        self._check_copies(places, threads)
        all_places = np.broadcast_to(places, (len(threads), places.shape[1]))
        self._check("reads", self.writer[all_places], threads[:, None], "wrote", all_places)
        _add_readers(self.reader, places, threads[:1, None])

    # Accesses to barriers in shared memory.

    def write_mbarrier(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record that threads initialize or invalidate an mbarrier, which needs no proxy fence."""
        before = self.unfenced_writer[places]
        self.write(places, threads)
        self.unfenced_writer[places] = before

    def arrive_at_mbarrier(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record that threads arrive at an mbarrier, which no other thread may be polling.

        Raises:
            CodegenError: Another thread waited on it since the last barrier.
        """
        self._check("arrives at", self.reader[places], threads[:, None], "read", places)

    def access_lds_barrier(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record that threads arrive at a barrier in LDS, which other threads may be polling.

        Raises:
            CodegenError: Another thread initialized it since the last barrier.
        """
        self._check("arrives at", self.writer[places], threads[:, None], "wrote", places)

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
            CodegenError: A thread accessed one of the bytes since the last barrier, or wrote it
                with no proxy fence since; or another copy or a wgmma accesses it.
        """
        accessor = np.full((1, 1), thread)
        self._check_async_writing("write", places)
        self._check("copies to", self.writer[places], accessor, "wrote", places)
        self._check("copies to", self.reader[places], accessor, "read", places)
        if needs_fence:
            self._check_fence(places)
        self._check_wgmma(places, "an asynchronous copy")
        if self.async_reading[places].any():
            raise CodegenError(
                "an asynchronous copy writes shared memory that an unfinished one reads"
            )
        if self.cluster is not None:
            self.cluster.write(places)
        self.async_writing[places] = True

    def begin_async_read(
        self, places: np.ndarray, thread: int, *, needs_fence: bool = True
    ) -> None:
        """Record that a copy starts to read bytes; arguments as of `begin_async_write`.

        Raises:
            CodegenError: Another thread wrote one of the bytes since the last barrier, or a thread
                wrote it with no proxy fence since; or an unfinished copy writes it.
        """
        self._check_async_writing("read", places)
        self._check("copies", self.writer[places], np.full((1, 1), thread), "wrote", places)
        if needs_fence:
            self._check_fence(places)
        self._check_copies(places, np.array([thread]))
        self.async_reading[places] = True

    def end_async_write(self, places: np.ndarray, threads: int) -> np.ndarray:
        """Record that a copy has written bytes.

        Args:
            places: Addresses of the bytes.
            threads: Threads of the block.

        Returns:
            [thread]: which threads have synchronized with the copy, none yet. Waits set it.
        """
        self.async_writing[places] = False
        self.copy[places] = len(self.visible_to)
        self.visible_to.append(np.zeros(threads, bool))
        return self.visible_to[-1]

    def end_cp_async(self, places: np.ndarray, threads: int) -> np.ndarray:
        """Record that cp.async copies, which arrive on an mbarrier, have written bytes.

        Arguments and result as of `end_async_write`.
        """
        self.writer[places] = _NONE
        return self.end_async_write(places, threads)

    def end_async_read(self, places: np.ndarray, thread: int) -> None:
        """Record that a copy has read bytes, and that the thread that issued it waited for it."""
        self.async_reading[places] = False
        _add_readers(self.reader, places, np.full((1, 1), thread))

    def forget_copies(self, places: np.ndarray) -> None:
        """Forget which copies wrote bytes that cp.async writes now."""
        self.copy[places] = _NONE

    # Matrix instructions that read shared memory.

    def begin_wgmma(self, places: np.ndarray) -> None:
        """Record that a wgmma reads bytes until a wait covers it; places: each byte once.

        Raises:
            CodegenError: A thread wrote one of the bytes with no proxy fence since.
        """
        self._check_fence(places, "matrix instruction")
        self.wgmma_readers[places] += 1

    def end_wgmma(self, places: np.ndarray) -> None:
        """Record that a wait covers a wgmma."""
        self.wgmma_readers[places] -= 1

    def read_by_warp_group(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record that a matrix instruction reads bytes for a group of threads.

        Args:
            places: Addresses of the bytes.
            threads: Numbers of the threads.

        Raises:
            CodegenError: A thread wrote one of the bytes since the last barrier.
        """
        self._check("reads", self.writer[places], np.full((1, 1), _SEVERAL), "wrote", places)
        self._check_copies(places, threads)
        self.reader[places] = _SEVERAL

    def read_by_tensor_core(
        self, places: np.ndarray, thread: int, reader: ClusterOrder | None = None
    ) -> None:
        """Record that tcgen05 instructions, which one thread issues, read bytes.

        Args:
            places: Addresses of the bytes.
            thread: The thread, OTHER_BLOCK for a thread of another block of the pair.
            reader: That other block.

        Raises:
            CodegenError: Another thread wrote one of the bytes since the last barrier.
        """
        writer = self.writer[places]
        if reader is not None and self.cluster is not None:
            is_ordered = self.cluster.last_write[places] < reader.waits
            writer = np.where(is_ordered, _NONE, writer)
        self._check("reads", writer, np.full((1, 1), thread), "wrote", places)
        if reader is None:
            self._check_copies(places, np.array([thread]))
        self._check_fence(places, "matrix instruction")

    def _check(
        self,
        verb: str,
        previous: np.ndarray,
        accessor: np.ndarray,
        past_verb: str,
        places: np.ndarray,
    ) -> None:
        """Check that previous accesses to bytes are of the same thread.

        Args:
            verb: What the thread does now, for messages.
            previous: [thread, byte] entries of `writer` or `reader`.
            accessor: [thread or 1, 1] numbers of the threads that access the bytes now.
            past_verb: What the previous access was, for messages.
            places: [thread, byte] addresses.

        Raises:
            CodegenError: One is of another thread.
        """
        is_race = (previous != _NONE) & (previous != accessor)
        if is_race.any():
            row, column = (int(index[0]) for index in np.nonzero(is_race))
            before = int(previous[row, column])
            now = int(accessor[min(row, len(accessor) - 1), 0])
            raise CodegenError(
                f"{_CURRENT.get(now, f'thread {now}')} {verb} byte {int(places[row, column])} of"
                f" shared memory that {_PREVIOUS.get(before, f'thread {before}')} {past_verb}, with"
                " no barrier between"
            )

    def _check_copies(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Check that no copy writes bytes, and that those that did are visible to the threads.

        Args:
            places: Addresses: [thread, byte], or of any shape if all threads access all of them.
            threads: Numbers of the threads.

        Raises:
            CodegenError: One does, or is not.
        """
        if self.async_writing[places].any():
            raise CodegenError(
                "a thread accesses shared memory that an unfinished asynchronous copy writes"
            )
        copies = self.copy[places]
        for number in np.unique(copies):
            if number == _NONE:
                continue
            if len(threads) == len(places):
                accessing = np.broadcast_to(threads[:, None], places.shape)[copies == number]
            else:
                accessing = threads
            if not self.visible_to[number][accessing].all():
                raise CodegenError(
                    "a thread accesses shared memory that an asynchronous copy wrote, and did not"
                    " wait for the copy"
                )

    def _check_async_writing(self, verb: str, places: np.ndarray) -> None:
        if self.async_writing[places].any():
            raise CodegenError(
                f"an asynchronous copy {verb}s shared memory that an unfinished one writes"
            )

    def _check_fence(self, places: np.ndarray, reader: str = "asynchronous copy") -> None:
        if (self.unfenced_writer[places] != _NONE).any():
            raise CodegenError(
                f"no proxy fence between a thread's store to shared memory and the {reader} that"
                " accesses it"
            )

    def _check_wgmma(self, places: np.ndarray, writer: str) -> None:
        if self.wgmma_readers[places].any():
            raise CodegenError(f"{writer} writes shared memory that an unfinished wgmma reads")


def _add_readers(reader: np.ndarray, places: np.ndarray, accessor: np.ndarray) -> None:
    """Record readers; a byte with readers before, or with two now, has several."""
    before = reader[places]
    reader[places] = np.where((before == _NONE) | (before == accessor), accessor, _SEVERAL)
    # Where two threads read one byte now, the assignment kept one of them.
    after = reader[places]
    reader[places[(after != accessor) & (after != _SEVERAL)]] = _SEVERAL
