"""Combine a select of tensors with an scf.if on the same condition.

Before:  %0 = arith.select %c, %x, %y        After:  %r = scf.if %c -> (tensor<…>) {
         scf.if %c {                                   …
           …                                           scf.yield %x
         }                                           } else {
         use %0                                        scf.yield %y
                                                     }
                                                     use %r

First, uses of a select in the branches of an scf.if on the same condition are replaced by the
selected value. Then a select of tensors is combined with such an scf.if in its block, if it
precedes the scf.if and all its uses follow.

Preserves values and the order of effects.
Source: measured on Triton 3.7.1 (`tritongpu-combine-tensor-select-and-if`).
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import arith, scf, types
from weft.ir.builtin import Block, ModuleOp, Operation, Region, SSAValue
from weft.ir.rewriting import Builder, erase, replace, walk
from weft.passes.ledger import enabled, record_decision, record_remaining_layouts, snapshot_layouts

__all__ = ["CombineTensorSelectAndIf"]


class CombineTensorSelectAndIf(Struct, frozen=True):
    """Replaces selects of tensors by results of conditionals."""

    name: ClassVar[str] = "tritongpu-combine-tensor-select-and-if"

    def run(self, module: ModuleOp) -> None:
        """Move selects into conditionals in place."""
        before = snapshot_layouts(module)
        selects = [op for op in walk(module) if isinstance(op, arith.SelectOp)]
        for op in selects:
            _replace_in_branches(op)
        pairs: dict[arith.SelectOp, scf.IfOp] = {}
        for op in selects:
            conditional = _matching_if(op) if types.is_tensor(op.results[0].type) else None
            if conditional is not None:
                pairs[op] = conditional
        # Several selects may match one conditional, which is replaced for each of them.
        replacements: dict[scf.IfOp, scf.IfOp] = {}
        for select, conditional in pairs.items():
            latest = replacements.get(conditional, conditional)
            replacements[conditional] = self._combine(select, latest)
        record_remaining_layouts(self, module, before, "both branches yield this layout")

    def _combine(self, select: arith.SelectOp, conditional: scf.IfOp) -> scf.IfOp:
        """Replace a select by an additional result of a conditional; return the new conditional."""
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
            terminator = region.block.last_op
            assert terminator is not None
            terminator.operands = [*terminator.operands, value]
        result_types = [result.type for result in (*conditional.results, select.results[0])]
        builder = Builder().before(conditional)
        new_if = builder.create(scf.IfOp, [conditional.condition], result_types, regions=regions)
        if enabled():
            reason = "a conditional of its block has the same condition"
            record_decision(self, new_if.results[-1], "scf.if", reason)
        select.results[0].replace_all_uses_with(new_if.results[-1])
        erase(select)
        replace(conditional, new_if.results[:-1])
        return new_if


def _matching_if(select: arith.SelectOp) -> scf.IfOp | None:
    """Find the first conditional that a select can be combined with."""
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
    """Check whether an operation runs after a conditional, not inside it."""
    block = conditional.parent
    current: Operation | None = op
    while current is not None and current.parent is not block:
        current = current.parent_op()
    return current is not None and conditional.is_before_in_block(current)


def _replace_in_branches(select: arith.SelectOp) -> None:
    """Replace uses of a select where its condition is known."""
    condition, yes, no = select.operands
    for use in tuple(select.results[0].uses):
        known = _condition_at(condition, use.operation)
        if known is not None:
            use.operation.operands[use.index] = yes if known else no


def _condition_at(condition: SSAValue, op: Operation) -> bool | None:
    """Find the value of a condition at an operation from the enclosing conditionals."""
    current: Operation | None = op
    while current is not None:
        region, parent = current.parent_region(), current.parent_op()
        if isinstance(parent, scf.IfOp) and parent.condition is condition:
            return region is parent.regions[0]
        current = parent
    return None
