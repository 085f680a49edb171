"""Errors of the simulator that name instructions: races and deadlocks, as text and as JSON.

    kernel.py:14:9: error: thread 33 reads byte 128 of shared memory that thread 0 wrote, with no
                           barrier between
        y = tl.sum(x)
            ^
      found: kernel.py:14:9 (%v57 = load float, ptr…), after kernel.py:12:5 (store float %v52…)

The source locations are those of comments in the LLVM IR; without them, only the instructions are
named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from weft.errors import CodegenError, Location
from weft.simulator.llvm_ir.parser import Instruction

__all__ = ["NO_STEP", "DeadlockError", "History", "RaceError", "SimulatorError", "Wait"]

NO_STEP = -1
_MAX_LENGTH = 60  # characters of an instruction beside its source location
_OPCODE = re.compile(r'asm (?:sideeffect )?"[^"]*?\b([a-z]\w*\.[\w.:]+)')
_CALLEE = re.compile(r"call .*@([\w.$]+)\(")


@dataclass(slots=True)
class History:
    """The instructions of the kernel, and the one that runs.

    Attributes:
        instructions: The instructions by their numbers.
        current: Number of the instruction that runs, or NO_STEP.
    """

    instructions: Sequence[Instruction] = ()
    current: int = NO_STEP

    @contextmanager
    def at_step(self, step: int) -> Iterator[None]:
        """Run what an earlier instruction began, such as a copy, as that instruction."""
        self.current, before = step, self.current
        yield
        self.current = before

    def at(self, step: int) -> Instruction | None:
        """Find an instruction by its number, None for NO_STEP."""
        return self.instructions[step] if 0 <= step < len(self.instructions) else None


class SimulatorError(CodegenError):
    """A defect of the kernel's synchronization that the simulator observed."""

    def as_dict(self) -> dict[str, object]:
        """Describe the error by values that JSON has."""
        raise NotImplementedError

    def to_json(self) -> str:
        """Describe the error as JSON."""
        return json.dumps(self.as_dict(), indent=2)


class RaceError(SimulatorError):
    """Two accesses to shared memory or tensor memory, or to registers, that nothing orders.

    Attributes:
        second: The instruction that ran when the race was noticed, if known.
        first: The instruction of the earlier access, if known.
    """

    def __init__(
        self, message: str, second: Instruction | None, first: Instruction | None = None
    ) -> None:
        descriptions = [_describe(each) for each in (second, first) if each is not None]
        super().__init__(
            message,
            location=second.location if second is not None else None,
            found=", after ".join(descriptions) or None,
        )
        self.second = second
        self.first = first

    def as_dict(self) -> dict[str, object]:
        """Describe the race: its message and both accesses, the later one first."""
        return {
            "error": "race",
            "message": self.message,
            "accesses": [_instruction_dict(each) for each in (self.second, self.first) if each],
        }


@dataclass(frozen=True, slots=True)
class Wait:
    """A wait that is not satisfied.

    Attributes:
        block: Rank of the block in its cluster.
        warps: The warps that wait.
        condition: What they wait for, in words.
        instruction: The instruction that waits, if known.
        barrier: Address of the barrier in shared memory, None for other barriers.
        origin: The instruction that initialized the barrier, if known.
        pending_arrivals: Arrivals that the barrier still expects.
        pending_bytes: Bytes that the barrier still expects.
    """

    block: int
    warps: tuple[int, ...]
    condition: str
    instruction: Instruction | None = None
    barrier: int | None = None
    origin: Instruction | None = None
    pending_arrivals: int = 0
    pending_bytes: int = 0

    def __str__(self) -> str:
        warps = _ranges(self.warps)
        place = f" at {_describe(self.instruction)}" if self.instruction is not None else ""
        origin = ""
        if self.origin is not None:
            origin = f" (initialized at {self.origin.location or self.origin.text})"
        return f"block {self.block}, {warps}{place}: waits for {self.condition}{origin}"

    def as_dict(self) -> dict[str, object]:
        """Describe the wait by values that JSON has."""
        result: dict[str, object] = {
            "block": self.block,
            "warps": list(self.warps),
            "condition": self.condition,
        }
        if self.instruction is not None:
            result |= _instruction_dict(self.instruction)
        if self.barrier is not None:
            origin = None if self.origin is None else _location_dict(self.origin.location)
            result["mbarrier"] = {
                "address": self.barrier,
                "pending_arrivals": self.pending_arrivals,
                "pending_bytes": self.pending_bytes,
                "initialized": origin,
            }
        return result


class DeadlockError(SimulatorError):
    """No thread can make progress.

    Attributes:
        waits: The waits that are not satisfied.
    """

    def __init__(self, waits: Iterable[Wait]) -> None:
        self.waits = tuple(waits)
        lines = "\n         ".join(str(wait) for wait in self.waits)
        places = (wait.instruction.location for wait in self.waits if wait.instruction is not None)
        super().__init__(
            "deadlock: no thread can make progress",
            location=next((place for place in places if place is not None), None),
            found=lines or None,
        )

    def as_dict(self) -> dict[str, object]:
        """Describe the deadlock: its message and the waits."""
        return {
            "error": "deadlock",
            "message": self.message,
            "waits": [wait.as_dict() for wait in self.waits],
        }


def _describe(instruction: Instruction) -> str:
    """Name an instruction by its source location, if known, and its text."""
    if instruction.location is None:
        return instruction.text
    return f"{instruction.location} ({_shorten(instruction.text)})"


def _shorten(text: str) -> str:
    """Shorten an instruction: of inline assembly to its opcode, of a call to the callee."""
    if (match := _OPCODE.search(text) or _CALLEE.search(text)) is not None:
        return match[1]
    return text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}…"


def _instruction_dict(instruction: Instruction) -> dict[str, object]:
    return {
        "location": _location_dict(instruction.location),
        "instruction": instruction.text,
    }


def _location_dict(location: Location | None) -> dict[str, object] | None:
    if location is None:
        return None
    return {"file": location.file, "line": location.line, "column": location.column}


def _ranges(warps: Sequence[int]) -> str:
    """Name warps: `warp 3`, `warps 0 to 3`, `warps 0, 2`."""
    if len(warps) == 1:
        return f"warp {warps[0]}"
    if list(warps) == list(range(warps[0], warps[-1] + 1)):
        return f"warps {warps[0]} to {warps[-1]}"
    return f"warps {', '.join(map(str, warps))}"
