"""Record the IR after each pass, and what each pass decided.

recorder = StepRecorder(table)
recording = record_passes(kernel, "cuda:90", observe=recorder.observe)
recorder.steps(recording.decisions)
"""

from __future__ import annotations

from collections.abc import Iterable

from weft.decisions import Decision
from weft.ir.builtin import ModuleOp
from weft.passes import Pass
from weft.report.model import DecisionNote, PassStep, Place, Text
from weft.report.texts import PlaceTable, module_text

__all__ = ["StepRecorder"]

_SOURCE = "source"


class StepRecorder:
    """The IR after each pass of a compile.

    Args:
        table: Numbers the lines of the kernel.
    """

    def __init__(self, table: PlaceTable) -> None:
        self._table = table
        self._texts: list[tuple[str, Text, bool]] = []

    def observe(self, pass_: Pass | None, module: ModuleOp) -> None:
        """Record the module after a pass; before all passes if it is None."""
        text = module_text(_SOURCE if pass_ is None else pass_.name, module, self._table)
        changed = not self._texts or self._texts[-1][1].lines != text.lines
        self._texts.append((text.name, text, changed))

    def steps(self, decisions: Iterable[Decision]) -> tuple[PassStep, ...]:
        """Create the steps.

        A decision belongs to the first run of its pass that changed the IR, as a pass that runs
        several times records under one name; to the first run if none did.
        """
        notes: dict[str, list[DecisionNote]] = {}
        for decision in decisions:
            notes.setdefault(decision.stage, []).append(self._note(decision))
        owner: dict[str, int] = {}
        for index, (name, _, changed) in enumerate(self._texts):
            if name not in owner or (changed and not self._texts[owner[name]][2]):
                owner[name] = index
        return tuple(
            PassStep(
                name,
                changed,
                text if changed else None,
                tuple(notes.get(name, ())) if owner[name] == index else (),
            )
            for index, (name, text, changed) in enumerate(self._texts)
        )

    def _note(self, decision: Decision) -> DecisionNote:
        return DecisionNote(
            place=self._place(decision.location),
            op=decision.op,
            choice=decision.choice,
            reason=decision.reason,
            candidates=tuple((each.choice, each.score) for each in decision.candidates),
            facts=decision.facts,
            costs=tuple((cost.side, cost.total) for cost in decision.costs),
        )

    def _place(self, position: str) -> int:
        """Number a position "file:line:column"; -1 if it is unknown."""
        if not position:
            return -1
        file, line, _ = position.rsplit(":", 2)
        return self._table.number(Place(file, int(line)))
