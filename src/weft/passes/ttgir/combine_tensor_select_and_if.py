"""Choose between tensors where a branch is taken anyway (`tritongpu-combine-tensor-select-and-if`).

Before:  %0 = arith.select %c, %x, %y        After:  %r = scf.if %c -> (tensor<…>) {
         scf.if %c {                                   …
           …                                           scf.yield %x
         }                                           } else {
         use %0                                        scf.yield %y
                                                     }
                                                     use %r

First, uses of a selection in the branches of a conditional on the same condition take what is
selected there. Then a selection of tensors joins such a conditional of its block, if it stands
before the conditional and all its uses come after.

Keeps: values, the order of effects. Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from weft.ir import arith, scf, types
from weft.ir.builtin import Block, ModuleOp, Operation, Region, SSAValue
from weft.ir.rewriting import Builder, erase, replace, walk
from weft.passes.ledger import enabled, record_decision, record_remaining_layouts, snapshot_layouts

__all__ = ["CombineTensorSelectAndIf"]


@dataclass(frozen=True, slots=True)
class CombineTensorSelectAndIf:
    """Post: no selection of tensors is left that a conditional of its block could make."""

    name: ClassVar[str] = "tritongpu-combine-tensor-select-and-if"

    def run(self, module: ModuleOp) -> None:
        """Move selections into conditionals, in place."""
        before = snapshot_layouts(module)
        selects = [op for op in walk(module) if isinstance(op, arith.SelectOp)]
        for op in selects:
            _resolve_in_branches(op)
        joined: dict[arith.SelectOp, scf.IfOp] = {}
        for op in selects:
            conditional = _fitting_if(op) if types.is_tensor(op.results[0].type) else None
            if conditional is not None:
                joined[op] = conditional
        grown: dict[scf.IfOp, scf.IfOp] = {}
        for select, conditional in joined.items():
            latest = grown.get(conditional, conditional)
            grown[conditional] = self._join(select, latest)
        record_remaining_layouts(self, module, before, "what both branches give has this layout")

    def _join(self, select: arith.SelectOp, conditional: scf.IfOp) -> scf.IfOp:
        """Let a conditional give what a selection gives; return the conditional that does."""
        _, yes, no = select.operands
        then_region, else_region = conditional.regions
        regions = [Region(), Region()]
        then_region.move_blocks(regions[0])
        if else_region.blocks.first is None:
            regions[1].add_block(Block())
            Builder(conditional.location).at_end(regions[1].block).create(scf.YieldOp)
        else:
            else_region.move_blocks(regions[1])
        for region, value in zip(regions, (yes, no), strict=True):
            last = region.block.last_op
            assert last is not None
            last.operands = [*last.operands, value]
        given = [result.type for result in (*conditional.results, select.results[0])]
        builder = Builder().before(conditional)
        made = builder.create(scf.IfOp, [conditional.condition], given, regions=regions)
        if enabled():
            why = "a conditional of its block asks the same condition"
            record_decision(self, made.results[-1], "scf.if", why)
        select.results[0].replace_all_uses_with(made.results[-1])
        erase(select)
        replace(conditional, made.results[:-1])
        return made


def _fitting_if(select: arith.SelectOp) -> scf.IfOp | None:
    """Return the conditional that a selection can join, the first of several."""
    block = select.parent
    assert block is not None
    candidates = [
        use.operation
        for use in select.operands[0].uses
        if isinstance(use.operation, scf.IfOp) and use.operation.parent is block
    ]
    for candidate in candidates:
        if select.is_before_in_block(candidate) and all(
            _follows(use.operation, candidate) for use in select.results[0].uses
        ):
            return candidate
    return None


def _follows(op: Operation, conditional: scf.IfOp) -> bool:
    """Tell whether an operation runs after a conditional, not in it."""
    block = conditional.parent
    current: Operation | None = op
    while current is not None and current.parent is not block:
        current = current.parent_op()
    return current is not None and conditional.is_before_in_block(current)


def _resolve_in_branches(select: arith.SelectOp) -> None:
    """Replace a selection where the condition is known."""
    condition, yes, no = select.operands
    for use in tuple(select.results[0].uses):
        taken = _known(condition, use.operation)
        if taken is not None:
            use.operation.operands[use.index] = yes if taken else no


def _known(condition: SSAValue, op: Operation) -> bool | None:
    """Return what a condition is where an operation stands, None if nothing around it tells."""
    inner: Operation | None = op
    while inner is not None:
        region = inner.parent.parent if inner.parent is not None else None
        around = inner.parent_op()
        if isinstance(around, scf.IfOp) and around.condition is condition:
            return region is around.regions[0]
        inner = around
    return None
