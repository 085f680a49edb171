"""Assign latencies to the loads and MMAs of loops that are pipelined (tritongpu-assign-latencies).

With num-stages=3:

Before:  scf.for … {                     After:  scf.for … {
           %a = tt.load %p                         %a = tt.load %p {tt.latency = 2 : i32}
           %x = ttg.convert_layout %a              %x = ttg.convert_layout %a
           %d = tt.dot %x, %y, %acc                %d = tt.dot %x, %y, %acc

A latency is the number of stages between an operation and its users. The stages are divided evenly
among loads that depend on each other: with two levels of loads and num-stages=3, each gets 1.
An MMA of Blackwell gets latency 1 if its accumulator can be read a stage later, and
`tt.self_latency` 1 if it may run into the next iteration.

Latencies that a loop has already stay as they are. `tt.num_stages` of a loop takes precedence over
the option, and pipelines loads that feed no dot, too.

Needs layouts. Changes no operation. Source: Triton, AssignLatencies.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.analysis.axis_info import ModuleAxisInfo, axis_info, write_argument_hints
from weft.ir import scf, tt
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.loop_attributes import DISALLOW_ACC_MULTI_BUFFER, NUM_STAGES, WARP_SPECIALIZE
from weft.ir.rewriting import ancestors
from weft.passes.pipelining.blackwell.mma_v5 import MMAS, operands_of
from weft.passes.pipelining.blackwell.tmem_accumulators import (
    can_multi_buffer_accumulator,
    has_loads_after,
    modifies_what_it_reads,
    needs_multi_buffering,
)
from weft.passes.pipelining.decision_records import (
    SINGLE_STAGE,
    enabled,
    record_load,
    record_rejected_loop,
    rejection_of_structure,
)
from weft.passes.pipelining.loads.load_levels import load_levels
from weft.passes.pipelining.loop_queries import (
    loops_inner_first,
    num_stages_of,
)
from weft.passes.pipelining.schedule.latencies import SELF_LATENCY, latency_of, write_latencies

__all__ = ["AssignLatencies"]

_FEWEST_STAGES = 2  # of a loop that is pipelined


class AssignLatencies(Struct, frozen=True):
    """Assigns latencies to loads and MMAs.

    Attributes:
        num_stages: The number of stages of loops that do not ask for another one.
    """

    num_stages: int = 3

    name: ClassVar[str] = "tritongpu-assign-latencies"

    def run(self, module: ModuleOp) -> None:
        """Write the attributes `tt.latency` of operations in loops."""
        latencies: dict[Operation, int] = {}
        self_latencies: dict[Operation, int] = {}
        infos: ModuleAxisInfo | None = None
        for loop in loops_inner_first(module):
            rejection = rejection_of_structure(loop)
            if rejection is not None:
                record_rejected_loop(self.name, loop, rejection)
                continue
            if num_stages_of(loop, self.num_stages) <= 1:
                if enabled():
                    _record_single_stage(loop)
                continue
            if any(latency_of(op) is not None for op in loop.block.ops):
                continue
            if infos is None:
                infos = axis_info(module)
                write_argument_hints(infos)
            latencies |= load_latencies(loop, infos, num_stages_of(loop, self.num_stages))
            self_latencies |= _assign_mma_latencies(loop, latencies)
        write_latencies(latencies)
        write_latencies(self_latencies, SELF_LATENCY)


def _record_single_stage(loop: scf.ForOp) -> None:
    """Record which loads of a loop with num_stages=1 more stages would pipeline."""
    module = loop.get_toplevel_object()
    assert isinstance(module, ModuleOp)
    infos = axis_info(module)
    write_argument_hints(infos)
    without_dot = NUM_STAGES in loop.attributes
    levels = load_levels(loop, infos, _FEWEST_STAGES, without_dot=without_dot)
    for load in levels:
        record_load(AssignLatencies.name, load, loop, SINGLE_STAGE)


def load_latencies(loop: scf.ForOp, infos: ModuleAxisInfo, num_stages: int) -> dict[Operation, int]:
    """Compute the latencies of the loads of a loop that are pipelined."""
    levels = load_levels(loop, infos, num_stages, without_dot=NUM_STAGES in loop.attributes)
    last_level = max((entry.level for entry in levels.values()), default=0)
    latency = (num_stages - 1) // (last_level + 1)
    return dict.fromkeys(levels, latency)


def _assign_mma_latencies(loop: scf.ForOp, latencies: dict[Operation, int]) -> dict[Operation, int]:
    """Assign latencies to the MMAs of Blackwell in a loop.

    Args:
        loop: The loop.
        latencies: The latencies of its loads; those of MMAs are added.

    Returns:
        The self latencies of MMAs.
    """
    self_latencies: dict[Operation, int] = {}
    if any(isinstance(op, tt.DotOp) for op in loop.block.ops):
        # All iterations would be predicated only to place one wait.
        return self_latencies

    def is_pipelined(load: Operation) -> bool:
        return latencies.get(load, 0) > 0

    def is_pipelined_by_tma(load: Operation) -> bool:
        return is_pipelined(load) and not isinstance(load, tt.LoadOp)

    for mma in [op for op in loop.block.ops if isinstance(op, MMAS)]:
        operands = operands_of(mma, loop, is_pipelined)
        waits_before_loads = operands.is_known and not has_loads_after(mma, loop)
        if not operands.is_pipelined and not waits_before_loads:
            continue
        self_latencies[mma] = 1
        is_allowed = DISALLOW_ACC_MULTI_BUFFER not in loop.attributes
        if not needs_multi_buffering(mma, loop) or (
            is_allowed and can_multi_buffer_accumulator(mma, loop)
        ):
            latencies[mma] = 1
        if not _is_warp_specialized(loop):
            continue
        # Users of the accumulator are in another partition, and do not delay the next MMA.
        if modifies_what_it_reads(mma, loop):
            latencies.pop(mma, None)
        else:
            latencies[mma] = latencies.get(mma, 0) + 1
        operands = operands_of(mma, loop, is_pipelined_by_tma)
        blocks = any(isinstance(op, tt.LoadOp) for op in operands.blocking)
        if operands.is_pipelined or (operands.is_known and not blocks):
            self_latencies[mma] = 0
    return self_latencies


def _is_warp_specialized(loop: scf.ForOp) -> bool:
    """Check whether a loop, or one around it, is to be warp-specialized."""
    nest = [loop, *(op for op in ancestors(loop) if isinstance(op, scf.ForOp))]
    return any(WARP_SPECIALIZE in op.attributes for op in nest)
