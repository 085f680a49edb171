"""The pass `weft-assign-layouts`: give values the layouts of the cheapest assignment.

Before:  %x = tt.load %p, %m : #blocked             4 elements per thread, of which the mask splits
         tt.store %q, %x, %m : #blocked             each access: 16 sectors per request
After:   %x = tt.load %p, %m : #blocked1            1 element per thread: 4 sectors per request
         tt.store %q, %x, %m : #blocked1

Layouts that cost less, but are not likely to take less time, are not chosen
(`weft.optimum.acceptance`): the pass then narrows masked accesses (`weft.optimum.narrowing`), as
`layouts="refined"` does. It records which of the three it kept.

Requires layouts and "ttg.num-warps". Preserves values; the cost of `weft.optimum.costs` never
rises, because the module's own assignment is one of those compared. It is no registered pass, as it
needs HiGHS: `layouts="optimal"` adds it to the pipelines.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct, structs

from weft import decisions
from weft.decisions import Candidate, Decision
from weft.ir import tt
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import clone
from weft.optimum.acceptance import Verdict, measure_module
from weft.optimum.assignment import function_cost, module_cost, optimize
from weft.optimum.costs import OperationCosts
from weft.optimum.narrowing import narrow_masked_accesses
from weft.optimum.rewriting import rewrite
from weft.optimum.solver import DEFAULT_EFFORT
from weft.targets import Target, target

__all__ = ["AssignLayouts"]

_FACTS = {
    "cost": "on-chip work, quarter cycles",
    "dram": "traffic to DRAM, quarter cycles",
    "atomics": "atomics in L2, quarter cycles",
    "requests": "requests to global memory",
    "barriers": "barriers",
}
"""The fields of `Totals` in words, for the facts of the decision."""


class AssignLayouts(Struct, frozen=True):
    """Gives values the layouts of the cheapest assignment.

    Attributes:
        target: The name of the chip.
        effort: The work of the solver for each function, as of `solver.DEFAULT_EFFORT`.
    """

    name: ClassVar[str] = "weft-assign-layouts"

    target: str
    effort: int = DEFAULT_EFFORT

    def run(self, module: ModuleOp) -> None:
        """Change layouts in place.

        Raises:
            WeftError: highspy is not installed.
        """
        decisions.record(_assign(module, target(self.target), self.effort))


def _assign(module: ModuleOp, chip: Target, effort: int) -> Decision:
    """Change layouts in place; say which value of the option `layouts` has these layouts, and why.

    The choice of the decision is that value.
    """
    optimum = optimize(module, chip, effort=effort)
    verdict = None
    if optimum.cost < optimum.current:
        before, original = measure_module(module, chip), clone(module, {})
        assert isinstance(original, ModuleOp)
        for function in optimum.functions:
            rewrite(function)
        verdict = Verdict(before, measure_module(module, chip))
        if verdict.is_accepted:
            return _decision("optimal", verdict.reason, verdict)
        _restore(module, original)
    costs = OperationCosts.of(module, chip)
    for function in [op for op in module.body.block.ops if isinstance(op, tt.FuncOp)]:
        narrow_masked_accesses(function, costs, function_cost)
    refused = "no cheaper layouts were found" if verdict is None else verdict.reason
    refined = module_cost(module, chip)
    if refined < optimum.current:
        narrowed = f"narrow masked accesses cost {refined} instead of {optimum.current}"
        return _decision("refined", f"{refused}; {narrowed}", verdict)
    return _decision("heuristic", refused, verdict)


def _decision(choice: str, reason: str, verdict: Verdict | None) -> Decision:
    facts: tuple[tuple[str, str], ...] = ()
    if verdict is not None:
        before, after = structs.asdict(verdict.before), structs.asdict(verdict.after)
        facts = tuple((text, f"{before[name]} → {after[name]}") for name, text in _FACTS.items())
    candidates = tuple(map(Candidate, ("heuristic", "refined", "optimal")))
    stage = AssignLayouts.name
    return Decision(stage, "module", choice, reason, candidates=candidates, facts=facts)


def _restore(module: ModuleOp, original: ModuleOp) -> None:
    """Replace what is in a module by what is in another one."""
    block = module.body.block
    for op in reversed(list(block.ops)):
        op.detach()
        op.erase(safe_erase=False)
    for op in list(original.body.block.ops):
        op.detach()
        block.add_op(op)
