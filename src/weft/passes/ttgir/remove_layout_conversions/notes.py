"""What the pass writes into the ledger: each value's layout, the anchor that asked, the costs.

Every method does nothing while no decisions are collected.
"""

from __future__ import annotations

from collections.abc import Iterable

from weft.ir import arith, scf, tt, ttg, types
from weft.ir.builtin import Operation, OpResult, SSAValue
from weft.layouts import Encoding
from weft.passes.ledger import Candidate, Cost, enabled, record_decision, source_position
from weft.passes.registry import Pass
from weft.passes.ttgir.remove_layout_conversions.conflicts import rule_of
from weft.passes.ttgir.remove_layout_conversions.costs import Comparison
from weft.passes.ttgir.remove_layout_conversions.propagation import Candidates, Origins

__all__ = ["Notes"]

_ANYWHERE = (arith.ConstantOp, tt.MakeRangeOp, tt.SplatOp, ttg.LocalLoadOp)


class Notes:
    """The ledger as one run of the pass writes it."""

    __slots__ = ("_answers", "_by", "_told", "enabled")

    def __init__(self, by: Pass) -> None:
        self._by = by
        self._told: set[SSAValue] = set()
        self._answers: set[tuple[SSAValue, str]] = set()
        self.enabled = enabled()

    def _tell(self, value: SSAValue, chose: str, why: str, **more: object) -> None:
        self._told.add(value)
        record_decision(self._by, value, chose, why, **more)  # pyright: ignore[reportArgumentType]

    # ------------------------------------------------------------------------- forward
    def chosen(
        self, candidates: Candidates, chosen: dict[SSAValue, Encoding], origins: Origins
    ) -> None:
        """Record the layout of each value that an anchor reaches, and which anchor asked."""
        if not self.enabled:
            return
        for value, encoding in chosen.items():
            given = tuple(candidates[value])
            self._tell(
                value,
                str(encoding),
                rule_of(value, given, encoding),
                over=[
                    Candidate(str(other), f"asked by {_name(origins[value, other])}")
                    for other in given
                ],
                anchor=_name(origins[value, encoding]),
                facts=(("before", str(types.encoding(value.type))),),
            )

    # ------------------------------------------------------------------------ backward
    def kept(self, conversion: Operation, reason: str) -> None:
        """Record that what is converted cannot be computed in the other layout."""
        self._conversion(conversion, "kept", f"its operand cannot be computed again: {reason}")

    def too_dear(
        self, conversion: Operation, comparison: Comparison, to: str = "compute again"
    ) -> None:
        """Record that a conversion costs less than what would replace it."""
        why = f"to {to} would cost more than to convert"
        if comparison.refused:
            why = f"to {to} is not allowed: {comparison.refused}"
        self._conversion(conversion, "kept", why, comparison)

    def reused(self, conversion: Operation, other: SSAValue) -> None:
        """Record that a value was there in the layout already."""
        if self.enabled:
            self._conversion(conversion, "dropped", f"{_name(other)} gives the same")

    def rematerialised(
        self, conversion: Operation, copies: dict[SSAValue, SSAValue], comparison: Comparison
    ) -> None:
        """Record that a conversion's operand is computed in the layout that it asked for."""
        if self.enabled:
            why = "to compute its operand in this layout costs no more than to convert it"
            self._conversion(conversion, "dropped", why, comparison)
            self._copies(
                copies, "computed again, in the layout that a conversion asked for", conversion
            )

    # ---------------------------------------------------------------------------- hoist
    def hoisted(
        self,
        conversion: Operation,
        over: str,
        why: str,
        copies: dict[SSAValue, SSAValue],
        comparison: Comparison | None = None,
    ) -> None:
        """Record that a conversion moved, and that what it moved over changed its layout."""
        if self.enabled:
            self._conversion(conversion, f"hoisted {over}", why, comparison)
            self._copies(copies, f"a conversion was hoisted {over}", conversion)

    def _copies(self, copies: dict[SSAValue, SSAValue], why: str, conversion: Operation) -> None:
        anchor = _name(conversion.results[0])
        for value in copies.values():
            if types.is_tensor(value.type):
                self._tell(value, str(types.encoding(value.type)), why, anchor=anchor)

    def _conversion(
        self, conversion: Operation, chose: str, why: str, comparison: Comparison | None = None
    ) -> None:
        if not self.enabled:
            return
        source, target = conversion.operands[0], conversion.results[0]
        if (target, why) in self._answers:  # as in the round before
            return
        self._answers.add((target, why))
        facts = [
            ("from", str(types.encoding(source.type))),
            ("to", str(types.encoding(target.type))),
            ("read by", ", ".join(_readers(target))),
        ]
        sides: list[Cost] = []
        if comparison is not None:
            sides.append(Cost("convert", comparison.convert))
            sides.append(Cost("compute again", comparison.repeat, comparison.terms))
        self._tell(target, chose, why, facts=facts, costs=sides, anchor=_name(source))

    # ------------------------------------------------------------------------------ end
    def rest(self, functions: Iterable[tt.FuncOp]) -> None:
        """Record a reason for each tensor that nothing was decided about by itself."""
        if not self.enabled:
            return
        for function in functions:
            for op in function.walk():
                for value in op.results:
                    self._rest(value)
                for region in op.regions:
                    for block in region.blocks:
                        for argument in block.args:
                            self._rest(argument)

    def _rest(self, value: SSAValue) -> None:
        encoding = types.encoding(value.type)
        if encoding is None or value in self._told:
            return
        self._tell(value, str(encoding), _default_reason(value), anchor=_source_of(value))


def _default_reason(value: SSAValue) -> str:
    if not isinstance(value, OpResult):
        return "carried in the layout of its initial value"
    op = value.op
    if isinstance(op, _ANYWHERE):
        return "made in the layout that its readers ask for"
    if isinstance(op, ttg.ConvertLayoutOp):
        return "converted for its readers: no side could take the layout of the other"
    if isinstance(op, scf.ForOp | scf.IfOp | scf.WhileOp):
        return "given in the layout of what its region yields"
    return "follows its operands"


def _source_of(value: SSAValue) -> str:
    """Return the name of the tensor whose layout a value shares, or of its first reader."""
    if isinstance(value, OpResult):
        for operand in value.op.operands:
            if types.is_tensor(operand.type):
                return _name(operand)
    return next(iter(_readers(value)), "")


def _readers(value: SSAValue) -> list[str]:
    return list(dict.fromkeys(use.operation.name for use in value.uses))


def _name(value: SSAValue) -> str:
    """Return the operation that makes a value, and where it stands in the kernel."""
    made = value.op.name if isinstance(value, OpResult) else "an argument"
    place = source_position(value)
    return f"{made} at {place}" if place else made
