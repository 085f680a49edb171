"""Queries on nesting: which region contains an operation or defines a value."""

from __future__ import annotations

from weft.ir.builtin import Block, Operation, OpResult, Region, SSAValue

__all__ = ["defining_region", "is_defined_inside", "is_nested_in"]


def defining_region(value: SSAValue) -> Region | None:
    """Find the region whose blocks define a value."""
    owner = value.op.parent if isinstance(value, OpResult) else value.owner
    return owner.parent if isinstance(owner, Block) else None


def is_nested_in(op: Operation, region: Region) -> bool:
    """Check whether a region contains an operation at any depth."""
    current: Operation | None = op
    while current is not None:
        parent = current.parent_region()
        if parent is region:
            return True
        current = None if parent is None else parent.parent
    return False


def is_defined_inside(value: SSAValue, op: Operation) -> bool:
    """Check whether the regions of an operation define a value at any depth."""
    region = defining_region(value)
    while region is not None:
        parent = region.parent
        if parent is op:
            return True
        region = None if parent is None else parent.parent_region()
    return False
