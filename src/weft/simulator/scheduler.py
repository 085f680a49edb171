"""Run blocks of threads in lock step: all threads of a block, the blocks of a cluster in turns.

Threads may take different ways. Those that stand in the block that comes first in the text's
order run next, together, so that ways meet again where they join; a thread that reaches a barrier
waits until every thread that still runs has reached one, and one that waits for a phase of a
barrier of arrivals lets the others go ahead. Where all threads of a block wait for another block of
its cluster, that one runs; if none can, they wait for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from weft.errors import CodegenError
from weft.simulator import block as state
from weft.simulator.block import Operand, Step, constant
from weft.simulator.llvm_ir.parser import Instruction
from weft.simulator.llvm_ir.types import parse_type

__all__ = ["Part", "run_cluster"]

_FINISHED = _NOWHERE = -1


@dataclass(slots=True)
class Part:
    """Instructions between two places where threads may part or wait."""

    label: str
    phis: list[tuple[str, dict[str, Operand]]]
    steps: list[Step]
    ends: Instruction | None  # None: the next part follows
    lines: list[Instruction] = field(default_factory=list)  # of the steps
    barrier: tuple[int, int] | None = None  # behind it: its number, and threads, 0 for all


@dataclass(slots=True)
class _Running:
    """A block under way: where each of its threads is, and the barrier that it waits at.

    waiting: number and threads of a barrier, per thread.  steps: parts that it has run.
    """

    block: state.Block
    parts: list[Part]
    at: dict[str, int]
    place: np.ndarray
    waiting: np.ndarray
    barriers: int = 0
    steps: int = 0

    def go(self) -> str:
        """Run until the block ends, or waits for another block.

        Returns: what it waits for, "" at its end.
        Raises: CodegenError: its threads wait for what nobody brings.
        """
        block, waiting = self.block, self.waiting
        while True:
            running = self.place != _FINISHED
            if not running.any():
                _require_finished(block)
                block.ended = True
                return ""
            met = _met(waiting, running)
            if met is not None:
                block.idle = 0
                waiting[met] = _NOWHERE
                self.barriers += 1
                if block.shared.races is not None:
                    block.shared.races.barrier(met)
                if block.tensor is not None:
                    block.tensor.barrier()
                continue
            ready = running & (waiting[:, 0] == _NOWHERE)
            if not (ready & ~block.resting).any():
                block.resting[:] = False
            ready &= ~block.resting
            number, said = _advance(block, self.parts, self.place, ready)
            if number == _NOWHERE:
                return said
            self.steps += 1
            _leave(block, self.parts[number], number, self.place, waiting, self.at)


def run_cluster(blocks: Sequence[state.Block], parts: list[Part], at: dict[str, int]) -> int:
    """Run the blocks of a cluster to their end; return how many barriers they passed.

    Raises: CodegenError: threads wait for what nobody brings.
    """
    running = [
        _Running(
            block, parts, at, np.zeros(block.threads, int), np.full((block.threads, 2), _NOWHERE)
        )
        for block in blocks
    ]
    left = running
    while left:
        done = [one.steps for one in left]
        said = {one.block.rank: one.go() for one in left}
        if all(said.values()) and done == [one.steps for one in left]:
            raise CodegenError("threads wait for ever", found=next(iter(said.values())))
        left = [one for one in left if said[one.block.rank]]
    return sum(one.barriers for one in running)


def _met(waiting: np.ndarray, running: np.ndarray) -> np.ndarray | None:
    """Return the threads of a barrier at which all of them have arrived; None for none.

    Args: waiting: number and threads of the barrier that each waits at.
    """
    for number, threads in {(int(a), int(b)) for a, b in waiting if a != _NOWHERE}:
        there = (waiting == (number, threads)).all(axis=1)
        if there.sum() == threads or (not threads and bool((there | ~running).all())):
            return there
    return None


def _advance(
    block: state.Block, parts: list[Part], place: np.ndarray, ready: np.ndarray
) -> tuple[int, str]:
    """Run the first part of which threads are ready that need not wait.

    Returns: its number, and what others wait for; no number where all do.
    """
    said = ""
    for number in np.unique(place[ready]).tolist():
        block.mask = ready & (place == number)
        _enter(block, parts[number])
        done = 0
        try:
            for step in parts[number].steps:
                step(block)
                done += 1
        except state.NotYet as missing:
            said = str(missing)
            continue
        except state.ReadEarly as early:
            one = parts[number].lines[done]
            raise CodegenError(
                "registers of a product are read before it is waited for",
                found=f"{early} in: {one.result} = {one.word} {one.rest}",
            ) from None
        return number, said
    return _NOWHERE, said or "a barrier that some threads do not reach"


def _require_finished(block: state.Block) -> None:
    """Refuse a block that ends before its copies and products have.

    Raises: CodegenError: something that nobody waited for.
    """
    if any(barrier.coming or barrier.owed for barrier in block.mbarriers.values()):
        raise CodegenError("a block ends before copies to its shared memory have arrived")
    if any(group for groups in block.products.values() for group in groups):
        raise CodegenError("a block ends before its products are done")
    if any(group for groups in block.leaving.values() for group in groups):
        raise CodegenError("a block ends before copies from its shared memory have left")


def _enter(block: state.Block, part: Part) -> None:
    """Give phis their values, all from before the block."""
    if not part.phis:
        return
    found = []
    came: list[str] = list(dict.fromkeys(block.before[block.mask]))
    for name, incoming in part.phis:
        first, *others = came
        value = block.held(incoming[first])
        for label in others:
            other = block.held(incoming[label])
            from_there = (block.before == label).reshape(-1, *[1] * (other.ndim - 1))
            value = np.where(from_there, other, value)
        waits = [p for label in came for p in block.awaited(incoming[label])]
        found.append((name, value, waits))
    for name, value, waits in found:
        block.set(name, value)
        if waits:
            block.flying.define(name, block.groups(), waits)


def _leave(
    block: state.Block,
    part: Part,
    number: int,
    place: np.ndarray,
    waiting: np.ndarray,
    at: dict[str, int],
) -> None:
    """Move the threads of the mask on."""
    mask = block.mask
    if part.ends is None:
        place[mask] = number + 1
        if part.barrier is not None:
            waiting[mask] = part.barrier
        return
    if part.ends.word == "ret":
        place[mask] = _FINISHED
        block.gone |= mask
        return
    block.before[mask] = part.label
    labels = [piece.split("%")[-1].strip() for piece in part.ends.rest.split("label ")[1:]]
    labels = [label.rstrip(", ") for label in labels]
    if len(labels) == 1:
        place[mask] = at[labels[0]]
        return
    condition = part.ends.rest.split(",")[0].removeprefix("i1 ").strip()
    taken = np.broadcast_to(block.get(constant(condition, parse_type("i1")[0])), block.threads)
    place[mask & taken] = at[labels[0]]
    place[mask & ~taken] = at[labels[1]]
