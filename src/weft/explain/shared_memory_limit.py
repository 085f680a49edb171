"""Check whether the buffers of pipelined loops fit the shared memory of the target.

Passes pipeline a loop in as many stages as the kernel asks for, without regard to the size of
shared memory. A kernel that needs more than a block can have is refused later:

    loop, 5 stages: …; out of shared memory: the kernel needs 262144 bytes and a block of cuda:80
    has 166912; num_stages=3 fits

A number of stages is only recommended after a compile with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from weft.explain.model import CountChange, Finding, Loop, LoopLoad, TriedEdit

__all__ = ["SharedMemoryNeed", "check_kernel", "check_loops"]

LIMIT = "shared-memory"
_COST = 1_000_000  # before all other findings: the kernel cannot be launched


@dataclass(frozen=True, slots=True)
class SharedMemoryNeed:
    """The shared memory that a kernel needs, and that it would need with other stages.

    Attributes:
        target: The target: "cuda:80".
        available: The bytes that a block can have.
        needed: The bytes that the kernel needs.
        with_fewer_stages: Computes the bytes if no loop has more than so many stages; None if the
            kernel then cannot be compiled.
        with_more_stages: The same if no loop has fewer.
    """

    target: str
    available: int
    needed: int
    with_fewer_stages: Callable[[int], int | None]
    with_more_stages: Callable[[int], int | None]

    def fits(self, size: int | None) -> bool:
        """Check whether a block of the target can have so many bytes."""
        return size is not None and size <= self.available


def check_loops(loops: Iterable[Loop], need: SharedMemoryNeed) -> tuple[Loop, ...]:
    """Mark the loops and loads whose buffers do not fit, and correct advice that would not help.

    Args:
        loops: The loops of the kernel.
        need: The shared memory of the kernel.

    Returns:
        The loops, with limit "shared-memory" where they have buffers and the kernel does not fit.
    """
    loops = tuple(
        replace(loop, loads=tuple(_check_advice(load, need) for load in loop.loads))
        for loop in loops
    )
    if need.fits(need.needed):
        return loops
    why = f"{_problem(need)}; {_advice(loops, need)}"
    return tuple(_out_of_memory(loop, why) for loop in loops)


def check_kernel(loops: tuple[Loop, ...], need: SharedMemoryNeed) -> Finding | None:
    """Report a kernel that needs more shared memory than a block can have."""
    if need.fits(need.needed):
        return None
    first = next((loop.location for loop in loops if loop.limit == LIMIT), None)
    stages = _fitting_stages(loops, need)
    if stages is None:
        problem = f"{_problem(need)}; {_NO_STAGES}"
        return Finding(_COST, "shared", first, problem)
    size = need.with_fewer_stages(stages) or 0
    change = CountChange("bytes of shared memory", need.needed or 0, size)
    edit = TriedEdit("stages", f"num_stages={stages} fits", 0, 0, (change,))
    return Finding(_COST, "shared", first, _problem(need), edits=(edit,), trials=1)


def _problem(need: SharedMemoryNeed) -> str:
    return (
        f"out of shared memory: the kernel needs {need.needed} bytes and a block of "
        f"{need.target} has {need.available}"
    )


_NO_STAGES = "use smaller blocks: no number of stages fits"


def _advice(loops: tuple[Loop, ...], need: SharedMemoryNeed) -> str:
    stages = _fitting_stages(loops, need)
    return _NO_STAGES if stages is None else f"num_stages={stages} fits"


def _fitting_stages(loops: tuple[Loop, ...], need: SharedMemoryNeed) -> int | None:
    """Find the largest number of stages with which the kernel fits, if there is one."""
    most = max((loop.stages for loop in loops), default=1)
    fits = (each for each in range(most - 1, 0, -1) if need.fits(need.with_fewer_stages(each)))
    return next(fits, None)


def _out_of_memory(loop: Loop, why: str) -> Loop:
    if not any(load.shared_bytes for load in loop.loads):
        return loop
    loads = tuple(
        replace(load, limit=LIMIT, why="out of shared memory") if load.shared_bytes else load
        for load in loop.loads
    )
    return replace(loop, limit=LIMIT, why=f"{loop.why}; {why}", loads=loads)


def _check_advice(load: LoopLoad, need: SharedMemoryNeed) -> LoopLoad:
    """Replace the advice to have more stages if the kernel would then not fit."""
    if load.more_stages == 0:
        return load
    size = need.with_more_stages(load.more_stages)
    if size is None or need.fits(size):
        return load
    why = (
        f"out of shared memory: with num_stages={load.more_stages} the kernel would need "
        f"{size} bytes and a block of {need.target} has {need.available}; use smaller blocks"
    )
    return replace(load, limit=LIMIT, why=why, more_stages=0)
