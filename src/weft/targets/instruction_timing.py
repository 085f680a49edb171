"""Read instruction_timing.toml: how long instructions of SASS keep units of a multiprocessor busy.

    timing = instruction_timing("cuda:90")
    timing.find("FFMA")                  # unit "issue", 1 cycle of a warp, 5 cycles until its use
    timing.find("MUFU.EX2").cycles       # 8: a partition computes 4 of 32 lanes per cycle

The row of an instruction is the one with the longest prefix of its opcode. The facts describe what
no instruction does alone: memory, L2, the fetch of instructions.
"""

from __future__ import annotations

from functools import cache

from msgspec import Struct

from weft.targets.loading import load_kind
from weft.targets.schema import Tables, read_facts_and_rows

__all__ = ["InstructionRow", "InstructionTiming", "instruction_timing", "read_instruction_timing"]


class InstructionRow(Struct, frozen=True):
    """The timing of some instructions.

    Attributes:
        opcodes: Prefixes of their opcodes.
        unit: The unit that executes them: "issue" if only the rate of issue limits them, "lsu",
            which the partitions share, "none", or a unit that every partition has.
        cycles: Cycles of the unit for a warp; of a "wgmma" with 256 columns and 16 deep.
        latency: Cycles until the result can be used; that of a "load" is that of memory.
        source: Source of the row.
        kind: "load", "spill", "barrier", "commit" and "wait" (of asynchronous copies), "wgmma",
            "wait wgmma", or "".
        by_width: Whether `cycles` are those of each 32-bit register that a lane moves.
    """

    opcodes: tuple[str, ...]
    unit: str
    cycles: int
    latency: int
    source: str
    kind: str = ""
    by_width: bool = False


class InstructionTiming(Struct, frozen=True):
    """The timing of a multiprocessor.

    Attributes:
        l2_latency: Cycles of a load that hits in L2.
        memory_latency: Cycles of a load from memory while other loads are under way.
        l2_bytes_per_cycle: Bytes between L2 and a multiprocessor in a cycle.
        l2_resident_bytes: Bytes that L2 keeps until they are read again.
        memory_percent: The part of a board's bandwidth that loads and stores reach.
        instruction_cache_bytes: Instructions that a partition keeps; a loop of more, and code that
            is executed once, are fetched from the next level.
        fetch_cycles: Cycles from one instruction of a warp to the next, if they are not kept.
        overlap: How well the waits of a block overlap with the work of others, as the exponent of
            their norm: 1 adds them up, a large number takes the longest.
        memory_overlap: How well the time of memory overlaps with that of multiprocessors.
        instructions: The rows.
    """

    l2_latency: int
    memory_latency: int
    l2_bytes_per_cycle: int
    l2_resident_bytes: int
    memory_percent: int
    instruction_cache_bytes: int
    fetch_cycles: int
    overlap: int
    memory_overlap: int
    instructions: tuple[InstructionRow, ...] = ()

    def find(self, opcode: str) -> InstructionRow:
        """Find the row with the longest prefix of an opcode; every opcode has the prefix ""."""
        _, row = max(
            ((len(prefix), row) for row in self.instructions for prefix in row.opcodes
             if opcode.startswith(prefix)),
            key=lambda pair: pair[0],
        )  # fmt: skip
        return row


@cache
def instruction_timing(chip: str) -> InstructionTiming:
    """Look up the timing of a chip.

    Raises:
        UnknownTargetError: There is no such NVIDIA chip, or it has no instruction_timing.toml.
    """
    tables = load_kind("instruction_timing", chip, "timings of instructions")
    return read_instruction_timing(tables, chip)


def read_instruction_timing(text: str | Tables, folder: str) -> InstructionTiming:
    """Read a file.

    Args:
        text: TOML, or its tables.
        folder: The chip's folder, for messages.

    Raises:
        WeftError: A row is malformed; the message names it.
    """
    file = f"{folder}/instruction_timing.toml"
    key = ("instruction", "opcodes")
    facts, rows = read_facts_and_rows(
        text, file, InstructionTiming, "instructions", key, InstructionRow
    )
    return InstructionTiming(**facts, instructions=rows)
