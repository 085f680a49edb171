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

from msgspec import Struct

from weft import decisions
from weft.ir import tt
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import clone
from weft.optimum.acceptance import is_worthwhile, measure_module
from weft.optimum.assignment import function_cost, module_cost, optimize
from weft.optimum.costs import OperationCosts
from weft.optimum.narrowing import narrow_masked_accesses
from weft.optimum.rewriting import rewrite
from weft.optimum.solver import DEFAULT_EFFORT
from weft.targets import Target, target

__all__ = ["AssignLayouts"]


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
        chip = target(self.target)
        choice = _assign(module, chip, self.effort)
        reason = "the optimum saves too little time, or adds latency"
        if choice == "optimal":
            reason = "its saving is likely to be one of time"
        candidates = tuple(map(decisions.Candidate, ("heuristic", "refined", "optimal")))
        decisions.record(
            decisions.Decision(
                stage=self.name, op="module", choice=choice, reason=reason, candidates=candidates
            )
        )


def _assign(module: ModuleOp, chip: Target, effort: int) -> str:
    """Change layouts in place; return the value of the option `layouts` that has these layouts."""
    optimum = optimize(module, chip, effort=effort)
    if optimum.cost < optimum.current:
        before, original = measure_module(module, chip), clone(module, {})
        assert isinstance(original, ModuleOp)
        for function in optimum.functions:
            rewrite(function)
        if is_worthwhile(before, measure_module(module, chip)):
            return "optimal"
        _restore(module, original)
    costs = OperationCosts.of(module, chip)
    for function in [op for op in module.body.block.ops if isinstance(op, tt.FuncOp)]:
        narrow_masked_accesses(function, costs, function_cost)
    return "refined" if module_cost(module, chip) < optimum.current else "heuristic"


def _restore(module: ModuleOp, original: ModuleOp) -> None:
    """Replace what is in a module by what is in another one."""
    block = module.body.block
    for op in reversed(list(block.ops)):
        op.detach()
        op.erase(safe_erase=False)
    for op in list(original.body.block.ops):
        op.detach()
        block.add_op(op)
