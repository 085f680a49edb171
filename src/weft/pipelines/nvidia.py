"""The pipeline for NVIDIA chips."""

from __future__ import annotations

from weft.passes import Pass
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
from weft.passes.ttgir.coalesce import Coalesce
from weft.passes.ttgir.combine_tensor_select_and_if import CombineTensorSelectAndIf
from weft.passes.ttgir.f32_dot_tc import F32DotTc
from weft.passes.ttgir.fuse_nested_loops import FuseNestedLoops
from weft.passes.ttgir.optimize_thread_locality import OptimizeThreadLocality
from weft.passes.ttgir.prefetch import Prefetch
from weft.passes.ttgir.reduce_data_duplication import ReduceDataDuplication
from weft.passes.ttgir.remove_layout_conversions import RemoveLayoutConversions
from weft.passes.ttgir.reorder_instructions import ReorderInstructions
from weft.passes.ttir.canonicalize import Canonicalize
from weft.passes.ttir.cse import Cse
from weft.passes.ttir.licm import Licm
from weft.passes.ttir.loop_aware_cse import LoopAwareCse
from weft.passes.ttir.sccp import Sccp
from weft.passes.ttir.symbol_dce import SymbolDce
from weft.pipelines import ttir
from weft.pipelines.convert import convert
from weft.pipelines.stage import LaunchOptions, Stage
from weft.targets import Target

__all__ = ["stages"]


def stages(target: Target, options: LaunchOptions) -> tuple[Stage, ...]:
    """Return the stages for an NVIDIA chip."""
    return (
        Stage(
            "ttir",
            # Hoisting is left to the passes over TTGIR, where loads are pipelined.
            ttir.passes(tensor_descriptors=target.tensor_descriptors, hoist=False),
            ir="ttir",
        ),
        Stage("convert", convert(target, options)),
        Stage("layout", layout(target)),
        Stage("loops", ()),
        Stage("final", final(target)),
    )


def layout(target: Target) -> tuple[Pass, ...]:
    """Give accesses and dots the layouts that pay, and take out what lies between."""
    return (
        Coalesce(),
        F32DotTc(emu_tf32=True),  # every chip listed has tensor cores that read tf32
        PlanCta(),
        RemoveLayoutConversions(),  # so that what follows sees accesses next to dots
        OptimizeThreadLocality(),
        AccelerateMatmul(),
        RemoveLayoutConversions(),  # again: dots have asked for new layouts
        OptimizeDotOperands(hoist_layout_conversion=True),
        OptimizeDescriptorEncoding(),  # after dots, which say how tiles must lie in memory
        LoopAwareCse(),
    )


def final(target: Target) -> tuple[Pass, ...]:
    """Fetch operands ahead, order what is left, and tidy up."""
    return (
        FuseNestedLoops(),  # Triton fuses in front of its pipeliner; so will the stage `loops`
        Canonicalize(),
        Licm(),
        Canonicalize(),
        CombineTensorSelectAndIf(),
        Canonicalize(),
        LoopAwareCse(),
        Prefetch(),
        OptimizeDotOperands(hoist_layout_conversion=True),  # again: operands were cut in slices
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
