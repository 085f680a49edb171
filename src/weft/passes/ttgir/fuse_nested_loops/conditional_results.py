"""Replace an scf.if by one with other results and the same blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.ir import scf
from weft.ir.builtin import Attribute, Region, SSAValue
from weft.ir.rewriting import Builder, erase

__all__ = ["drop_results", "move_to_new_if"]


def move_to_new_if(op: scf.IfOp, result_types: Sequence[Attribute]) -> scf.IfOp:
    """Create a conditional before another one and move the other's blocks to it.

    Args:
        op: The other conditional, which is left without blocks.
        result_types: The types of the new results.
    """
    regions: list[Region] = []
    for region in op.regions:
        regions.append(Region())
        region.move_blocks(regions[-1])
    return Builder().before(op).create(scf.IfOp, [op.condition], result_types, regions=regions)


def drop_results(op: scf.IfOp, replacements: Mapping[int, SSAValue]) -> None:
    """Replace a conditional by one without some results.

    Args:
        op: The conditional.
        replacements: The values that replace the dropped results, by the index of the result.
    """
    if not replacements:
        return
    for region in op.regions:
        terminator = region.block.last_op
        assert terminator is not None
        terminator.operands = [
            value for index, value in enumerate(terminator.operands) if index not in replacements
        ]
    result_types = [result.type for result in op.results if result.index not in replacements]
    new_results = iter(move_to_new_if(op, result_types).results)
    for result in op.results:
        value = replacements.get(result.index)
        result.replace_all_uses_with(next(new_results) if value is None else value)
    erase(op)
