"""The pipeline for AMD GPUs."""

from __future__ import annotations

from weft.passes import Pass
from weft.passes.amd.accelerate_matmul import AccelerateMatmul
from weft.passes.amd.block_pingpong import BlockPingpong
from weft.passes.amd.canonicalize_pointers import CanonicalizePointers
from weft.passes.amd.coalesce_async_copy import CoalesceAsyncCopy
from weft.passes.amd.convert_buffer_ops import ConvertBufferOps
from weft.passes.amd.convert_tensor_ops import ConvertTensorOps
from weft.passes.amd.fold_true_cmpi import FoldTrueCmpi
from weft.passes.amd.hoist_layout_conversions import HoistLayoutConversions
from weft.passes.amd.in_thread_transpose import InThreadTranspose
from weft.passes.amd.insert_instruction_sched_hints import InsertInstructionSchedHints
from weft.passes.amd.move_up_prologue_loads import MoveUpPrologueLoads
from weft.passes.amd.optimize_dot_operands import OptimizeDotOperands
from weft.passes.amd.optimize_epilogue import OptimizeEpilogue
from weft.passes.amd.pipeline import Pipeline
from weft.passes.amd.prepare_if_combining import PrepareIfCombining
from weft.passes.amd.schedule_loops import ScheduleLoops
from weft.passes.amd.sink_layout_conversions import SinkLayoutConversions
from weft.passes.common.canonicalize import Canonicalize
from weft.passes.common.cse import Cse
from weft.passes.common.licm import Licm
from weft.passes.common.symbol_dce import SymbolDce
from weft.passes.ttgir.coalesce import Coalesce
from weft.passes.ttgir.f32_dot_tc import F32DotTc
from weft.passes.ttgir.fuse_nested_loops import FuseNestedLoops
from weft.passes.ttgir.optimize_thread_locality import OptimizeThreadLocality
from weft.passes.ttgir.reduce_data_duplication import ReduceDataDuplication
from weft.passes.ttgir.remove_layout_conversions import RemoveLayoutConversions
from weft.pipelines import ttir
from weft.pipelines.convert import convert
from weft.pipelines.stage import LaunchOptions, Stage
from weft.targets import Target

__all__ = ["stages"]


def stages(target: Target, options: LaunchOptions) -> tuple[Stage, ...]:
    """List the stages for an AMD GPU."""
    return (
        Stage(
            "ttir",
            # Hoist loads here: no pass over TTGIR hoists them for AMD.
            ttir.passes(tensor_descriptors=target.tensor_descriptors, hoist=True),
            ir="ttir",
        ),
        Stage("convert", convert(target, options)),
        Stage("layout", layout(target, options)),
        Stage("loops", loops(target, options)),
        Stage("final", final(target, options)),
    )


def layout(target: Target, options: LaunchOptions) -> tuple[Pass, ...]:
    """Choose layouts for memory accesses and dots, and remove conversions between them."""
    return (
        Coalesce(),
        # AMD matrix cores take f32 and bf16, so emulation by tf32 gains nothing.
        F32DotTc(emu_tf32=False),
        # Connect memory accesses to dots: the next passes match through use-def chains.
        RemoveLayoutConversions(),
        OptimizeThreadLocality(),
        AccelerateMatmul(
            arch_generation_name=str(target.arch),
            kPack=min(options.kpack, target.max_kpack),
            matrix_instruction_size=options.matrix_instr_nonkdim,
        ),
        RemoveLayoutConversions(),  # again, because dots have new layouts
        OptimizeEpilogue(),
        OptimizeDotOperands(arch_generation_name=str(target.arch)),
        HoistLayoutConversions(),
        # After hoisting: conversions sunk below the last read of a hoisted operand's buffer
        # can reuse that buffer.
        SinkLayoutConversions(),
    )


def loops(target: Target, options: LaunchOptions) -> tuple[Pass, ...]:
    """Pipeline loops: overlap the loads of later iterations with the dots of this one."""
    is_async = bool(options.use_async_copy)
    return (
        FuseNestedLoops(),
        Canonicalize(),
        Licm(),
        Canonicalize(),
        ScheduleLoops(num_stages=options.num_stages),
        Pipeline(use_async_copy=is_async, use_pingpong=uses_pingpong(target, options)),
        *((CoalesceAsyncCopy(arch_generation_name=str(target.arch)),) if is_async else ()),
        ConvertTensorOps(),
        Canonicalize(),
        *(InsertInstructionSchedHints(variant=hint) for hint in options.schedule_hints),
    )


def final(target: Target, options: LaunchOptions) -> tuple[Pass, ...]:
    """Clean up after loop transformations and turn accesses into buffer operations."""
    has_pingpong = options.num_stages > 1 and uses_pingpong(target, options)
    return (
        RemoveLayoutConversions(),
        ReduceDataDuplication(),
        # Transpose in registers where LDS has no transposing read.
        *((InThreadTranspose(), RemoveLayoutConversions()) if transposes(target, options) else ()),
        MoveUpPrologueLoads(),
        *((BlockPingpong(options.num_stages),) if has_pingpong else ()),
        *(buffer_ops(target, options) if options.use_buffer_ops else ()),
        FoldTrueCmpi(),
        PrepareIfCombining(),
        Canonicalize(),  # merges the ifs that are adjacent now
        Cse(),
        SymbolDce(),
    )


def buffer_ops(target: Target, options: LaunchOptions) -> tuple[Pass, ...]:
    """Access global memory by a scalar base and 32-bit offsets."""
    return (
        CanonicalizePointers(),
        Canonicalize(),  # ConvertBufferOps matches folded base + offset
        ConvertBufferOps(
            arch_generation_name=str(target.arch),
            allow_buffer_atomics=options.use_buffer_atomics,
            analyze_small_tensor_ofst=options.buffer_ops_analyze_small_tensor_range,
        ),
    )


def transposes(target: Target, options: LaunchOptions) -> bool:
    """Decide whether dot operands are transposed in registers."""
    choice = options.use_in_thread_transpose
    return target.in_thread_transpose if choice is None else choice


def uses_pingpong(target: Target, options: LaunchOptions) -> bool:
    """Decide whether loops are scheduled for two warps per SIMD."""
    if options.use_block_pingpong is None:
        is_default = target.block_pingpong == "async" and options.use_async_copy
        return target.block_pingpong == "always" or bool(is_default)
    return options.use_block_pingpong
