"""The registry of passes: each pass by its name, imported on first use.

One rule, four names: `passes/common/symbol_dce.py` ⇔ class `SymbolDce` ⇔ pass `symbol-dce` ⇔ test
`tests/passes/common/symbol_dce.mlir`. A pass that Triton or MLIR has carries their name.

A pass is a frozen Struct whose fields are its options. Text spells an option with dashes:
`num_warps: int = 4` is `num-warps=4`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import ClassVar, Protocol, cast, runtime_checkable

from msgspec import Struct
from msgspec.structs import FieldInfo, fields

from weft.errors import UnknownPassError, did_you_mean
from weft.ir.builtin import ModuleOp

__all__ = ["REGISTRY", "Pass", "describe", "load", "pass_class"]

REGISTRY: dict[str, str] = {
    "canonicalize": "weft.passes.common.canonicalize:Canonicalize",
    "convert-scf-to-cf": "weft.passes.common.convert_scf_to_cf:ConvertScfToCf",
    "cse": "weft.passes.common.cse:Cse",
    "inline": "weft.passes.common.inline:Inline",
    "triton-licm": "weft.passes.common.licm:Licm",
    "triton-loop-aware-cse": "weft.passes.common.loop_aware_cse:LoopAwareCse",
    "sccp": "weft.passes.common.sccp:Sccp",
    "strip-debuginfo": "weft.passes.common.strip_debuginfo:StripDebuginfo",
    "symbol-dce": "weft.passes.common.symbol_dce:SymbolDce",
    "triton-combine": "weft.passes.ttir.combine:Combine",
    "gluon-canonicalize": "weft.passes.gluon.canonicalize:Canonicalize",
    "gluon-infer-coalesced-encodings": (
        "weft.passes.gluon.infer_coalesced_encodings:InferCoalescedEncodings"
    ),
    "gluon-inline": "weft.passes.gluon.inline:Inline",
    "gluon-resolve-auto-encodings": (
        "weft.passes.gluon.resolve_auto_encodings:ResolveAutoEncodings"
    ),
    "nvgpu-test-taskid-propagate": "weft.passes.nvidia.taskid_propagate:TaskidPropagate",
    "nvgpu-test-ws-code-partition": "weft.passes.nvidia.ws_code_partition:WsCodePartition",
    "nvgpu-test-ws-data-partition": "weft.passes.nvidia.ws_data_partition:WsDataPartition",
    "nvgpu-test-ws-task-partition": "weft.passes.nvidia.ws_task_partition:WsTaskPartition",
    "triton-test-loop-peeling": "weft.passes.loops.loop_peeling:LoopPeeling",
    "tritongpu-test-pipeline-lower-loop": (
        "weft.passes.loops.pipeline_lower_loop:PipelineLowerLoop"
    ),
    "relayout-tritongpu": "weft.passes.ttgir.relayout_tritongpu:RelayoutTritongpu",
    "convert-triton-to-tritongpu": (
        "weft.passes.ttir.convert_triton_to_tritongpu:ConvertTritonToTritongpu"
    ),
    "triton-loop-unroll": "weft.passes.ttir.loop_unroll:LoopUnroll",
    "triton-reorder-broadcast": "weft.passes.ttir.reorder_broadcast:ReorderBroadcast",
    "triton-rewrite-tensor-descriptor-to-pointer": (
        "weft.passes.ttir.rewrite_tensor_descriptor_to_pointer:RewriteTensorDescriptorToPointer"
    ),
    "triton-rewrite-tensor-pointer": "weft.passes.ttir.rewrite_tensor_pointer:RewriteTensorPointer",
    "tritongpu-allocate-warp-groups": ("weft.passes.ttgir.allocate_warp_groups:AllocateWarpGroups"),
    "tritongpu-coalesce": "weft.passes.ttgir.coalesce:Coalesce",
    "tritongpu-combine-tensor-select-and-if": (
        "weft.passes.ttgir.combine_tensor_select_and_if:CombineTensorSelectAndIf"
    ),
    "tritongpu-F32DotTC": "weft.passes.ttgir.f32_dot_tc:F32DotTc",
    "tritongpu-fuse-nested-loops": "weft.passes.ttgir.fuse_nested_loops:FuseNestedLoops",
    "tritongpu-optimize-thread-locality": (
        "weft.passes.ttgir.optimize_thread_locality:OptimizeThreadLocality"
    ),
    "tritongpu-prefetch": "weft.passes.ttgir.prefetch:Prefetch",
    "print-axis-info": "weft.passes.ttgir.print_axis_info:PrintAxisInfo",
    "tritongpu-reduce-data-duplication": (
        "weft.passes.ttgir.reduce_data_duplication:ReduceDataDuplication"
    ),
    "tritongpu-remove-layout-conversions": (
        "weft.passes.ttgir.remove_layout_conversions:RemoveLayoutConversions"
    ),
    "tritongpu-reorder-instructions": "weft.passes.ttgir.reorder_instructions:ReorderInstructions",
    "weft-narrow-masked-accesses": (
        "weft.passes.ttgir.narrow_masked_accesses:NarrowMaskedAccesses"
    ),
    "allocate-shared-memory": "weft.passes.ttgir.allocate_shared_memory:AllocateSharedMemory",
    "tritongpu-global-scratch-memory-allocation": (
        "weft.passes.ttgir.global_scratch_memory_allocation:GlobalScratchMemoryAllocation"
    ),
    "allocate-amdgpu-shared-memory": (
        "weft.passes.amd.allocate_amdgpu_shared_memory:AllocateAmdgpuSharedMemory"
    ),
    "allocate-shared-memory-nv": (
        "weft.passes.nvidia.allocate_shared_memory_nv:AllocateSharedMemoryNv"
    ),
    "tritongpu-assign-latencies": "weft.passes.loops.assign_latencies:AssignLatencies",
    "tritongpu-automatic-warp-specialization": (
        "weft.passes.loops.automatic_warp_specialization:AutomaticWarpSpecialization"
    ),
    "tritongpu-hoist-tmem-alloc": "weft.passes.loops.hoist_tmem_alloc:HoistTmemAlloc",
    "tritongpu-optimize-accumulator-init": (
        "weft.passes.loops.optimize_accumulator_init:OptimizeAccumulatorInit"
    ),
    "tritongpu-partition-loops": "weft.passes.loops.partition_loops:PartitionLoops",
    "tritongpu-partition-scheduling": (
        "weft.passes.loops.partition_scheduling:PartitionScheduling"
    ),
    "tritongpu-optimize-partition-warps": (
        "weft.passes.loops.optimize_partition_warps:OptimizePartitionWarps"
    ),
    "tritongpu-pipeline": "weft.passes.loops.pipeline:Pipeline",
    "tritongpu-schedule-loops": "weft.passes.loops.schedule_loops:ScheduleLoops",
    "convert-warp-pipeline": "weft.passes.amd.convert_warp_pipeline:ConvertWarpPipeline",
    "triton-amdgpu-insert-instruction-sched-hints": (
        "weft.passes.amd.insert_instruction_sched_hints:InsertInstructionSchedHints"
    ),
    "nvws-assign-stage-phase": "weft.passes.nvws.assign_stage_phase:AssignStagePhase",
    "nvws-hoist-tmem-store": "weft.passes.nvws.hoist_tmem_store:HoistTmemStore",
    "nvws-insert-aref": "weft.passes.nvws.insert_aref:InsertAref",
    "nvws-insert-tmem-aref": "weft.passes.nvws.insert_tmem_aref:InsertTmemAref",
    "nvws-lower-aref": "weft.passes.nvws.lower_aref:LowerAref",
    "nvws-lower-warp-group": "weft.passes.nvws.lower_warp_group:LowerWarpGroup",
    "tritonamdgpu-accelerate-matmul": "weft.passes.amd.accelerate_matmul:AccelerateMatmul",
    "tritonamdgpu-block-pingpong": "weft.passes.amd.block_pingpong:BlockPingpong",
    "tritonamdgpu-canonicalize-pointers": (
        "weft.passes.amd.canonicalize_pointers:CanonicalizePointers"
    ),
    "tritonamdgpu-coalesce-async-copy": "weft.passes.amd.coalesce_async_copy:CoalesceAsyncCopy",
    "tritonamdgpu-convert-buffer-ops": "weft.passes.amd.convert_buffer_ops:ConvertBufferOps",
    "tritonamdgpu-convert-tensor-ops": "weft.passes.amd.convert_tensor_ops:ConvertTensorOps",
    "tritonamdgpu-fold-true-cmpi": "weft.passes.amd.fold_true_cmpi:FoldTrueCmpi",
    "tritonamdgpu-hoist-layout-conversions": (
        "weft.passes.amd.hoist_layout_conversions:HoistLayoutConversions"
    ),
    "tritonamdgpu-in-thread-transpose": "weft.passes.amd.in_thread_transpose:InThreadTranspose",
    "tritonamdgpu-move-up-prologue-loads": (
        "weft.passes.amd.move_up_prologue_loads:MoveUpPrologueLoads"
    ),
    "tritonamdgpu-optimize-dot-operands": (
        "weft.passes.amd.optimize_dot_operands:OptimizeDotOperands"
    ),
    "tritonamdgpu-optimize-epilogue": "weft.passes.amd.optimize_epilogue:OptimizeEpilogue",
    "tritonamdgpu-pipeline": "weft.passes.amd.pipeline:Pipeline",
    "tritonamdgpu-prepare-if-combining": "weft.passes.amd.prepare_if_combining:PrepareIfCombining",
    "tritonamdgpu-schedule-loops": "weft.passes.amd.schedule_loops:ScheduleLoops",
    "tritonamdgpu-sink-layout-conversions": (
        "weft.passes.amd.sink_layout_conversions:SinkLayoutConversions"
    ),
    "tritonamdgpu-update-async-wait-count": (
        "weft.passes.amd.update_async_wait_count:UpdateAsyncWaitCount"
    ),
    "tritonamdgpu-warp-pipeline": "weft.passes.amd.warp_pipeline:WarpPipeline",
    "tritongpu-accelerate-matmul": "weft.passes.nvidia.accelerate_matmul:AccelerateMatmul",
    "triton-nvidia-check-matmul-two-cta": (
        "weft.passes.nvidia.check_matmul_two_cta:CheckMatmulTwoCta"
    ),
    "tritongpu-coalesce-async-copy": "weft.passes.nvidia.coalesce_async_copy:CoalesceAsyncCopy",
    "triton-nvidia-gpu-fence-insertion": "weft.passes.nvidia.fence_insertion:FenceInsertion",
    "triton-nvidia-interleave-tmem": "weft.passes.nvidia.interleave_tmem:InterleaveTmem",
    "triton-nvidia-mma-lowering": "weft.passes.nvidia.mma_lowering:MmaLowering",
    "triton-nvidia-optimize-descriptor-encoding": (
        "weft.passes.nvidia.optimize_descriptor_encoding:OptimizeDescriptorEncoding"
    ),
    "tritongpu-optimize-dot-operands": (
        "weft.passes.nvidia.optimize_dot_operands:OptimizeDotOperands"
    ),
    "triton-nvidia-optimize-tmem-layouts": (
        "weft.passes.nvidia.optimize_tmem_layouts:OptimizeTmemLayouts"
    ),
    "triton-nvidia-gpu-plan-cta": "weft.passes.nvidia.plan_cta:PlanCta",
    "tritongpu-promote-lhs-to-tmem": "weft.passes.nvidia.promote_lhs_to_tmem:PromoteLhsToTmem",
    "triton-nvidia-gpu-remove-tmem-tokens": (
        "weft.passes.nvidia.remove_tmem_tokens:RemoveTmemTokens"
    ),
    "triton-nvidia-gpu-proxy-fence-insertion": (
        "weft.passes.nvidia.proxy_fence_insertion:ProxyFenceInsertion"
    ),
    "triton-tensor-memory-allocation": (
        "weft.passes.nvidia.tensor_memory_allocation:TensorMemoryAllocation"
    ),
    "test-print-alias": "weft.passes.printers.print_alias:PrintAlias",
    "test-print-alignment": "weft.passes.printers.print_alignment:PrintAlignment",
    "test-print-amd-alignment": "weft.passes.printers.print_amd_alignment:PrintAmdAlignment",
    "test-print-membar": "weft.passes.printers.print_membar:PrintMembar",
    "test-tritonamdgpu-membar": "weft.passes.printers.membar:Membar",
    "test-tritonamdgpu-range-analysis": "weft.passes.printers.range_analysis:RangeAnalysis",
    "test-print-buffer-region": ("weft.passes.printers.print_buffer_region:PrintBufferRegion"),
    "test-print-allocation": "weft.passes.printers.print_allocation:PrintAllocation",
    "share-pointer-offsets": "weft.passes.nvidia.share_pointer_offsets:SharePointerOffsets",
    "nvgpu-warp-specialization": "weft.passes.nvidia.warp_specialization:WarpSpecialization",
    "triton-nvidia-tma-lowering": "weft.passes.nvidia.tma_lowering:TmaLowering",
}
"""The "module:class" of each pass, by its name."""


@runtime_checkable
class Pass(Protocol):
    """A transformation of a module: a frozen Struct with a name and options as fields."""

    name: ClassVar[str]
    __struct_fields__: ClassVar[tuple[str, ...]]

    def run(self, module: ModuleOp) -> None:
        """Transform a module in place."""
        ...


def pass_class(name: str) -> type[Pass]:
    """Import the class of a pass.

    Raises:
        UnknownPassError: No pass has this name.
    """
    entry = REGISTRY.get(name)
    if entry is None:
        raise UnknownPassError(
            f"unknown pass {name}",
            found=name,
            accepted=sorted(REGISTRY),
            hint=did_you_mean(name, REGISTRY),
        )
    module, _, class_name = entry.partition(":")
    return getattr(importlib.import_module(module), class_name)


def describe(name: str) -> str:
    """Find the one-line description of a pass: the first line of its module's docstring.

    Raises:
        UnknownPassError: No pass has this name.
    """
    pass_class(name)
    module = importlib.import_module(REGISTRY[name].partition(":")[0])
    return (module.__doc__ or "").strip().partition("\n")[0]


def load(name: str, options: Mapping[str, object] | None = None) -> Pass:
    """Create a pass from its name and options.

    Args:
        name: The registered name.
        options: By name as text spells it (`num-warps`) or as a field (`num_warps`). A value has
            the type of the field, or is text.

    Raises:
        UnknownPassError: The pass or an option does not exist, an option is missing, or a value
            has the wrong type.
    """
    cls = pass_class(name)
    known = {field.name.replace("_", "-"): field for field in fields(cast("type[Struct]", cls))}
    values: dict[str, object] = {}
    for option, value in (options or {}).items():
        field = known.get(option.replace("_", "-"))
        if field is None:
            raise UnknownPassError(
                f"pass {name} has no option {option}",
                found=option,
                accepted=sorted(known) or ["no options"],
                hint=did_you_mean(option, known),
            )
        values[field.name] = _convert(name, option, field, value)
    _check_complete(name, known, values)
    return cast("Callable[..., Pass]", cls)(**values)


def _check_complete(
    name: str, known: Mapping[str, FieldInfo], values: Mapping[str, object]
) -> None:
    missing = [
        option for option, field in known.items() if field.required and field.name not in values
    ]
    if missing:
        raise UnknownPassError(
            f"pass {name} needs {', '.join(missing)}",
            found=", ".join(values) or "no options",
            hint=f"write {name}{{{' '.join(f'{option}=…' for option in missing)}}}",
        )


_TYPE_NAMES = {"int": "an integer", "bool": "true or false", "str": "text"}
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def _convert(name: str, option: str, field: FieldInfo, value: object) -> object:
    """Convert the value of an option to the type of its field."""
    type_name: str = field.type.__name__
    converted: object = value if type(value).__name__ == type_name else None
    if converted is None and isinstance(value, str):
        if type_name == "bool":
            converted = _BOOLEANS.get(value.lower())
        elif type_name == "int" and value.removeprefix("-").isdigit():
            converted = int(value)
    if converted is None:
        accepted = _TYPE_NAMES.get(type_name, type_name)
        raise UnknownPassError(
            f"pass {name}: option {option} is {accepted}", found=value, accepted=[accepted]
        )
    return converted
