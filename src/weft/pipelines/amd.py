"""The pipeline for AMD chips."""

from __future__ import annotations

from weft.passes import Pass
from weft.passes.amd.accelerate_matmul import AccelerateMatmul
from weft.passes.amd.canonicalize_pointers import CanonicalizePointers
from weft.passes.amd.convert_buffer_ops import ConvertBufferOps
from weft.passes.amd.convert_tensor_ops import ConvertTensorOps
from weft.passes.amd.fold_true_cmpi import FoldTrueCmpi
from weft.passes.amd.hoist_layout_conversions import HoistLayoutConversions
from weft.passes.amd.in_thread_transpose import InThreadTranspose
from weft.passes.amd.move_up_prologue_loads import MoveUpPrologueLoads
from weft.passes.amd.optimize_dot_operands import OptimizeDotOperands
from weft.passes.amd.optimize_epilogue import OptimizeEpilogue
from weft.passes.amd.prepare_if_combining import PrepareIfCombining
from weft.passes.amd.sink_layout_conversions import SinkLayoutConversions
from weft.passes.ttgir.coalesce import Coalesce
from weft.passes.ttgir.f32_dot_tc import F32DotTc
from weft.passes.ttgir.fuse_nested_loops import FuseNestedLoops
from weft.passes.ttgir.optimize_thread_locality import OptimizeThreadLocality
from weft.passes.ttgir.reduce_data_duplication import ReduceDataDuplication
from weft.passes.ttgir.remove_layout_conversions import RemoveLayoutConversions
from weft.passes.ttir.canonicalize import Canonicalize
from weft.passes.ttir.cse import Cse
from weft.passes.ttir.licm import Licm
from weft.passes.ttir.symbol_dce import SymbolDce
from weft.pipelines import ttir
from weft.pipelines.convert import convert
from weft.pipelines.stage import LaunchOptions, Stage
from weft.targets import Target

__all__ = ["stages"]


def stages(target: Target, options: LaunchOptions) -> tuple[Stage, ...]:
    """Return the stages for an AMD chip."""
    return (
        Stage(
            "ttir",
            # Loads are hoisted here because no later AMD pass does it.
            ttir.passes(tensor_descriptors=target.tensor_descriptors, hoist=True),
            ir="ttir",
        ),
        Stage("convert", convert(target, options)),
        Stage("layout", layout(target, options)),
        Stage("loops", ()),
        Stage("final", final(target)),
    )


def layout(target: Target, options: LaunchOptions) -> tuple[Pass, ...]:
    """Give accesses and dots the layouts that pay, and take out what lies between."""
    return (
        Coalesce(),
        F32DotTc(emu_tf32=False),  # matrix units here take f32 or bf16, so tf32 gains nothing
        RemoveLayoutConversions(),  # so that what follows sees accesses next to dots
        OptimizeThreadLocality(),
        AccelerateMatmul(
            arch_generation_name=str(target.arch),
            kPack=min(options.kpack, target.max_kpack),
            matrix_instruction_size=options.matrix_instr_nonkdim,
        ),
        RemoveLayoutConversions(),  # again: dots have asked for new layouts
        OptimizeEpilogue(),
        OptimizeDotOperands(arch_generation_name=str(target.arch)),
        HoistLayoutConversions(),
        SinkLayoutConversions(),  # last: buffers of operands that were hoisted may be free by then
    )


def final(target: Target) -> tuple[Pass, ...]:
    """Undo what the loops' shape made needless, address memory through buffers, tidy up."""
    return (
        FuseNestedLoops(),  # Triton fuses in front of its pipeliner; so will the stage `loops`
        Canonicalize(),
        Licm(),
        Canonicalize(),
        ConvertTensorOps(),
        Canonicalize(),
        RemoveLayoutConversions(),
        ReduceDataDuplication(),
        # Turning tiles in registers pays where shared memory has no transposing read.
        *((InThreadTranspose(), RemoveLayoutConversions()) if target.in_thread_transpose else ()),
        MoveUpPrologueLoads(),
        CanonicalizePointers(),
        Canonicalize(),  # so that buffers find base and offset side by side
        ConvertBufferOps(arch_generation_name=str(target.arch)),
        FoldTrueCmpi(),
        PrepareIfCombining(),
        Canonicalize(),  # combines the conditionals that stand side by side now
        Cse(),
        SymbolDce(),
    )
