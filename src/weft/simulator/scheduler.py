"""Run blocks in lock step: all threads of a block together, the blocks of a cluster in turns.

Threads may diverge. Of the segments in which threads are, the first in the order of the text runs
next, for all threads that are there: so threads converge again where their paths join.

    if (i < 40) { A } else { B }; C      A for 40 threads, B for the others, C for all

A thread that reaches a barrier waits until all threads have reached it that have not returned. A
thread whose wait is not satisfied lets others run first. If all threads of a block wait for another
block of the cluster, that one runs; if no block can, the kernel is deadlocked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from weft.errors import CodegenError, WeftError
from weft.simulator.block import Block, NotReady, PendingRead
from weft.simulator.diagnostics import DeadlockError, RaceError, Wait
from weft.simulator.instruction_kinds import BARRIER
from weft.simulator.segments import Kernel, Segment

__all__ = ["run_cluster"]

_RETURNED = -1
_NO_BARRIER = -1


@dataclass(slots=True)
class _BlockRun:
    """A block that runs.

    Attributes:
        block: The block.
        kernel: The kernel.
        position: Thread → the segment that it executes next, or _RETURNED.
        waiting: [thread, 2]: number and thread count of the barrier at which a thread waits, or
            _NO_BARRIER.
        barriers: Number of barriers that the block has passed.
        executed: Number of segments that it has executed.
        waits: The waits that were not satisfied when it ran last.
    """

    block: Block
    kernel: Kernel
    position: np.ndarray
    waiting: np.ndarray
    barriers: int = 0
    executed: int = 0
    waits: list[Wait] = field(default_factory=list)

    def run(self) -> bool:
        """Run until the block finishes, or waits for another block.

        Returns:
            Whether it is finished.

        Raises:
            CodegenError: The block finished with asynchronous operations outstanding, or a step
                failed.
        """
        while True:
            running = self.position != _RETURNED
            if not running.any():
                _check_nothing_outstanding(self.block)
                self.block.finished = True
                return True
            threads = _find_complete_barrier(self.waiting, running)
            if threads is not None:
                self._pass_barrier(threads)
                continue
            ready = running & (self.waiting[:, 0] == _NO_BARRIER)
            if not (ready & ~self.block.sleeping).any():
                self.block.sleeping[:] = False
            number = self._execute_segment(ready & ~self.block.sleeping)
            if number is None:
                self.waits += self._waits_at_barriers()
                return False
            self.executed += 1
            self._advance(number)

    def _pass_barrier(self, threads: np.ndarray) -> None:
        self.block.idle_polls = 0
        self.waiting[threads] = _NO_BARRIER
        self.barriers += 1
        if self.block.shared.races is not None:
            self.block.shared.races.barrier(threads)
        if self.block.tensor_memory is not None:
            self.block.tensor_memory.barrier()

    def _execute_segment(self, ready: np.ndarray) -> int | None:
        """Execute the first segment, of those where ready threads are, whose waits are satisfied.

        Returns:
            Its number, None if there is none.
        """
        block, history = self.block, self.block.history
        self.waits.clear()
        for number in np.unique(self.position[ready]).tolist():
            segment = self.kernel.segments[number]
            block.active = ready & (self.position == number)
            _set_phis(block, segment)
            try:
                for history.current, step in enumerate(segment.steps, segment.first):
                    step(block)
            except NotReady as wait:
                self.waits.append(self._describe_wait(wait))
                continue
            except PendingRead as operand:
                groups = block.active_warp_groups()
                writer = next(
                    wgmma for wgmma in block.pending_wgmmas(str(operand)) if wgmma.group in groups
                )
                raise RaceError(
                    "registers of an unfinished wgmma are read before wgmma.wait_group",
                    history.at(history.current),
                    history.at(writer.step),
                ) from None
            except WeftError as error:
                instruction = history.at(history.current)
                if error.location is None and instruction is not None:
                    error.location = instruction.location
                raise
            return number
        return None

    def _describe_wait(self, wait: NotReady) -> Wait:
        """Describe a wait of the active threads."""
        block, history, mbarrier = self.block, self.block.history, wait.mbarrier
        return Wait(
            block.rank,
            _warps(block, block.active),
            wait.condition,
            history.at(history.current),
            wait.address,
            None if mbarrier is None else history.at(mbarrier.step),
            0 if mbarrier is None else mbarrier.pending_arrivals,
            0 if mbarrier is None else mbarrier.pending_bytes,
        )

    def _waits_at_barriers(self) -> Iterator[Wait]:
        """Describe the waits at barriers that some of their threads have not reached."""
        is_waiting = self.waiting[:, 0] != _NO_BARRIER
        running = int((self.position != _RETURNED).sum())
        for number in np.unique(self.position[is_waiting]).tolist():
            threads = is_waiting & (self.position == number)
            barrier, count = (int(value) for value in self.waiting[threads][0])
            arrived = int((self.waiting == (barrier, count)).all(axis=1).sum())
            yield Wait(
                self.block.rank,
                _warps(self.block, threads),
                f"barrier {barrier}, which {arrived} of {count or running} threads have reached",
                self.block.history.at(self.kernel.segments[number - 1].barrier_step),
            )

    def _advance(self, number: int) -> None:
        """Move the active threads from the end of a segment to the next one."""
        segment, active = self.kernel.segments[number], self.block.active
        branch = segment.terminator
        if branch is None:
            self.position[active] = number + 1
            if segment.barrier is not None:
                self.waiting[active] = segment.barrier
                self.block.history.current = segment.barrier_step
                self.block.count(BARRIER)
        elif not branch.labels:
            self.position[active] = _RETURNED
            self.block.exited |= active
        else:
            self.block.previous_label[active] = segment.label
            self.position[active] = self.kernel.starts[branch.labels[0]]
            if len(branch.labels) == 2:
                condition = self.block.per_thread(branch.condition)
                self.position[active & ~condition] = self.kernel.starts[branch.labels[1]]


def _warps(block: Block, threads: np.ndarray) -> tuple[int, ...]:
    """List the warps of some threads."""
    return tuple(np.unique(np.flatnonzero(threads) // block.warp_size).tolist())


def run_cluster(blocks: Sequence[Block], kernel: Kernel) -> int:
    """Run the blocks of a cluster until they finish.

    Args:
        blocks: The blocks.
        kernel: The kernel.

    Returns:
        Number of barriers that the blocks passed.

    Raises:
        DeadlockError: No thread can make progress.
        CodegenError: As of a block.
    """
    for block in blocks:
        block.history.instructions = kernel.instructions
        if block.launch.counters is not None:
            block.launch.counters.instructions = kernel.instructions
    runs = [
        _BlockRun(
            block,
            kernel,
            np.zeros(block.threads, int),
            np.full((block.threads, 2), _NO_BARRIER),
        )
        for block in blocks
    ]
    unfinished = runs
    while unfinished:
        executed = [run.executed for run in unfinished]
        still_waiting = [run for run in unfinished if not run.run()]
        if still_waiting == unfinished and executed == [run.executed for run in unfinished]:
            raise DeadlockError(wait for run in unfinished for wait in run.waits)
        unfinished = still_waiting
    return sum(run.barriers for run in runs)


def _find_complete_barrier(waiting: np.ndarray, running: np.ndarray) -> np.ndarray | None:
    """Find a barrier that all of its threads have reached.

    Args:
        waiting: As of _BlockRun.
        running: Threads that have not returned.

    Returns:
        The threads that wait at it, None if there is no such barrier.
    """
    for number, count in {(int(a), int(b)) for a, b in waiting if a != _NO_BARRIER}:
        threads = (waiting == (number, count)).all(axis=1)
        # Without a count, threads that have returned are not waited for.
        if threads.sum() == count or (not count and bool((threads | ~running).all())):
            return threads
    return None


def _check_nothing_outstanding(block: Block) -> None:
    """Check that all asynchronous operations of a finished block have been waited for.

    Raises:
        CodegenError: One has not.
    """
    if any(barrier.copies or barrier.commits for barrier in block.mbarriers.values()):
        raise CodegenError(
            "a block exits with asynchronous copies to its shared memory outstanding"
        )
    if any(group for groups in block.wgmma_groups.values() for group in groups):
        raise CodegenError("a block exits with wgmma instructions outstanding")
    if any(group for groups in block.copies.bulk.values() for group in groups):
        raise CodegenError(
            "a block exits with asynchronous copies from its shared memory outstanding"
        )


def _set_phis(block: Block, segment: Segment) -> None:
    """Set the phis of a segment; all of them read the values from before the basic block."""
    if not segment.phis:
        return
    results = []
    labels: list[str] = list(dict.fromkeys(block.previous_label[block.active]))
    for name, incoming in segment.phis:
        value = block.peek(incoming[labels[0]])
        for label in labels[1:]:
            other = block.peek(incoming[label])
            from_label = (block.previous_label == label).reshape(-1, *[1] * (other.ndim - 1))
            value = np.where(from_label, other, value)
        sources = [incoming[label] for label in labels]
        writers = [wgmma for source in sources for wgmma in block.pending_wgmmas(source)]
        results.append((name, value, writers))
    for name, value, writers in results:
        block.set(name, value)
        if writers:
            block.pending.define(name, block.active_warp_groups(), writers)
