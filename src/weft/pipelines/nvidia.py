"""The pipeline for NVIDIA GPUs."""

from __future__ import annotations

from weft.passes import Pass
from weft.passes.common.canonicalize import Canonicalize
from weft.passes.common.cse import Cse
from weft.passes.common.licm import Licm
from weft.passes.common.loop_aware_cse import LoopAwareCse
from weft.passes.common.sccp import Sccp
from weft.passes.common.symbol_dce import SymbolDce
from weft.passes.loops.assign_latencies import AssignLatencies
from weft.passes.loops.pipeline import Pipeline
from weft.passes.loops.schedule_loops import ScheduleLoops
from weft.passes.nvidia.accelerate_matmul import AccelerateMatmul
from weft.passes.nvidia.coalesce_async_copy import CoalesceAsyncCopy
from weft.passes.nvidia.fence_insertion import FenceInsertion
from weft.passes.nvidia.interleave_tmem import InterleaveTmem
from weft.passes.nvidia.mma_lowering import MmaLowering
from weft.passes.nvidia.optimize_descriptor_encoding import OptimizeDescriptorEncoding
from weft.passes.nvidia.optimize_dot_operands import OptimizeDotOperands
from weft.passes.nvidia.optimize_tmem_layouts import OptimizeTmemLayouts
from weft.passes.nvidia.plan_cta import PlanCta
from weft.passes.nvidia.tma_lowering import TmaLowering
from weft.passes.nvidia.warp_specialization import WarpSpecialization
from weft.passes.ttgir.coalesce import Coalesce
from weft.passes.ttgir.combine_tensor_select_and_if import CombineTensorSelectAndIf
from weft.passes.ttgir.f32_dot_tc import F32DotTc
from weft.passes.ttgir.fuse_nested_loops import FuseNestedLoops
from weft.passes.ttgir.optimize_thread_locality import OptimizeThreadLocality
from weft.passes.ttgir.prefetch import Prefetch
from weft.passes.ttgir.reduce_data_duplication import ReduceDataDuplication
from weft.passes.ttgir.remove_layout_conversions import RemoveLayoutConversions
from weft.passes.ttgir.reorder_instructions import ReorderInstructions
from weft.pipelines import ttir
from weft.pipelines.convert import convert
from weft.pipelines.stage import LaunchOptions, Stage
from weft.targets import Target

__all__ = ["stages"]

_AMPERE = 80  # the first compute capability with dots on tensor cores, and cp.async
_BLACKWELL = 100  # the first compute capability with passes for tensor memory


def stages(target: Target, options: LaunchOptions) -> tuple[Stage, ...]:
    """List the stages for an NVIDIA GPU."""
    return (
        Stage(
            "ttir",
            # Do not hoist yet: the pipeliner over TTGIR wants loads inside their loops.
            ttir.passes(tensor_descriptors=target.tensor_descriptors, hoist=False),
            ir="ttir",
        ),
        Stage("convert", convert(target, options)),
        Stage("layout", layout(target)),
        Stage("loops", loops(target, options)),
        Stage("final", final(target)),
    )


def layout(target: Target) -> tuple[Pass, ...]:
    """Choose layouts for memory accesses and dots, and remove conversions between them."""
    return (
        Coalesce(),
        F32DotTc(emu_tf32=int(target.arch) >= _AMPERE),
        PlanCta(),
        # Connect memory accesses to dots: the next passes match through use-def chains.
        RemoveLayoutConversions(),
        OptimizeThreadLocality(),
        AccelerateMatmul(),
        RemoveLayoutConversions(),  # again, because dots have new layouts
        OptimizeDotOperands(hoist_layout_conversion=int(target.arch) >= _AMPERE),
        # After dots: their operands decide the shared layout of a descriptor's block.
        OptimizeDescriptorEncoding(),
        LoopAwareCse(),
    )


def loops(target: Target, options: LaunchOptions) -> tuple[Pass, ...]:
    """Pipeline loops: overlap the loads of later iterations with the dots of this one."""
    if int(target.arch) >= _BLACKWELL:
        # The passes for tensor memory are fifty modules, which other chips do not need.
        from weft.pipelines import blackwell_loops

        return blackwell_loops.passes(options)
    if int(target.arch) < _AMPERE:
        return (Licm(),)  # without cp.async, loops are not pipelined
    num_stages = options.num_stages
    return (
        FuseNestedLoops(),
        Canonicalize(),
        Licm(),
        Canonicalize(),
        CombineTensorSelectAndIf(),
        WarpSpecialization(num_stages=num_stages),
        AssignLatencies(num_stages=num_stages),
        ScheduleLoops(),
        Pipeline(num_stages=num_stages),
    )


def final(target: Target) -> tuple[Pass, ...]:
    """Prefetch dot operands, lower TMA and MMA operations, and clean up."""
    return (
        Canonicalize(),
        LoopAwareCse(),
        Prefetch(),
        # Again, because Prefetch sliced the operands.
        OptimizeDotOperands(hoist_layout_conversion=int(target.arch) >= _AMPERE),
        CoalesceAsyncCopy(),
        OptimizeTmemLayouts(),
        *((TmaLowering(),) if target.tensor_descriptors else ()),
        RemoveLayoutConversions(),
        InterleaveTmem(),
        ReduceDataDuplication(),
        ReorderInstructions(),
        LoopAwareCse(),
        SymbolDce(),
        FenceInsertion(compute_capability=int(target.arch)),
        MmaLowering(),
        Sccp(),
        Cse(),
        Canonicalize(),
    )
