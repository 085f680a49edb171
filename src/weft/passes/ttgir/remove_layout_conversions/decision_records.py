"""The decisions of the pass for the ledger: the layout of each value, its anchor, and costs.

All methods do nothing unless decisions are collected.
"""

from __future__ import annotations

from collections.abc import Iterable

from weft.ir import arith, scf, tt, ttg, types
from weft.ir.builtin import Operation, OpResult, SSAValue
from weft.layouts import Encoding
from weft.passes.ledger import Candidate, Cost, enabled, record_decision, source_position
from weft.passes.registry import Pass
from weft.passes.ttgir.remove_layout_conversions.conflict_resolution import reason_for
from weft.passes.ttgir.remove_layout_conversions.cost_model import Comparison
from weft.passes.ttgir.remove_layout_conversions.layout_propagation import Candidates, Origins

__all__ = ["DecisionRecorder"]

_ANY_RESULT_LAYOUT = (arith.ConstantOp, tt.MakeRangeOp, tt.SplatOp, ttg.LocalLoadOp)


class DecisionRecorder:
    """Records the decisions of one run of the pass.

    Attributes:
        enabled: Whether decisions are collected.
    """

    __slots__ = ("_pass", "_reasons", "_recorded", "enabled")

    def __init__(self, by: Pass) -> None:
        self._pass = by
        self._recorded: set[SSAValue] = set()
        self._reasons: set[tuple[SSAValue, str]] = set()
        self.enabled = enabled()

    # ------------------------------------------------------------------------- propagation
    def record_propagation(
        self, candidates: Candidates, layouts: dict[SSAValue, Encoding], origins: Origins
    ) -> None:
        """Record the layout of each value that an anchor reaches, and the anchor."""
        if not self.enabled:
            return
        for value, encoding in layouts.items():
            encodings = tuple(candidates[value])
            self._recorded.add(value)
            record_decision(
                self._pass,
                value,
                str(encoding),
                reason_for(value, encodings, encoding),
                candidates=[
                    Candidate(str(other), f"from {_describe(origins[value, other])}")
                    for other in encodings
                ],
                anchor=_describe(origins[value, encoding]),
                facts=(("before", str(types.encoding(value.type))),),
            )

    # --------------------------------------------------------------------- rematerialization
    def record_impossible(self, conversion: Operation, reason: str) -> None:
        """Record that the operand of a conversion cannot be rematerialized."""
        self._record_conversion(
            conversion, "kept", f"its operand cannot be rematerialized: {reason}"
        )

    def record_too_expensive(
        self, conversion: Operation, comparison: Comparison, alternative: str = "rematerialization"
    ) -> None:
        """Record that a conversion costs less than its alternative."""
        reason = f"{alternative} would cost more than the conversion"
        if comparison.forbidden:
            reason = f"{alternative} is not allowed: {comparison.forbidden}"
        self._record_conversion(conversion, "kept", reason, comparison)

    def record_reuse(self, conversion: Operation, existing: SSAValue) -> None:
        """Record that a value existed in the target layout already."""
        if self.enabled:
            reason = f"{_describe(existing)} has the same value in this layout"
            self._record_conversion(conversion, "removed", reason)

    def record_rematerialization(
        self, conversion: Operation, copies: dict[SSAValue, SSAValue], comparison: Comparison
    ) -> None:
        """Record that the operand of a conversion is computed in the target layout."""
        if self.enabled:
            reason = "rematerializing its operand in this layout costs no more than the conversion"
            self._record_conversion(conversion, "removed", reason, comparison)
            self._record_copies(
                copies, "rematerialized in the target layout of a conversion", conversion
            )

    # ---------------------------------------------------------------------------- hoisting
    def record_hoisting(
        self,
        conversion: Operation,
        where: str,
        reason: str,
        copies: dict[SSAValue, SSAValue],
        comparison: Comparison | None = None,
    ) -> None:
        """Record that a conversion was hoisted, and the layouts of the values after it.

        Args:
            conversion: The conversion.
            where: "over …", "into …" or "to …".
            reason: The reason.
            copies: The values in their new layouts.
            comparison: The costs, if they were compared.
        """
        if self.enabled:
            self._record_conversion(conversion, f"hoisted {where}", reason, comparison)
            self._record_copies(copies, f"a conversion was hoisted {where}", conversion)

    def _record_copies(
        self, copies: dict[SSAValue, SSAValue], reason: str, conversion: Operation
    ) -> None:
        anchor = _describe(conversion.results[0])
        for value in copies.values():
            if types.is_tensor(value.type):
                self._recorded.add(value)
                layout = str(types.encoding(value.type))
                record_decision(self._pass, value, layout, reason, anchor=anchor)

    def _record_conversion(
        self, conversion: Operation, choice: str, reason: str, comparison: Comparison | None = None
    ) -> None:
        if not self.enabled:
            return
        source, target = conversion.operands[0], conversion.results[0]
        if (target, reason) in self._reasons:  # recorded in an earlier iteration
            return
        self._reasons.add((target, reason))
        facts = [
            ("from", str(types.encoding(source.type))),
            ("to", str(types.encoding(target.type))),
            ("used by", ", ".join(_users(target))),
        ]
        costs: list[Cost] = []
        if comparison is not None:
            costs.append(Cost("convert", comparison.conversion))
            costs.append(Cost("rematerialize", comparison.rematerialization, comparison.terms))
        self._recorded.add(target)
        anchor = _describe(source)
        record_decision(self._pass, target, choice, reason, facts=facts, costs=costs, anchor=anchor)

    # ------------------------------------------------------------------------------ end
    def record_remaining(self, functions: Iterable[tt.FuncOp]) -> None:
        """Record a reason for the layout of each tensor without a decision."""
        if not self.enabled:
            return
        for function in functions:
            for op in function.walk():
                for value in op.results:
                    self._record_default(value)
                for region in op.regions:
                    for block in region.blocks:
                        for argument in block.args:
                            self._record_default(argument)

    def _record_default(self, value: SSAValue) -> None:
        encoding = types.encoding(value.type)
        if encoding is None or value in self._recorded:
            return
        self._recorded.add(value)
        reason, anchor = _default_reason(value), _related_tensor(value)
        record_decision(self._pass, value, str(encoding), reason, anchor=anchor)


def _default_reason(value: SSAValue) -> str:
    if not isinstance(value, OpResult):
        return "the layout of its init arg"
    op = value.op
    if isinstance(op, _ANY_RESULT_LAYOUT):
        return "created in the layout of its users"
    if isinstance(op, ttg.ConvertLayoutOp):
        return "a necessary conversion: neither side can have the layout of the other"
    if isinstance(op, scf.ForOp | scf.IfOp | scf.WhileOp):
        return "the layout of the yielded value"
    return "the layout of its operands"


def _related_tensor(value: SSAValue) -> str:
    """Describe the first tensor operand of the producer of a value, or name its first user."""
    if isinstance(value, OpResult):
        for operand in value.op.operands:
            if types.is_tensor(operand.type):
                return _describe(operand)
    return next(iter(_users(value)), "")


def _users(value: SSAValue) -> list[str]:
    return list(dict.fromkeys(use.operation.name for use in value.uses))


def _describe(value: SSAValue) -> str:
    """Name the producer of a value and its source position."""
    producer = value.op.name if isinstance(value, OpResult) else "an argument"
    position = source_position(value)
    return f"{producer} at {position}" if position else producer
