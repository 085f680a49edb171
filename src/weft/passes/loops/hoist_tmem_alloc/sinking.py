"""A pattern that moves loads from tensor memory to their first user.

%x, %t = ttng.tmem_load %m[%s]                       %k = scf.if %c {
scf.if %c {                                   →        %x, %t = ttng.tmem_load %m[%s]
  … %x                                                 … %x
}                                                      scf.yield %t
… %t                                                 } else { scf.yield %s }
                                                     … %k

The load must stay before the accesses that its token orders after it.
"""

from __future__ import annotations

from weft.ir import scf, ttng
from weft.ir.builtin import Operation
from weft.ir.rewriting import ancestors
from weft.passes.pipelining.sink_redefinition import sink_redefinition
from weft.passes.rewrite.nesting import ancestor_in_block
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["sink_load"]


def sink_load(op: Operation, rewriter: Rewriter) -> bool:
    """Move a load to the first operation that uses it, or into the region of all its users."""
    assert isinstance(op, ttng.TMEMLoadOp)
    if op.dep is None or op.token is None:
        return False
    if not any(isinstance(ancestor, scf.ForOp) for ancestor in ancestors(op)):
        return False
    target = _first_user(op)
    assert op.parent is not None
    ancestor = None if target is None else ancestor_in_block(target, op.parent)
    if target is None or ancestor is None or not op.is_before_in_block(ancestor):
        return False
    token_uses = list(op.token.uses)
    if not all(_runs_after(use.operation, target) for use in token_uses):
        return False
    following = op.next_op
    while isinstance(following, ttng.TMEMLoadOp):
        following = following.next_op
    if target is following:
        # Only other loads are between: reordering them would go on for ever.
        return False
    rewriter.move_before(op, target)
    assert target.parent is not None
    token = sink_redefinition(op.dep, op.token, target.parent, rewriter)
    if token is not op.token:
        for use in token_uses:
            use.operation.operands[use.index] = token
    return True


def _first_user(load: ttng.TMEMLoadOp) -> Operation | None:
    """Find the operation that is before, or contains, all users of a load.

    Regions have one block here, because the load is in a structured loop.
    """
    users = [use.operation for use in load.results[0].uses]
    if len(users) < 2:
        return users[0] if users else None
    block = users[0].parent
    while block is not None:
        in_block = [ancestor_in_block(user, block) for user in users]
        first: Operation | None = None
        for user in in_block:
            if user is None:
                break
            if first is None or (user is not first and user.is_before_in_block(first)):
                first = user
        else:
            return first
        parent = block.parent_op()
        block = None if parent is None else parent.parent
    return None


def _runs_after(op: Operation, other: Operation) -> bool:
    """Check whether an operation always runs after another one that ran, or contains it."""
    if op is other or op.parent is None:
        return False
    ancestor = ancestor_in_block(other, op.parent)
    if ancestor is None:
        return False
    return ancestor is op or ancestor.is_before_in_block(op)
