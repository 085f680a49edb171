"""Compare the counts of plans with those of the machine code, by kind, width and position."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import weft
from weft.explain.counts import Counts, count
from weft.explain.machine_code import MachineCode, read_machine_code
from weft.kernel.files import Case

__all__ = ["CodeComparison", "compare_code"]

ACCESSES = ("global load", "global store", "shared load", "shared store")
"""LLVM may merge or split these, which keeps their bits."""
NOT_PLANNED = ("scalar load", "local load", "local store", "warp barrier")

Place = tuple[str, str, int, int]  # kind, file, line, width


@dataclass(slots=True)
class CodeComparison:
    """The counts of a kernel, from its plans and from its machine code.

    Attributes:
        counts: Of the plans.
        code: Of the machine code.
        planned: Instructions by kind, position and width.
        actual: The same of the machine code.
    """

    counts: Counts
    code: MachineCode
    planned: Counter[Place] = field(default_factory=Counter)
    actual: Counter[Place] = field(default_factory=Counter)

    @property
    def is_same_by_line(self) -> bool:
        """Whether all counts are equal, line by line."""
        return self.planned == self.actual

    def differences(self) -> dict[str, tuple[int, int]]:
        """List the kinds whose totals differ: planned and actual number, or bits of accesses."""
        totals = [self._totals(each) for each in (self.planned, self.actual)]
        return {
            kind: (totals[0][kind], totals[1][kind])
            for kind in sorted({*totals[0], *totals[1]})
            if totals[0][kind] != totals[1][kind]
        }

    def _totals(self, table: Counter[Place]) -> Counter[str]:
        totals: Counter[str] = Counter()
        for (kind, _, _, bits), number in table.items():
            totals[kind] += number * (bits if kind in ACCESSES else 1)
        return totals


def compare_code(case: Case, chip: str) -> CodeComparison:
    """Compile a case of an example, and count it both ways."""
    compiled = weft.compile(
        case.kernel,
        signature=case.signature,
        constexprs=case.constexprs,
        target=chip,
        **case.options,
    )
    text = str(compiled.asm["ptx" if chip.startswith("cuda") else "amdgcn"])
    comparison = CodeComparison(count(compiled.module("ttgir")), read_machine_code(text))
    for one in comparison.counts.operations:
        place = one.code_position
        where = ("", 0) if place is None else (Path(place.file).stem, place.line)
        for each in one.instructions:
            if each.kind not in NOT_PLANNED:
                comparison.planned[each.kind, *where, each.bits] += each.count
    for each in comparison.code.instructions:
        if each.kind not in NOT_PLANNED:
            file, line = each.position
            comparison.actual[each.kind, Path(file).stem, line, each.bits] += 1
    return comparison
