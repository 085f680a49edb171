"""How a loop uses the accumulator of an MMA of Blackwell, which is a buffer in tensor memory.

    %m, %t = ttng.tmem_alloc                         before the loop
    scf.for … {
      ttng.tc_gen5_mma %x, %y, %m, %is_not_first     starts a new sum where the flag is false
      %d = ttng.tmem_load %m                         the sum is read: while this goes on, the next
    }                                                MMA can only write another buffer

An accumulator that the loop reads needs several buffers, or its MMA waits. The loop can change to
the next buffer where it starts a new sum.

Source: Triton, lib/Dialect/TritonGPU/Transforms/Pipeliner/MMAv5PipelineUtility.cpp.
"""

from __future__ import annotations

from collections.abc import Iterator

from weft.ir import attributes, scf, ttg, ttng
from weft.ir.builtin import BlockArgument, Operation, OpResult, SSAValue
from weft.ir.constants import constant_attribute
from weft.ir.rewriting import defining_op
from weft.passes.pipelining.blackwell.mma_v5 import Mma
from weft.passes.pipelining.loop_queries import is_defined_outside, is_inside
from weft.passes.rewrite.nesting import ancestor_in_block

__all__ = [
    "can_multi_buffer_accumulator",
    "has_loads_after",
    "modifies_what_it_reads",
    "needs_multi_buffering",
    "token_of",
]


def token_of(op: Operation) -> SSAValue | None:
    """Get the token that an operation returns, None if it returns none."""
    return next((r for r in op.results if isinstance(r.type, ttg.AsyncTokenType)), None)


def _accumulator_users(mma: Mma, loop: scf.ForOp) -> list[Operation] | None:
    """List the users of an accumulator that is allocated before a loop; None for others."""
    allocation = defining_op(mma.d, ttng.TMEMAllocOp)
    if allocation is None or not is_defined_outside(allocation.results[0], loop):
        return None
    return [use.operation for result in allocation.results for use in result.uses]


def needs_multi_buffering(mma: Mma, loop: scf.ForOp) -> bool:
    """Check whether an accumulator is read in the loop, so that another MMA needs another one."""
    users = _accumulator_users(mma, loop)
    if users is None:
        return True
    return any(isinstance(user, ttng.TMEMLoadOp) and is_inside(user, loop) for user in users)


def can_multi_buffer_accumulator(mma: Mma, loop: scf.ForOp) -> bool:
    """Check whether the loop starts new accumulations, where it can change to another buffer."""
    if _starts_new_sum(mma, loop):
        return True
    users = _accumulator_users(mma, loop) or ()
    return any(isinstance(user, ttng.TMEMStoreOp) and is_inside(user, loop) for user in users)


def _starts_new_sum(mma: Mma, loop: scf.ForOp) -> bool:
    """Check whether an MMA overwrites its accumulator in some iteration."""
    flag: SSAValue = mma.useD
    if _is_number(flag, 0):
        return True
    init: SSAValue | None = None
    visited: set[SSAValue] = set()
    while isinstance(flag, BlockArgument) and flag.block is loop.block and flag.index > 0:
        if flag in visited:
            return False
        visited.add(flag)
        init = loop.init_args[flag.index - 1]
        flag = loop.yielded_values[flag.index - 1]
    if init is not None and _is_number(init, 0) and _is_number(flag, 1):
        return True
    # A flag that the loop computes is false in some iterations.
    return isinstance(flag, OpResult) and not is_defined_outside(flag, loop)


def _is_number(value: SSAValue, number: int) -> bool:
    return attributes.number(constant_attribute(value)) == number


def has_loads_after(mma: Mma, loop: scf.ForOp) -> bool:
    """Check whether the loop reads the accumulator after an MMA."""
    for user in _accumulator_users(mma, loop) or ():
        if isinstance(user, ttng.TMEMLoadOp):
            ancestor = ancestor_in_block(user, loop.block)
            if ancestor is not None and ancestor is not mma and mma.is_before_in_block(ancestor):
                return True
    return False


def modifies_what_it_reads(mma: Mma, loop: scf.ForOp) -> bool:
    """Check whether the loop stores to an accumulator what it computes from it."""
    users = _accumulator_users(mma, loop)
    if users is None:
        return True
    inside = [user for user in users if is_inside(user, loop)]
    stores = {user for user in inside if isinstance(user, ttng.TMEMStoreOp)}
    loads = [user for user in inside if isinstance(user, ttng.TMEMLoadOp)]
    if not stores or not loads:
        return False
    visited: set[SSAValue] = set()
    modified: list[SSAValue] = []
    reads: list[SSAValue] = [load.results[0] for load in loads]
    while reads:
        value = reads.pop()
        if value not in visited:
            visited.add(value)
            for user, carried in _uses(value, loop):
                if carried is not None:
                    reads += carried
                elif user not in stores:
                    modified += user.results
    while modified:
        value = modified.pop()
        if value not in visited:
            visited.add(value)
            for user, carried in _uses(value, loop):
                if carried is not None:
                    modified += carried
                elif user in stores:
                    return True
                else:
                    modified += user.results
    return False


def _uses(value: SSAValue, loop: scf.ForOp) -> Iterator[tuple[Operation, list[SSAValue] | None]]:
    """Yield each user of a value; for a yield, also the values that it becomes."""
    for use in value.uses:
        user = use.operation
        if not isinstance(user, scf.YieldOp):
            yield user, None
            continue
        parent = user.parent_op()
        carried: list[SSAValue] = []
        if isinstance(parent, scf.IfOp):
            carried.append(parent.results[use.index])
        elif parent is loop:
            carried.append(loop.iter_args[use.index])
        yield user, carried
