"""Selects between tensors that a following `scf.if` on the same condition can turn into phis.

%x = arith.select %c, %zeros, %sum : tensor<128x128xf32>      after the `if`, %x is a phi of zeros
…                                                             (if control went through it) and sum
scf.if %c { … }
"""

from __future__ import annotations

from xdsl.ir import Block, Operation

from weft.ir import types

__all__ = ["if_with_phi_for"]


def if_with_phi_for(op: Operation) -> Operation | None:
    """Find the `scf.if` whose phi can replace a select between tensors; None if there is none.

    It follows the select in the same block, has the same condition, and nothing before its end uses
    the select's result.
    """
    condition, block = op.operands[0], op.parent
    if types.is_tensor(condition.type) or not types.is_tensor(op.results[0].type) or block is None:
        return None
    between: list[Operation] = []
    following = op.next_op
    while following is not None:
        between.append(following)
        if following.name == "scf.if" and following.operands[0] is condition:
            users = (_within(use.operation, block) for use in op.results[0].uses)
            return None if any(user in between for user in users) else following
        following = following.next_op
    return None


def _within(op: Operation, block: Block) -> Operation | None:
    """Find the ancestor of an operation in a block, or the operation itself."""
    while op.parent is not block:
        around = op.parent_op()
        if around is None:
            return None
        op = around
    return op
