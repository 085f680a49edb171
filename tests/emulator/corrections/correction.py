"""A correction: an instruction in numpy, in the place of the emulator's."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.emulator.corrections.wave import Wave

__all__ = ["CORRECTIONS", "Correction", "Instruction", "correction", "find_correction"]


@dataclass(frozen=True, slots=True)
class Instruction:
    """A decoded instruction.

    Attributes:
        chip: The chip, "gfx942".
        name: Its name as the ISA document spells it.
        fields: Its fields, as the emulator's package names them.
        data: Its bytes, and a few of the next ones.
        size: The number of its bytes.
    """

    chip: str
    name: str
    fields: Any
    data: bytes
    size: int

    def flag(self, name: str) -> int:
        """Read a field that not every format has; 0 without it."""
        return int(getattr(self.fields, name, 0) or 0)

    def register(self, name: str) -> int:
        """Read the number of a register: 256 and more for a vector register as a source."""
        return getattr(self.fields, name).offset

    def vector(self, name: str) -> int:
        """Read the number of a vector register."""
        return self.register(name) & 0xFF


Run = Callable[[Instruction, Wave], "bool | None"]


@dataclass(frozen=True, slots=True)
class Correction:
    """An instruction that the emulator lacks or runs wrong.

    Attributes:
        cause: What the emulator does wrong, for the table of outcomes.
        chips: The chips that have it, as a regular expression.
        names: The instructions, as a regular expression.
        run: Runs it on a wave; the program counter is advanced elsewhere. It returns False if the
            emulator would have done the same.
        applies: Whether the emulator runs this form of the instruction wrong.
    """

    cause: str
    chips: str
    names: str
    run: Run
    applies: Callable[[Instruction], bool]


CORRECTIONS: list[Correction] = []
"""The first that fits an instruction is taken."""


def _always(_instruction: Instruction) -> bool:
    return True


def correction(
    cause: str, chips: str, names: str, applies: Callable[[Instruction], bool] = _always
) -> Callable[[Run], Run]:
    """Register the decorated function as a correction; see `Correction`."""

    def register(run: Run) -> Run:
        CORRECTIONS.append(Correction(cause, chips, names, run, applies))
        return run

    return register


def find_correction(instruction: Instruction) -> Correction | None:
    """Find the correction of an instruction; None if the emulator runs it right."""
    for each in CORRECTIONS:
        if (
            re.fullmatch(each.chips, instruction.chip)
            and re.fullmatch(each.names, instruction.name)
            and each.applies(instruction)
        ):
            return each
    return None
