"""Run blocks in lock step: all threads of a block together, the blocks of a cluster in turns.

Threads may diverge. Of the segments in which threads are, the first in the order of the text runs
next, for all threads that are there: so threads converge again where their paths join.

    if (i < 40) { A } else { B }; C      A for 40 threads, B for the others, C for all

A thread that reaches a barrier waits until all threads have reached it that have not returned. A
thread whose wait is not satisfied lets others run first. If all threads of a block wait for another
block of the cluster, that one runs; if no block can, the kernel is deadlocked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, NotReady, PendingRead
from weft.simulator.segments import Segment

__all__ = ["run_cluster"]

_RETURNED = -1
_NO_BARRIER = -1


@dataclass(slots=True)
class _BlockRun:
    """A block that runs.

    Attributes:
        block: The block.
        segments: The kernel.
        starts: Label of a basic block → number of its first segment.
        position: Thread → the segment that it executes next, or _RETURNED.
        waiting: [thread, 2]: number and thread count of the barrier at which a thread waits, or
            _NO_BARRIER.
        barriers: Number of barriers that the block has passed.
        executed: Number of segments that it has executed.
    """

    block: Block
    segments: Sequence[Segment]
    starts: Mapping[str, int]
    position: np.ndarray
    waiting: np.ndarray
    barriers: int = 0
    executed: int = 0

    def run(self) -> str:
        """Run until the block finishes, or waits for another block.

        Returns:
            What the block waits for, "" if it is finished.

        Raises:
            CodegenError: The block finished with asynchronous operations outstanding, or a step
                failed.
        """
        while True:
            running = self.position != _RETURNED
            if not running.any():
                _check_nothing_outstanding(self.block)
                self.block.finished = True
                return ""
            threads = _find_complete_barrier(self.waiting, running)
            if threads is not None:
                self._pass_barrier(threads)
                continue
            ready = running & (self.waiting[:, 0] == _NO_BARRIER)
            if not (ready & ~self.block.sleeping).any():
                self.block.sleeping[:] = False
            number, reason = self._execute_segment(ready & ~self.block.sleeping)
            if number is None:
                return reason
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

    def _execute_segment(self, ready: np.ndarray) -> tuple[int | None, str]:
        """Execute the first segment, of those where ready threads are, whose waits are satisfied.

        Returns:
            Its number, None if there is none; and what the last unsatisfied wait waits for.
        """
        block, reason = self.block, ""
        for number in np.unique(self.position[ready]).tolist():
            segment = self.segments[number]
            block.active = ready & (self.position == number)
            _set_phis(block, segment)
            executed = 0
            try:
                for step in segment.steps:
                    if block.shared.races is not None:
                        line = segment.lines[executed]
                        block.shared.races.run_instruction(id(line), line.text)
                    step(block)
                    executed += 1
            except NotReady as wait:
                reason = str(wait)
                continue
            except PendingRead as operand:
                line = segment.lines[executed]
                raise CodegenError(
                    "registers of an unfinished wgmma are read before wgmma.wait_group",
                    found=f"{operand} in: {line.result} = {line.opcode} {line.rest}",
                ) from None
            return number, reason
        return None, reason or "a barrier that some threads do not reach"

    def _advance(self, number: int) -> None:
        """Move the active threads from the end of a segment to the next one."""
        segment, active = self.segments[number], self.block.active
        branch = segment.terminator
        if branch is None:
            self.position[active] = number + 1
            if segment.barrier is not None:
                self.waiting[active] = segment.barrier
        elif not branch.labels:
            self.position[active] = _RETURNED
            self.block.exited |= active
        else:
            self.block.previous_label[active] = segment.label
            self.position[active] = self.starts[branch.labels[0]]
            if len(branch.labels) == 2:
                condition = self.block.per_thread(branch.condition)
                self.position[active & ~condition] = self.starts[branch.labels[1]]


def run_cluster(
    blocks: Sequence[Block], segments: Sequence[Segment], starts: Mapping[str, int]
) -> int:
    """Run the blocks of a cluster until they finish.

    Args:
        blocks: The blocks.
        segments: The kernel.
        starts: Label of a basic block → number of its first segment.

    Returns:
        Number of barriers that the blocks passed.

    Raises:
        CodegenError: Deadlock, or as of a block.
    """
    runs = [
        _BlockRun(
            block,
            segments,
            starts,
            np.zeros(block.threads, int),
            np.full((block.threads, 2), _NO_BARRIER),
        )
        for block in blocks
    ]
    unfinished = runs
    while unfinished:
        executed = [run.executed for run in unfinished]
        reasons = {run.block.rank: run.run() for run in unfinished}
        if all(reasons.values()) and executed == [run.executed for run in unfinished]:
            raise CodegenError(
                "deadlock: no thread can make progress", found=next(iter(reasons.values()))
            )
        unfinished = [run for run in unfinished if reasons[run.block.rank]]
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
