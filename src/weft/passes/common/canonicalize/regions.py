"""Steps that patterns over regions share."""

from __future__ import annotations

from collections.abc import Sequence

from weft.ir.builtin import Block, Operation, OpResult, Region, SSAValue
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["defining_region", "encloses", "inline_region", "is_inside"]


def defining_region(value: SSAValue) -> Region | None:
    """Return the region in whose blocks a value is defined."""
    owner = value.op.parent if isinstance(value, OpResult) else value.owner
    return owner.parent if isinstance(owner, Block) else None


def encloses(region: Region, op: Operation) -> bool:
    """Tell whether an operation stands in a region, at any depth."""
    block = op.parent
    current = block.parent if block is not None else None
    while current is not None:
        if current is region:
            return True
        around = current.parent
        block = around.parent if around is not None else None
        current = block.parent if block is not None else None
    return False


def is_inside(value: SSAValue, op: Operation) -> bool:
    """Tell whether a value is defined inside an operation's regions."""
    region = defining_region(value)
    while region is not None:
        around = region.parent
        if around is op:
            return True
        block = around.parent if around is not None else None
        region = block.parent if block is not None else None
    return False


def inline_region(
    op: Operation, region: Region, values: Sequence[SSAValue], rewriter: Rewriter
) -> None:
    """Put a one-block region in place of its operation; its terminator gives the results."""
    block = region.block
    last = block.last_op
    assert last is not None
    rewriter.inline_before(block, op, values)
    rewriter.replace(op, tuple(last.operands))
    rewriter.erase(last)
