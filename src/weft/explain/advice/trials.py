"""Try the edits that findings propose, and keep those that lower the counted cost.

An edit is kept for a finding if it lowers what the finding is about (conversions, global memory,
shared memory, dots) and, by at least 5 %, the cost of the whole program; if the kernel still fits
the shared memory of the target; and if no thread spills more, where a back end is at hand. It is
listed for the first finding that it helps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from weft.explain.advice.model import ITERATION_SHARE, Edit
from weft.explain.advice.proposals import propose_edits
from weft.explain.advice.workbench import Variant, Workbench
from weft.explain.counted_cost import CountedCost
from weft.explain.model import CountChange, Finding, TriedEdit

__all__ = ["changes_between", "try_edits"]

_SMALLEST_GAIN = Fraction(5, 100)
_EDITS_OF_A_FINDING = 2
_TOLERANCE = Fraction(1, 4)  # prologues of pipelined loops load more, in larger blocks


def try_edits(findings: Sequence[Finding], bench: Workbench, *, trials: int) -> tuple[Finding, ...]:
    """Try the edits of all findings, the most expensive first.

    Args:
        findings: The findings.
        bench: The compiles of the kernel.
        trials: The number of compiles that edits may take.

    Returns:
        The findings with the edits that help. An edit that cannot be compiled helps nothing.
    """
    before = bench.cost(bench.variant)
    if before is None or not findings or trials <= 0:
        return tuple(findings)
    search = _Search(bench, before, trials)
    return tuple(search.try_for(finding) for finding in findings)


@dataclass(frozen=True, slots=True)
class _Trial:
    """An edit and the compile with it.

    Attributes:
        edit: The edit.
        variant: The kernel with it.
        cost: The counted cost, for as many elements as before; None if it cannot be compared.
    """

    edit: Edit
    variant: Variant
    cost: CountedCost | None


@dataclass
class _Search:
    """The trials of one kernel.

    Attributes:
        bench: The compiles of the kernel.
        before: The counted cost of the kernel as it is.
        remaining: The number of compiles that edits may still take.
    """

    bench: Workbench
    before: CountedCost
    remaining: int
    _listed: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])

    def try_for(self, finding: Finding) -> Finding:
        """Try the edits of a finding."""
        if finding.edits or (finding.entry is None and self._fits):
            return finding
        trials = list(self._trials(finding))
        better = [trial for trial in trials if self._helps(trial, finding.about)]
        better.sort(key=lambda trial: trial.cost.total if trial.cost else 0)
        listed = frozenset(self._listed)
        edits: list[TriedEdit] = []
        for trial in better:
            key = trial.variant.key
            if len(edits) == _EDITS_OF_A_FINDING or key in self._listed:
                continue
            if (edit := self._tried_edit(trial)) is not None:
                self._listed.add(key)
                edits.append(edit)
        helped = any(trial.variant.key in listed for trial in better)
        return replace(finding, edits=tuple(edits), trials=len(trials), helped=helped)

    def _trials(self, finding: Finding) -> Iterator[_Trial]:
        ttir = self.bench.ttir(self.bench.variant)
        for edit in propose_edits(finding, self.bench, ttir):
            variant = edit.apply(self.bench.variant)
            if not self.bench.has(variant):
                if self.remaining == 0:
                    continue
                self.remaining -= 1
            cost = self.bench.cost(variant)
            yield _Trial(edit, variant, None if cost is None else self._comparable(cost, edit))

    def _comparable(self, cost: CountedCost, edit: Edit) -> CountedCost | None:
        """Scale a cost to as many elements as before; None if the edit changes what is computed."""
        before = self.before
        if edit.scale is None or edit.scale == ITERATION_SHARE:
            same = _is_near(cost.loaded, before.loaded) and _is_near(cost.stored, before.stored)
            is_certain = edit.scale is None or (before.is_certain and cost.is_certain)
            return cost if same and is_certain else None
        if not (before.is_certain and cost.is_certain):
            return None
        in_proportion = any(
            _is_near(after, number * edit.scale)
            for after, number in ((cost.stored, before.stored), (cost.loaded, before.loaded))
        )
        return _scaled(cost, 1 / edit.scale) if in_proportion else None

    @property
    def _fits(self) -> bool:
        """Whether the kernel as it is fits the shared memory of the target."""
        size = self.before.shared_bytes
        return size is not None and size <= self.bench.chip.lds_bytes

    def _helps(self, trial: _Trial, about: str) -> bool:
        cost = trial.cost
        if cost is None or not self._fits:
            return cost is not None  # only variants that fit have a cost
        gain = (self.before.total - cost.total) / max(self.before.total, 1)
        return gain >= _SMALLEST_GAIN and cost.parts[about] < self.before.parts[about]

    def _tried_edit(self, trial: _Trial) -> TriedEdit | None:
        """Describe an edit with its changes; None if a thread spills more with it."""
        assert trial.cost is not None
        changes = list(changes_between(self.before, trial.cost))
        before = self.bench.registers(self.bench.variant)
        after = None if before is None else self.bench.registers(trial.variant)
        if before is not None and after is not None:
            if after.spilled > before.spilled:
                return None
            pairs = (
                CountChange("registers", before.registers, after.registers),
                CountChange("bytes spilled", before.spilled, after.spilled),
            )
            changes += [each for each in pairs if each.before != each.after]
        return TriedEdit(
            trial.edit.kind,
            trial.edit.text,
            round(self.before.total),
            round(trial.cost.total),
            tuple(changes),
        )


def changes_between(before: CountedCost, after: CountedCost) -> Iterator[CountChange]:
    """Yield the counts that differ."""
    for name, number in before.quantities.items():
        if number != after.quantities[name]:
            yield CountChange(name, number, after.quantities[name])


def _is_near(number: int, expected: int | Fraction) -> bool:
    return abs(number - expected) <= _TOLERANCE * max(expected, 1)


def _scaled(cost: CountedCost, factor: Fraction) -> CountedCost:
    def scale(numbers: Mapping[str, int]) -> dict[str, int]:
        return {name: round(number * factor) for name, number in numbers.items()}

    return replace(
        cost,
        total=cost.total * factor,
        parts={name: part * factor for name, part in cost.parts.items()},
        quantities=scale(cost.quantities),
    )
