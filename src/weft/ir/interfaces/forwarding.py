"""Follow a value through control flow, backward and forward.

%r = scf.for … iter_args(%a = %init) { … scf.yield %next }

forwarded_from(%a)      %init, %next
forwarded_from(%r)      %init, %next
forwarded_to(%next)     %a, %r          at the yield
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import BlockArgument, Operation, SSAValue

from weft.ir.interfaces.branch import BlockEdge, BranchOpInterface, incoming_values
from weft.ir.interfaces.region_branch import (
    RegionBranchOpInterface,
    RegionBranchTerminatorOpInterface,
    RegionEdge,
)

__all__ = ["forwarded_from", "forwarded_to"]


def forwarded_from(value: SSAValue) -> tuple[SSAValue, ...] | None:
    """List the values that control flow may assign to a block argument or a result.

    Returns:
        The forwarded operands, those of the operation before those of terminators. None if no
        edge assigns the value: an ordinary result, an induction variable, a function argument.
    """
    owner = value.owner
    if isinstance(owner, Operation):
        op, region = owner, None
    else:
        op, region = owner.parent_op(), owner.parent
        if region is not None and region.blocks.first is not owner:
            assert isinstance(value, BlockArgument)
            return tuple(incoming_values(value))
    if not isinstance(op, RegionBranchOpInterface):
        return None
    inputs = op.successor_inputs(region)
    if value not in inputs:
        return None
    index = inputs.index(value)
    return tuple(edge.operands[index] for edge in op.region_edges() if edge.region is region)


def forwarded_to(op: Operation, value: SSAValue) -> tuple[SSAValue, ...]:
    """List the block arguments and results that receive an operand of an operation.

    Args:
        op: The operation with regions, or the terminator.
        value: One of its operands.

    Returns:
        The receivers without duplicates; none if the operation only reads the operand.
    """
    edges: Iterable[RegionEdge | BlockEdge] = ()
    if isinstance(op, BranchOpInterface):
        edges = op.block_edges()
    elif isinstance(op, RegionBranchTerminatorOpInterface):
        edges = op.region_edges()
    elif isinstance(op, RegionBranchOpInterface):
        edges = op.entry_edges()
    receivers: dict[SSAValue, None] = {}
    for edge in edges:
        for operand, receiver in edge.forwarded():
            if operand is value:
                receivers[receiver] = None
    return tuple(receivers)
