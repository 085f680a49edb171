"""Hoist the accumulators of MMAs out of loops (tritongpu-hoist-tmem-alloc).

Before:  %r = scf.for … iter_args(%acc = %x) {     After:  %m, %t = ttng.tmem_alloc
           %m, %t = ttng.tmem_alloc %acc                   %s = ttng.tmem_store %x, %m[%t], %true
           %u = ttng.tc_gen5_mma …, %m[%t]                 %l = scf.for … iter_args(%k = %s) {
           %d, %v = ttng.tmem_load %m[%u]                    %u = ttng.tc_gen5_mma …, %m[%k]
           scf.yield %d                                      scf.yield %u
         }                                                 }
                                                           %r, %v = ttng.tmem_load %m[%l]

The accumulator stays in tensor memory instead of going through registers in each iteration. The
token of the buffer becomes an iter_arg. Patterns then move stores and loads out of the loop, and
drop stores of what the buffer holds already:

    `rotation`      a store of an iter_arg moves to the previous iteration, a load to the next one
    `forwarding`    a store after a load of the same value, or of a select of it
    `sinking`       a load moves to its first user
    `conditionals`  with hoist-out-of-if: a buffer of a branch moves out of the conditional

Operations without tokens stay: tokens show which accesses conflict.

Source: Triton, HoistTMEMAlloc.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import scf, ttg, ttng, types
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.folds import FOLDS
from weft.ir.interfaces import is_memory_effect_free
from weft.ir.rewriting import Builder, clone, defining_op, move_before, replace, walk_inner_first
from weft.passes.common.canonicalize import scf_for
from weft.passes.loops.hoist_tmem_alloc import conditionals, forwarding, rotation, sinking
from weft.passes.pipelining.blackwell.mma_v5 import MMAS, Mma
from weft.passes.pipelining.loop_queries import is_defined_outside
from weft.passes.pipelining.loop_signature import add_iter_args
from weft.passes.rewrite.greedy import PatternTable, RewriteRules, apply_greedily
from weft.passes.rewrite.operands import set_operand

__all__ = ["HoistTmemAlloc"]


class HoistTmemAlloc(Struct, frozen=True):
    """Hoists allocations of accumulators.

    Attributes:
        hoist_out_of_if: Hoist allocations out of conditionals instead of out of loops.
    """

    hoist_out_of_if: bool = False

    name: ClassVar[str] = "tritongpu-hoist-tmem-alloc"

    def run(self, module: ModuleOp) -> None:
        """Hoist the allocations of a module in place."""
        if not self.hoist_out_of_if:
            for op in list(walk_inner_first(module)):
                if isinstance(op, MMAS):
                    _hoist_operands(op)
        rules = RewriteRules(
            FOLDS, _patterns(self.hoist_out_of_if), top_down=False, merge_blocks=True
        )
        apply_greedily(module, rules)
        for op in list(walk_inner_first(module)):
            if isinstance(op, ttng.TMEMAllocOp):
                _separate_init(op)


def _patterns(hoist_out_of_if: bool) -> PatternTable:
    """List the patterns by class of operation, in the order in which to try them."""
    patterns: PatternTable = {
        ttng.TMEMStoreOp: (
            rotation.rotate_store,
            forwarding.combine_load_and_store,
            forwarding.combine_store_and_select,
        ),
        ttng.TMEMLoadOp: (rotation.rotate_load, sinking.sink_load, forwarding.remove_unused_load),
        **scf_for.PATTERNS,
    }
    if hoist_out_of_if:
        patterns[ttng.TMEMStoreOp] += (forwarding.combine_store_and_alloc,)
        patterns[ttng.TMEMAllocOp] = (
            conditionals.hoist_out_of_if,
            forwarding.forward_load_to_alloc,
        )
    return patterns


def _hoist_operands(mma: Mma) -> None:
    """Hoist the allocations of an MMA's operands out of the loop around it."""
    loop = mma.parent_op()
    if not isinstance(loop, scf.ForOp):
        return
    for operand in mma.operands:
        _hoist_invariant(operand, loop)
    allocation = defining_op(mma.d, ttng.TMEMAllocOp)
    # The allocations of scales stay in the loop.
    if (
        allocation is not None
        and allocation.token is not None
        and allocation.parent_region() is mma.parent_region()
    ):
        _hoist_accumulator(allocation, loop)


def _hoist_invariant(value: SSAValue, loop: scf.ForOp) -> None:
    """Hoist an allocation of an invariant value, with conversions of this value."""
    allocation = defining_op(value, ttng.TMEMAllocOp)
    if allocation is None or is_defined_outside(value, loop):
        return
    memory = allocation.results[0].type
    assert isinstance(memory, ttg.MemDescType)
    source = allocation.src
    if memory.is_mutable or source is None:
        return
    chain: list[Operation] = [allocation]
    while not is_defined_outside(source, loop):
        producer = defining_op(source)
        if producer is None or len(producer.operands) != 1 or not is_memory_effect_free(producer):
            return
        chain.append(producer)
        source = producer.operands[0]
    for op in reversed(chain):
        move_before(op, loop)


def _hoist_accumulator(allocation: ttng.TMEMAllocOp, loop: scf.ForOp) -> None:
    """Hoist an allocation out of a loop; its token becomes an iter_arg."""
    token = allocation.token
    assert token is not None
    last = _last_use(token)
    if last is None:
        return
    builder = Builder().before(loop)
    builder.location = allocation.location
    true = builder.constant(True, types.i1)
    new_allocation = clone(allocation, {})
    assert isinstance(new_allocation, ttng.TMEMAllocOp)
    builder.insert(new_allocation)
    set_operand(new_allocation, "src", None)
    buffer, new_token = new_allocation.results
    loop = add_iter_args(loop, [new_token])
    loop.terminator.operands[len(loop.terminator.operands) - 1] = last
    state: SSAValue = loop.iter_args[-1]
    if allocation.src is not None:
        builder.before(allocation)
        state = builder.value(
            ttng.TMEMStoreOp, [buffer, state, allocation.src, true], ttg.async_token
        )
    replace(allocation, [buffer, state])


def _last_use(token: SSAValue) -> SSAValue | None:
    """Follow the tokens of a buffer to its last access.

    Returns:
        The token of this access. None if there are several, or if it is in another block.
    """
    last_tokens: dict[SSAValue, None] = {}
    worklist = [token]
    visited: set[SSAValue] = set()
    while worklist:
        current = worklist.pop()
        if current in visited:
            continue
        visited.add(current)
        users = [use.operation for use in current.uses]
        if not users:
            last_tokens[current] = None
        for user in users:
            following = _token_of(user)
            if following is None:
                return None
            worklist.append(following)
    last = next(iter(last_tokens)) if len(last_tokens) == 1 else None
    start = defining_op(token)
    end = None if last is None else defining_op(last)
    return last if start is not None and end is not None and start.parent is end.parent else None


def _token_of(op: Operation) -> SSAValue | None:
    if isinstance(op, (ttng.TMEMLoadOp, ttng.TMEMStoreOp, *MMAS)):
        return op.token
    return None


def _separate_init(allocation: ttng.TMEMAllocOp) -> None:
    """Replace the initial value of a mutable buffer by a store; later passes expect that."""
    memory, source = allocation.results[0].type, allocation.src
    assert isinstance(memory, ttg.MemDescType)
    if not memory.is_mutable or source is None:
        return
    builder = Builder().after(allocation)
    builder.location = allocation.location
    true = builder.constant(True, types.i1)
    buffer, token = allocation.results[0], allocation.token
    dependencies = [] if token is None else [token]
    store = builder.create(
        ttng.TMEMStoreOp,
        [buffer, *dependencies, source, true],
        [value.type for value in dependencies],
    )
    if token is not None:
        assert store.token is not None
        for use in list(token.uses):
            if use.operation is not store:
                use.operation.operands[use.index] = store.token
    set_operand(allocation, "src", None)
