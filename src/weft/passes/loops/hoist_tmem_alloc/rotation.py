"""Patterns that move accesses to tensor memory into the next or previous iteration of a loop.

scf.for … iter_args(%x = %i, %t = %s) {             %s' = ttng.tmem_store %i, %m[%s], %true
  %u = ttng.tmem_store %x, %m[%t], %true            scf.for … iter_args(%t = %s') {
  … %v                                         →      … %v
  scf.yield %y, %v                                    %u = ttng.tmem_store %y, %m[%v], %true
}                                                     scf.yield %u
                                                    }
                                                    %x' = ttng.tmem_load %m

An iter_arg that is only stored to a buffer, or only loaded from it, lives in the buffer then. The
load at the end of an iteration moves likewise to the start of the next one.
"""

from __future__ import annotations

from weft.ir import attributes, scf, ttg, ttng, types
from weft.ir.builtin import BlockArgument, Operation, SSAValue
from weft.ir.rewriting import defining_op
from weft.passes.pipelining.loop_queries import is_defined_outside
from weft.passes.rewrite.operands import operand_range
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["rotate_load", "rotate_store"]

_BOUNDS = 3
"""The operands of a loop before its init args."""


def rotate_store(op: Operation, rewriter: Rewriter) -> bool:
    """Store an iter_arg at the end of the previous iteration, and before the loop."""
    assert isinstance(op, ttng.TMEMStoreOp)
    loop = op.parent_op()
    if (
        op.dep is None
        or op.token is None
        or not isinstance(loop, scf.ForOp)
        or not is_defined_outside(op.pred, loop)
        or not is_defined_outside(op.dst, loop)
    ):
        return False
    value, state = _iter_arg(op.src, loop), _iter_arg(op.dep, loop)
    # The token must come from the previous iteration: no access before the store conflicts.
    if value is None or not value.has_one_use() or state is None:
        return False
    index, token_index = value.index - 1, state.index - 1
    _store_before(
        loop, token_index, op.dst, loop.init_args[token_index], index, op.pred, op, rewriter
    )
    terminator = loop.terminator
    op.token.replace_all_uses_with(state)
    rewriter.move_before(op, terminator)
    _set(op, "dep", terminator.operands[token_index])
    terminator.operands[token_index] = op.token
    _set(op, "src", terminator.operands[index])
    _load_after(loop, index, token_index, op.dst, op, rewriter)
    # The iter_arg is not used any more.
    terminator.operands[index] = loop.iter_args[index]
    return True


def rotate_load(op: Operation, rewriter: Rewriter) -> bool:
    """Load at the start of the next iteration what only that iteration uses."""
    assert isinstance(op, ttng.TMEMLoadOp)
    loop = op.parent_op()
    if (
        op.dep is None
        or op.token is None
        or not isinstance(loop, scf.ForOp)
        or not is_defined_outside(op.src, loop)
        or not op.results[0].has_one_use()
    ):
        return False
    use = next(iter(op.results[0].uses))
    terminator = loop.terminator
    if use.operation is not terminator:
        return False
    # Nothing accesses the buffer after the load.
    if all(token_use.operation is not terminator for token_use in op.token.uses):
        return False
    token_index = next(iter(op.token.uses)).index
    # The buffer is undefined at the start of the loop, so the initial value may be stored there.
    allocation = defining_op(loop.init_args[token_index], ttng.TMEMAllocOp)
    if allocation is None or allocation.token is None or allocation.src is not None:
        return False
    index = use.index
    true = rewriter.constant(attributes.boolean(True), types.i1, loop)
    _store_before(loop, token_index, op.src, allocation.token, index, true, op, rewriter)
    terminator.operands[token_index] = op.dep
    first = loop.block.first_op
    assert first is not None
    rewriter.move_before(op, first)
    state = loop.iter_args[token_index]
    _set(op, "dep", state)
    for state_use in list(state.uses):
        if state_use.operation is not op:
            state_use.operation.operands[state_use.index] = op.token
    loop.iter_args[index].replace_all_uses_with(op.results[0])
    _load_after(loop, index, token_index, op.src, op, rewriter)
    terminator.operands[index] = loop.iter_args[index]
    return True


def _iter_arg(value: SSAValue, loop: scf.ForOp) -> BlockArgument | None:
    if isinstance(value, BlockArgument) and value.block is loop.block and value.index > 0:
        return value
    return None


def _set(op: ttng.TMEMLoadOp | ttng.TMEMStoreOp, name: str, value: SSAValue) -> None:
    """Set an operand that the operation has, without a new visit."""
    op.operands[operand_range(op, name)[0]] = value


def _store_before(
    loop: scf.ForOp,
    token_index: int,
    buffer: SSAValue,
    token: SSAValue,
    index: int,
    predicate: SSAValue,
    source: Operation,
    rewriter: Rewriter,
) -> None:
    """Store an init arg of a loop to a buffer.

    Args:
        loop: The loop.
        token_index: The index of the iter_arg that is the token of the buffer.
        buffer: The buffer.
        token: Its token before the loop.
        index: The index of the init arg.
        predicate: The predicate of the store.
        source: The operation whose location the store has.
        rewriter: Changes the IR.
    """
    store = rewriter.create(
        ttng.TMEMStoreOp,
        (buffer, token, loop.init_args[index], predicate),
        (ttg.async_token,),
        before=loop,
        location=source.location,
    )
    loop.operands[_BOUNDS + token_index] = store.results[0]


def _load_after(
    loop: scf.ForOp,
    index: int,
    token_index: int,
    buffer: SSAValue,
    source: Operation,
    rewriter: Rewriter,
) -> None:
    """Replace a result of a loop by a load from a buffer."""
    result = loop.results[index]
    following = loop.next_op
    assert following is not None
    load = rewriter.create(
        ttng.TMEMLoadOp,
        (buffer, loop.results[token_index]),
        (result.type, ttg.async_token),
        {"resultSegmentSizes": attributes.array_i32((1, 1, 0))},
        before=following,
        location=source.location,
    )
    result.replace_all_uses_with(load.results[0])
