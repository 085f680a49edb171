"""Read SASS as nvdisasm prints it: basic blocks of instructions, with their registers.

    /*0240*/  @!P4 LDG.E.128 R4, desc[UR16][R2.64] ;
    opcode "LDG.E.128", writes R4 R5 R6 R7, reads UR16 R2 R3 P4

An instruction of a predicate may leave its result as it was, so it reads it, too. nvdisasm prints
neither the widths of all operands nor the waits that ptxas encodes in an instruction: widths follow
from the opcode, and an instruction waits for the registers that it reads.

Source: NVIDIA CUDA Binary Utilities, Hopper instruction set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["ControlFlow", "SassInstruction", "read_sass"]

_LABEL = re.compile(r"\s*(\.L_x_\d+):")
_INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@(!?U?P[T\d]+)\s+)?([A-Z][\w.]*)\s*([^;]*);")
_REGISTER = re.compile(r"(?<![\w.])(UR|R|UP|P)(\d+)((?:\.\w+)*)")
_PREDICATE = re.compile(r"U?P\d$")
_TARGET = re.compile(r"`\((\.L_x_\d+)\)")
_COLUMNS = re.compile(r"64x(\d+)x")
_TWO_RESULTS = re.compile(r"U?(ISETP|FSETP|DSETP|HSETP2|PLOP3|SHFL|VOTE)")
_WITHOUT_RESULT = (
    "STG", "STS", "STL", "LDGSTS", "BAR", "BRA", "EXIT", "DEPBAR", "LDGDEPBAR", "WARP", "RED",
    "SYNCS", "MEMBAR", "FENCE", "UTMA", "NOP", "BSSY", "BSYNC", "ERRBAR", "CCTL", "NANOSLEEP",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SassInstruction:
    """An instruction.

    Attributes:
        opcode: With its modifiers: "LDG.E.128".
        operands: As printed.
        writes: The registers that it writes.
        reads: The registers that it reads.
    """

    opcode: str
    operands: str
    writes: tuple[str, ...]
    reads: tuple[str, ...]

    @property
    def registers(self) -> float:
        """The 32-bit registers that a lane moves by it, 0.25 for a byte."""
        for part, registers in ((".128", 4), (".64", 2), ("M88.4", 4), ("M88.2", 2)):
            if part in self.opcode:
                return registers
        for part, registers in (("16", 0.5), ("8", 0.25)):
            if self.opcode.endswith((f".U{part}", f".S{part}")):
                return registers
        return 1

    @property
    def columns(self) -> int:
        """The columns of a warp group's MMA."""
        match = _COLUMNS.search(self.opcode)
        return int(match[1]) if match else 0


@dataclass(frozen=True, slots=True)
class ControlFlow:
    """The basic blocks of a kernel.

    Attributes:
        blocks: The instructions of each, in the order of the text; the first is the entry.
        successors: For each block, the blocks that may follow it.
    """

    blocks: tuple[tuple[SassInstruction, ...], ...]
    successors: tuple[tuple[int, ...], ...]


@dataclass(slots=True)
class _Block:
    """A basic block that is being read.

    Attributes:
        label: Its label, "" without one.
        instructions: Its instructions.
        targets: Labels that it jumps to.
        falls_through: Whether the block after it may follow.
    """

    label: str
    instructions: list[SassInstruction]
    targets: list[str]
    falls_through: bool = True


def read_sass(text: str) -> ControlFlow:
    """Read the SASS of one kernel.

    Args:
        text: As nvdisasm prints it.
    """
    blocks = [_Block("", [], [])]
    for line in text.splitlines():
        label, match = _LABEL.match(line), _INSTRUCTION.search(line)
        if label is not None:
            blocks.append(_Block(label[1], [], []))
        elif match is not None:
            predicate, opcode, operands = match.groups()
            block = blocks[-1]
            block.instructions.append(_read_instruction(predicate, opcode, operands.strip()))
            if opcode not in ("BRA", "EXIT"):
                continue
            block.targets += _TARGET.findall(operands)
            block.falls_through = predicate is not None or _PREDICATE.match(operands) is not None
            blocks.append(_Block("", [], []))
    numbers = {block.label: number for number, block in enumerate(blocks) if block.label}
    return ControlFlow(
        tuple(tuple(block.instructions) for block in blocks),
        tuple(tuple(_successors(number, blocks, numbers)) for number in range(len(blocks))),
    )


def _successors(number: int, blocks: list[_Block], numbers: dict[str, int]) -> Iterator[int]:
    yield from (numbers[each] for each in blocks[number].targets if each in numbers)
    if blocks[number].falls_through and number + 1 < len(blocks):
        yield number + 1


def _read_instruction(predicate: str | None, opcode: str, operands: str) -> SassInstruction:
    parts = [each.strip() for each in operands.split(",")]
    results = _count_results(opcode, parts)
    writes = tuple(_registers(",".join(parts[:results]), _result_width(opcode)))
    reads = tuple(_registers(",".join(parts[results:]), 1))
    if opcode.startswith("HMMA"):
        a, b, c = (
            _registers(part, width) for part, width in zip(parts[1:], (4, 2, 4), strict=False)
        )
        reads = (*a, *b, *c)
    if predicate is not None:
        reads += (predicate.lstrip("!"), *writes)
    return SassInstruction(opcode, operands, writes, reads)


def _count_results(opcode: str, parts: list[str]) -> int:
    """Count the operands that an instruction writes; a second one is a predicate or a register."""
    if opcode.startswith((*_WITHOUT_RESULT, "STSM")):
        return 0
    if _TWO_RESULTS.match(opcode) or (len(parts) > 1 and _PREDICATE.match(parts[1])):
        return 2
    return 1


def _result_width(opcode: str) -> int:
    """Compute the consecutive registers that an instruction writes."""
    if opcode.startswith("HGMMA"):
        columns = _COLUMNS.search(opcode)
        return int(columns[1]) // 2 if columns else 1  # f32, 64 rows among 128 lanes
    if opcode.startswith("HMMA") or ".128" in opcode or opcode.endswith("M88.4"):
        return 4
    return 2 if ".64" in opcode or "WIDE" in opcode or opcode.startswith("CS2R") else 1


def _registers(text: str, width: int) -> Iterator[str]:
    """Yield the registers of operands: R2.64 is R2 and R3, and a result as many as its width."""
    for kind, number, modifiers in _REGISTER.findall(text):
        count = 1 if "P" in kind else max(width, 2 if ".64" in modifiers else 1)
        yield from (f"{kind}{int(number) + offset}" for offset in range(count))
