"""Find chains of products: the result of one, perhaps reworked, is an operand of the next.

    %s = tt.dot %q, %k          head: %p below depends on it
    %p = math.exp2 %s
    %o = tt.dot %p, %v          tail: its left operand depends on %s

Only what stands in the same region counts: a result carried round a loop starts no chain.
"""

from __future__ import annotations

from weft.ir import tt
from weft.ir.builtin import Operation, Region
from weft.ir.rewriting import defining_op

__all__ = ["is_head", "is_tail"]

_DOTS = (tt.DotOp, tt.DotScaledOp)


def _region(op: Operation) -> Region | None:
    return None if op.parent is None else op.parent.parent


def is_head(dot: Operation, operand: int = 0) -> bool:
    """Tell whether a later dot of the region has operand 0 or 1 that depends on this one."""
    home, reached, stack = _region(dot), set[Operation](), [dot]
    while stack:
        for result in stack.pop().results:
            for use in result.uses:
                user = use.operation
                if user not in reached and _region(user) is home:
                    reached.add(user)
                    stack.append(user)
    return any(
        defining_op(user.operands[operand]) in reached
        for user in reached
        if isinstance(user, _DOTS)
    )


def is_tail(dot: Operation) -> bool:
    """Tell whether what makes the left operand depends on a dot of the region."""
    home, source = _region(dot), defining_op(dot.operands[0])
    if source is None or _region(source) is not home:
        return False
    reached, stack = {source}, [source]
    while stack:
        for operand in stack.pop().operands:
            maker = defining_op(operand)
            if maker is None or maker in reached or _region(maker) is not home:
                continue
            if isinstance(maker, _DOTS):
                return True
            reached.add(maker)
            stack.append(maker)
    return False
