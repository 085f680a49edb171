"""Queries on nesting: which region contains an operation or defines a value, and what is first.

%a = …                    precedes the loop, %b and %c
scf.for … {               precedes %b and %c
  %b = …                  precedes neither %c nor the loop
}
%c = …
"""

from __future__ import annotations

from weft.ir.builtin import Block, Operation, OpResult, Region, SSAValue

__all__ = [
    "ancestor_in_block",
    "defining_region",
    "is_defined_in_region",
    "is_defined_inside",
    "is_nested_in",
    "precedes",
    "replace_uses_in_region",
]


def ancestor_in_block(op: Operation, block: Block) -> Operation | None:
    """Find the operation of a block that is or contains an operation, None if there is none."""
    current: Operation | None = op
    while current is not None and current.parent is not block:
        current = current.parent_op()
    return current


def precedes(op: Operation, other: Operation) -> bool:
    """Check whether an operation comes before another one, or contains it.

    The other operation is in the same block, or in a region there. This is dominance in structured
    control flow.
    """
    assert op.parent is not None
    ancestor = ancestor_in_block(other, op.parent)
    if ancestor is None or other is op:
        return False
    return ancestor is op or op.is_before_in_block(ancestor)


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


def is_defined_in_region(value: SSAValue, region: Region) -> bool:
    """Check whether a region defines a value at any depth."""
    current = defining_region(value)
    while current is not None and current is not region:
        parent = current.parent
        current = None if parent is None else parent.parent_region()
    return current is region


def replace_uses_in_region(value: SSAValue, new_value: SSAValue, region: Region) -> None:
    """Replace the uses of a value in a region at any depth."""
    for use in tuple(value.uses):
        if is_nested_in(use.operation, region):
            use.operation.operands[use.index] = new_value


def is_defined_inside(value: SSAValue, op: Operation) -> bool:
    """Check whether the regions of an operation define a value at any depth."""
    region = defining_region(value)
    while region is not None:
        parent = region.parent
        if parent is op:
            return True
        region = None if parent is None else parent.parent_region()
    return False
