"""The stage `loops` of NVIDIA GPUs with tensor memory (compute capability 10.0 and later)."""

from __future__ import annotations

from weft.passes import Pass
from weft.passes.common.canonicalize import Canonicalize
from weft.passes.common.licm import Licm
from weft.passes.loops.assign_latencies import AssignLatencies
from weft.passes.loops.automatic_warp_specialization import AutomaticWarpSpecialization
from weft.passes.loops.hoist_tmem_alloc import HoistTmemAlloc
from weft.passes.loops.optimize_accumulator_init import OptimizeAccumulatorInit
from weft.passes.loops.optimize_partition_warps import OptimizePartitionWarps
from weft.passes.loops.pipeline import Pipeline
from weft.passes.loops.schedule_loops import ScheduleLoops
from weft.passes.nvidia.promote_lhs_to_tmem import PromoteLhsToTmem
from weft.passes.nvidia.remove_tmem_tokens import RemoveTmemTokens
from weft.passes.ttgir.combine_tensor_select_and_if import CombineTensorSelectAndIf
from weft.passes.ttgir.fuse_nested_loops import FuseNestedLoops
from weft.pipelines.stage import LaunchOptions

__all__ = ["passes"]


def passes(options: LaunchOptions) -> tuple[Pass, ...]:
    """Pipeline loops, with accumulators in tensor memory, and specialize warps."""
    num_stages = options.num_stages
    return (
        FuseNestedLoops(),
        Canonicalize(),
        Licm(),
        # Accumulators stay in tensor memory across iterations.
        OptimizeAccumulatorInit(),
        HoistTmemAlloc(hoist_out_of_if=False),
        PromoteLhsToTmem(),
        AssignLatencies(num_stages=num_stages),
        ScheduleLoops(),
        AutomaticWarpSpecialization(num_stages=num_stages),
        Pipeline(num_stages=num_stages),
        OptimizePartitionWarps(),
        # After pipelining: before, the flags of accumulators depend on conditionals.
        CombineTensorSelectAndIf(),
        HoistTmemAlloc(hoist_out_of_if=True),
        RemoveTmemTokens(),
    )
