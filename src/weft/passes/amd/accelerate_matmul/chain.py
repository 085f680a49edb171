"""Find chains of dots: the result of one, possibly transformed, is an operand of the next.

    %s = tt.dot %q, %k          head: %p below depends on it
    %p = math.exp2 %s
    %o = tt.dot %p, %v          tail: its left operand depends on %s

Only operations of the same region count: a loop-carried result starts no chain.
"""

from __future__ import annotations

from weft.ir import tt
from weft.ir.builtin import Operation, Region
from weft.ir.rewriting import defining_op

__all__ = ["is_chain_head", "is_chain_tail"]

_DOTS = (tt.DotOp, tt.DotScaledOp)


def _region(op: Operation) -> Region | None:
    return None if op.parent is None else op.parent.parent


def is_chain_head(dot: Operation, operand: int = 0) -> bool:
    """Check whether an operand (0 or 1) of a later dot in the region depends on this dot."""
    region, reached, stack = _region(dot), set[Operation](), [dot]
    while stack:
        for result in stack.pop().results:
            for use in result.uses:
                user = use.operation
                if user not in reached and _region(user) is region:
                    reached.add(user)
                    stack.append(user)
    # A dot that only accumulates on the result is reached, too, but continues no chain.
    return any(
        defining_op(user.operands[operand]) in reached
        for user in reached
        if isinstance(user, _DOTS)
    )


def is_chain_tail(dot: Operation) -> bool:
    """Check whether the left operand depends on another dot of the region."""
    region, source = _region(dot), defining_op(dot.operands[0])
    if source is None or _region(source) is not region:
        return False
    reached, stack = {source}, [source]
    while stack:
        for operand in stack.pop().operands:
            producer = defining_op(operand)
            if producer is None or producer in reached or _region(producer) is not region:
                continue
            if isinstance(producer, _DOTS):
                return True
            reached.add(producer)
            stack.append(producer)
    return False
