"""Move the initialization of accumulators out of warp-specialized loops (nvws-hoist-tmem-store).

Before:  scf.for … {                                After:  %m, %t0 = ttng.tmem_alloc %zero
           %m, %t0 = ttng.tmem_alloc                        scf.for … iter_args(%t = %t0) {
           %t1 = ttng.tmem_store %zero, %m[%t0]               %t2 = scf.for … iter_args(%u = %t,
           %t2 = scf.for … iter_args(%u = %t1,                    %d = %false) {
               %d = %false) {                                   ttng.tc_gen5_mma …, %m[%u], %d
             ttng.tc_gen5_mma …, %m[%u], %d                   }
           }                                                  scf.yield %t2
         } {tt.warp_specialize}                             } {tt.warp_specialize}

The first MMA ignores the accumulator here, so that one initialization is enough. If the inner loop
may not run, some iterations would read the sum of earlier ones; then the store stays, and belongs
to the partition of the MMAs.

Also simplifies conversions of layouts, in every module. Source: Triton, HoistTmemStore.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import attributes, scf, ttng
from weft.ir.builtin import BlockArgument, ModuleOp, SSAValue
from weft.ir.constants import constant_attribute
from weft.ir.loop_attributes import WARP_SPECIALIZE
from weft.ir.rewriting import ancestors, move_before, walk_inner_first
from weft.passes.nvws.hoist_tmem_store.fold_stores import RULES
from weft.passes.nvws.hoist_tmem_store.trip_count import depends_on, runs_at_least_once
from weft.passes.pipelining.blackwell.mma_v5 import MMAS, Mma
from weft.passes.pipelining.blackwell.tmem_accumulators import token_of
from weft.passes.pipelining.loop_queries import loops_inner_first
from weft.passes.pipelining.loop_signature import add_iter_args
from weft.passes.pipelining.partitions.attributes import (
    PARTITION,
    partition_ids,
    partition_outputs,
    set_partition,
    set_partition_outputs,
    warp_specialized_loops,
)
from weft.passes.rewrite.greedy import apply_greedily

__all__ = ["HoistTmemStore"]

_MMA_PARTITION = 1


class HoistTmemStore(Struct, frozen=True):
    """Initializes accumulators once, before the loop."""

    name: ClassVar[str] = "nvws-hoist-tmem-store"

    def run(self, module: ModuleOp) -> None:
        """Hoist the accumulators whose initial value no MMA reads."""
        apply_greedily(module, RULES)
        for loop in warp_specialized_loops(loops_inner_first(module)):
            allocations = [
                op
                for op in walk_inner_first(loop)
                if isinstance(op, ttng.TMEMAllocOp)
                and op.src is not None
                and _is_initial_value_unused(op)
            ]
            for allocation in allocations:
                if not _hoist(allocation):
                    set_partition(allocation, (_MMA_PARTITION,))


def _loop_and_mma(allocation: ttng.TMEMAllocOp) -> tuple[scf.ForOp, Mma] | None:
    """Find the loop and the MMA that are the only users of the token of an accumulator."""
    token = allocation.token
    use = None if token is None else token.get_user_of_unique_use()
    if token is None or not isinstance(use, scf.ForOp):
        return None
    argument = use.iter_args[use.init_args.index(token)]
    mma = argument.get_user_of_unique_use()
    return (use, mma) if isinstance(mma, MMAS) else None


def _is_initial_value_unused(allocation: ttng.TMEMAllocOp) -> bool:
    """Check whether the first MMA overwrites an accumulator."""
    users = _loop_and_mma(allocation)
    if users is None:
        return False
    loop, mma = users
    flag = mma.useD
    if not isinstance(flag, BlockArgument) or flag.block is not loop.block or flag.index == 0:
        return False
    return attributes.number(constant_attribute(loop.init_args[flag.index - 1])) == 0


def _loop_nest(allocation: ttng.TMEMAllocOp) -> list[scf.ForOp]:
    """List the loops around an allocation up to the warp-specialized one, inner ones first."""
    loops: list[scf.ForOp] = []
    for op in ancestors(allocation):
        if isinstance(op, scf.ForOp):
            loops.append(op)
            if WARP_SPECIALIZE in op.attributes:
                break
    return loops


def _runs_in_all_iterations(loop: scf.ForOp, loops: list[scf.ForOp]) -> bool:
    """Check whether a loop and those of a nest run always or never.

    Args:
        loop: The loop with the MMA.
        loops: The loops around it, inner ones first.
    """
    inner_loops = [loop, *loops[:-1]]
    return all(
        runs_at_least_once(inner)
        or not any(
            depends_on(bound, outer.induction_variable)
            for bound in (inner.lower_bound, inner.upper_bound)
        )
        for index, inner in enumerate(inner_loops)
        for outer in loops[index:]
    )


def _hoist(allocation: ttng.TMEMAllocOp) -> bool:
    """Move an accumulator out of the warp-specialized loop, if that keeps the result."""
    users = _loop_and_mma(allocation)
    loops = _loop_nest(allocation)
    if users is None or not _runs_in_all_iterations(users[0], loops):
        return False
    loop, _ = users
    token = allocation.token
    assert token is not None
    index = loop.init_args.index(token)
    move_before(allocation, loops[-1])
    allocation.attributes.pop(PARTITION, None)
    partitions = partition_outputs(loop)[index]
    carried: SSAValue = token
    new_loops: list[scf.ForOp] = []
    for outer in reversed(loops):
        outputs = [*partition_outputs(outer), partitions]
        ids = (*partition_ids(outer), *partitions)
        new_loop = add_iter_args(outer, [carried])
        set_partition_outputs(new_loop, outputs)
        set_partition(new_loop, ids)
        carried = new_loop.iter_args[-1]
        new_loops.append(new_loop)
    loop.set_init_arg(index, carried)
    carried = _last_token(loop.results[index])
    for new_loop in reversed(new_loops):
        terminator = new_loop.terminator
        terminator.operands = [*terminator.operands[:-1], carried]
        carried = new_loop.results[-1]
    return True


def _last_token(token: SSAValue) -> SSAValue:
    """Follow the token of an accumulator to the one that nothing uses."""
    while (user := token.get_user_of_unique_use()) is not None:
        following = token_of(user)
        assert following is not None
        token = following
    return token
