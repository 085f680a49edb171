"""Assign buffers and phases to accesses of asynchronous references (nvws-assign-stage-phase).

Before:  %r = nvws.aref.create %m                      two buffers
         scf.for … {
           %b, %t = nvws.aref.put.enter %r
           nvws.aref.put.exit %r, %t …
After:   %r = nvws.aref.create %m
         scf.for … iter_args(%stage = %c1, %phase = %c0) {
           %n = (%stage + 1) mod 2
           %p = %phase, flipped if %n is 0
           %b, %t = nvws.aref.put.enter %r[%n, %p]
           nvws.aref.put.exit %r[%n], %t …
           scf.yield %n, %p

1. Number the accesses of each partition to each reference (`slots`).
2. Compute in the default partition what is used after the loop (`default_partition`).

Source: Triton, AssignStagePhase.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import nvws, types
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import Builder, walk_inner_first
from weft.passes.nvws.assign_stage_phase.default_partition import (
    compute_results_in_default_partition,
)
from weft.passes.nvws.assign_stage_phase.slots import Enter, Slot, SlotTracker
from weft.passes.pipelining.loop_queries import loops_inner_first
from weft.passes.pipelining.partitions.arefs import depth_of
from weft.passes.pipelining.partitions.attributes import (
    has_partition,
    partition_ids,
    warp_specialized_loops,
)

__all__ = ["AssignStagePhase"]

_INITIAL_PHASE: dict[type[Enter], int] = {nvws.ArefPutEnterOp: 0, nvws.ArefGetEnterOp: 1}


class AssignStagePhase(Struct, frozen=True):
    """Gives each access to an asynchronous reference its buffer and phase."""

    name: ClassVar[str] = "nvws-assign-stage-phase"

    def run(self, module: ModuleOp) -> None:
        """Assign the accesses of all references."""
        arefs = [op for op in walk_inner_first(module) if isinstance(op, nvws.ArefCreateOp)]
        for aref in arefs:
            for kind in _INITIAL_PHASE:
                _assign(aref, kind)
        for loop in warp_specialized_loops(loops_inner_first(module)):
            compute_results_in_default_partition(loop)


def _assign(aref: nvws.ArefCreateOp, kind: type[Enter]) -> None:
    """Assign the puts or the gets of a reference.

    The slot before the first access is the last buffer, in the phase before the initial one.
    """
    users = [use.operation for use in aref.result.uses]
    accesses = [user for user in users if isinstance(user, kind)]
    partitions = {number for access in accesses for number in partition_ids(access)} or {0}
    builder = Builder().after(aref)
    stage = builder.constant(depth_of(aref.operands[0].type) - 1, types.i32)
    phase = builder.constant(_INITIAL_PHASE[kind], types.i32)
    assert aref.parent is not None
    for partition in sorted(partitions):
        tracker = SlotTracker(aref, kind, partition)
        tracker.assign_in_block(aref.parent, Slot(stage, phase))
        for access in accesses:
            if not has_partition(access) or partition_ids(access)[0] == partition:
                tracker.propagate(access)
