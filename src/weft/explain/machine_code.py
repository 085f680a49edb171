"""Count the instructions of PTX and AMDGCN text by kind, width and source line.

    code = read_machine_code(compiled.asm["ptx"])
    code.by_line()[87]                    # {("matrix load", 128): 16, ("async copy", 128): 4}
    code.total("mma")                     # 64, in the text; loops are counted once

The kinds are those of `weft.lowering_plans.instruction`, and three that no plan has: "local load"
and "local store" (registers that were spilled), and "scalar load" (AMD's loads of uniform values).
The position of an instruction is that of the innermost function, as `.loc` has it; where `.loc` has
the calls that a function was inlined into (`inlined_at`), `line` is that of the kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from weft.explain.amdgcn import classify_amdgcn, positions_of_amdgcn
from weft.explain.ptx import classify_ptx, positions_of_ptx
from weft.ir.kernel_positions import is_in_library

__all__ = ["CodeInstruction", "MachineCode", "read_machine_code"]


@dataclass(frozen=True, slots=True)
class CodeInstruction:
    """One instruction of the text.

    Attributes:
        kind: Its kind.
        bits: The bits that a lane moves; 0 for barriers, tile copies and MMA.
        name: The opcode.
        position: The (file, line) of the innermost function, ("", 0) if unknown.
        line: The line of the kernel: that of the innermost function that is not of the standard
            library; 0 if unknown.
    """

    kind: str
    bits: int
    name: str
    position: tuple[str, int]
    line: int


@dataclass(frozen=True, slots=True)
class MachineCode:
    """The counted instructions of a kernel's text.

    Attributes:
        instructions: In the order of the text.
    """

    instructions: tuple[CodeInstruction, ...]

    def total(self, kind: str, bits: int | None = None) -> int:
        """Count the instructions of a kind, of one width or of all."""
        return sum(each.kind == kind and bits in (None, each.bits) for each in self.instructions)

    def by_line(self) -> dict[int, Counter[tuple[str, int]]]:
        """Count the instructions of each line of the kernel, by kind and width; 0 is unknown."""
        lines: dict[int, Counter[tuple[str, int]]] = {}
        for each in self.instructions:
            lines.setdefault(each.line, Counter())[each.kind, each.bits] += 1
        return lines


def read_machine_code(text: str) -> MachineCode:
    """Read PTX or AMDGCN.

    Args:
        text: The text, with or without `.loc`.
    """
    is_ptx = ".version" in text and ".visible .entry" in text
    return MachineCode(tuple(_instructions(text, is_ptx=is_ptx)))


def _instructions(text: str, *, is_ptx: bool) -> Iterator[CodeInstruction]:
    positions = positions_of_ptx(text) if is_ptx else positions_of_amdgcn(text)
    classify = classify_ptx if is_ptx else classify_amdgcn
    for line, chain in positions:
        for kind, bits, name in classify(line):
            # The innermost function that is not of the standard library.
            lines = (number for file, number in chain if not is_in_library(file))
            yield CodeInstruction(kind, bits, name, (*chain, ("", 0))[0], next(lines, 0))
