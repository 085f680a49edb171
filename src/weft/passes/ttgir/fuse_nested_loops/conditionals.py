"""Conditionals made anew with more or fewer results, their blocks kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.ir import scf
from weft.ir.builtin import Attribute, Region, SSAValue
from weft.ir.rewriting import Builder, erase

__all__ = ["with_blocks_of", "without_results"]


def with_blocks_of(op: scf.IfOp, results: Sequence[Attribute]) -> scf.IfOp:
    """Return a conditional with the blocks of another one, made before it."""
    regions = []
    for region in op.regions:
        regions.append(Region())
        region.move_blocks(regions[-1])
    return Builder().before(op).create(scf.IfOp, [op.condition], results, regions=regions)


def without_results(op: scf.IfOp, gone: Mapping[int, SSAValue]) -> None:
    """Take results from a conditional; values stand for them."""
    if not gone:
        return
    for region in op.regions:
        last = region.block.last_op
        assert last is not None
        last.operands = [v for index, v in enumerate(last.operands) if index not in gone]
    kept = [result.type for result in op.results if result.index not in gone]
    made = with_blocks_of(op, kept)
    rest = iter(made.results)
    for result in op.results:
        value = gone.get(result.index)
        result.replace_all_uses_with(next(rest) if value is None else value)
    erase(op)
