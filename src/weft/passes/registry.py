"""Every pass by its name, loaded when it is first asked for.

One rule, four names: `passes/ttir/symbol_dce.py` ⇔ class `SymbolDce` ⇔ pass `symbol-dce` ⇔ test
`tests/passes/ttir/symbol_dce.mlir`. Where Triton or MLIR have the pass, the name is theirs.

A pass is a frozen dataclass. Its fields are its options, spelled with dashes in text:
`num_warps: int = 4` is `num-warps=4`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, ClassVar, Protocol, runtime_checkable

from weft.errors import UnknownPassError, did_you_mean
from weft.ir.builtin import ModuleOp

__all__ = ["REGISTRY", "Pass", "describe", "load", "pass_class"]

REGISTRY: dict[str, str] = {
    "canonicalize": "weft.passes.common.canonicalize:Canonicalize",
    "convert-triton-to-tritongpu": (
        "weft.passes.ttir.convert_triton_to_tritongpu:ConvertTritonToTritongpu"
    ),
    "cse": "weft.passes.common.cse:Cse",
    "inline": "weft.passes.common.inline:Inline",
    "tritongpu-accelerate-matmul": ("weft.passes.nvidia.accelerate_matmul:AccelerateMatmul"),
    "tritongpu-optimize-dot-operands": (
        "weft.passes.nvidia.optimize_dot_operands:OptimizeDotOperands"
    ),
    "triton-nvidia-optimize-descriptor-encoding": (
        "weft.passes.nvidia.optimize_descriptor_encoding:OptimizeDescriptorEncoding"
    ),
    "triton-nvidia-gpu-plan-cta": "weft.passes.nvidia.plan_cta:PlanCta",
    "tritongpu-prefetch": "weft.passes.ttgir.prefetch:Prefetch",
    "triton-nvidia-gpu-fence-insertion": ("weft.passes.nvidia.fence_insertion:FenceInsertion"),
    "triton-nvidia-mma-lowering": "weft.passes.nvidia.mma_lowering:MmaLowering",
    "triton-nvidia-tma-lowering": "weft.passes.nvidia.tma_lowering:TmaLowering",
    "triton-nvidia-interleave-tmem": "weft.passes.nvidia.interleave_tmem:InterleaveTmem",
    "triton-nvidia-optimize-tmem-layouts": (
        "weft.passes.nvidia.optimize_tmem_layouts:OptimizeTmemLayouts"
    ),
    "tritongpu-F32DotTC": "weft.passes.ttgir.f32_dot_tc:F32DotTc",
    "symbol-dce": "weft.passes.common.symbol_dce:SymbolDce",
    "triton-combine": "weft.passes.ttir.combine:Combine",
    "sccp": "weft.passes.common.sccp:Sccp",
    "triton-loop-aware-cse": "weft.passes.common.loop_aware_cse:LoopAwareCse",
    "triton-loop-unroll": "weft.passes.ttir.loop_unroll:LoopUnroll",
    "triton-licm": "weft.passes.common.licm:Licm",
    "triton-rewrite-tensor-descriptor-to-pointer": (
        "weft.passes.ttir.rewrite_tensor_descriptor_to_pointer:RewriteTensorDescriptorToPointer"
    ),
    "triton-rewrite-tensor-pointer": (
        "weft.passes.ttir.rewrite_tensor_pointer:RewriteTensorPointer"
    ),
    "tritonamdgpu-optimize-epilogue": "weft.passes.amd.optimize_epilogue:OptimizeEpilogue",
    "tritonamdgpu-optimize-dot-operands": (
        "weft.passes.amd.optimize_dot_operands:OptimizeDotOperands"
    ),
    "tritonamdgpu-accelerate-matmul": "weft.passes.amd.accelerate_matmul:AccelerateMatmul",
    "tritonamdgpu-fold-true-cmpi": "weft.passes.amd.fold_true_cmpi:FoldTrueCmpi",
    "tritongpu-optimize-thread-locality": (
        "weft.passes.ttgir.optimize_thread_locality:OptimizeThreadLocality"
    ),
    "tritonamdgpu-move-up-prologue-loads": (
        "weft.passes.amd.move_up_prologue_loads:MoveUpPrologueLoads"
    ),
    "tritongpu-coalesce-async-copy": "weft.passes.nvidia.coalesce_async_copy:CoalesceAsyncCopy",
    "tritonamdgpu-in-thread-transpose": ("weft.passes.amd.in_thread_transpose:InThreadTranspose"),
    "tritonamdgpu-coalesce-async-copy": "weft.passes.amd.coalesce_async_copy:CoalesceAsyncCopy",
    "print-axis-info": "weft.passes.ttgir.print_axis_info:PrintAxisInfo",
    "tritongpu-coalesce": "weft.passes.ttgir.coalesce:Coalesce",
    "tritongpu-reduce-data-duplication": (
        "weft.passes.ttgir.reduce_data_duplication:ReduceDataDuplication"
    ),
    "tritonamdgpu-hoist-layout-conversions": (
        "weft.passes.amd.hoist_layout_conversions:HoistLayoutConversions"
    ),
    "tritonamdgpu-sink-layout-conversions": (
        "weft.passes.amd.sink_layout_conversions:SinkLayoutConversions"
    ),
    "tritongpu-remove-layout-conversions": (
        "weft.passes.ttgir.remove_layout_conversions:RemoveLayoutConversions"
    ),
    "tritongpu-reorder-instructions": (
        "weft.passes.ttgir.reorder_instructions:ReorderInstructions"
    ),
    "tritongpu-combine-tensor-select-and-if": (
        "weft.passes.ttgir.combine_tensor_select_and_if:CombineTensorSelectAndIf"
    ),
    "tritonamdgpu-prepare-if-combining": (
        "weft.passes.amd.prepare_if_combining:PrepareIfCombining"
    ),
    "tritonamdgpu-convert-tensor-ops": "weft.passes.amd.convert_tensor_ops:ConvertTensorOps",
    "tritonamdgpu-canonicalize-pointers": (
        "weft.passes.amd.canonicalize_pointers:CanonicalizePointers"
    ),
    "tritonamdgpu-convert-buffer-ops": ("weft.passes.amd.convert_buffer_ops:ConvertBufferOps"),
    "tritongpu-fuse-nested-loops": "weft.passes.ttgir.fuse_nested_loops:FuseNestedLoops",
    "triton-reorder-broadcast": "weft.passes.ttir.reorder_broadcast:ReorderBroadcast",
}


@runtime_checkable
class Pass(Protocol):
    """One step over a module: a frozen dataclass with a name, options as fields, and `run`."""

    name: ClassVar[str]

    def run(self, module: ModuleOp) -> None:
        """Change a module in place."""
        ...


def pass_class(name: str) -> type[Any]:
    """Return the class of a pass.

    Raises: UnknownPassError: no pass has that name.
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
    """Return the first line of what a pass's file says about it."""
    pass_class(name)
    module = importlib.import_module(REGISTRY[name].partition(":")[0])
    return (module.__doc__ or "").strip().partition("\n")[0]


def load(name: str, options: Mapping[str, object] | None = None) -> Pass:
    """Return a pass with its options set.

    Args: options: by their names in text (`num-warps`) or as fields (`num_warps`); a value is of
          the field's type, or text.
    Raises: UnknownPassError: no such pass, no such option, or a value of the wrong kind.
    """
    cls = pass_class(name)
    known = {field.name.replace("_", "-"): field for field in fields(cls)}
    given: dict[str, Any] = {}
    for option, value in (options or {}).items():
        field = known.get(option.replace("_", "-"))
        if field is None:
            raise UnknownPassError(
                f"pass {name} has no option {option}",
                found=option,
                accepted=sorted(known) or ["no options"],
                hint=did_you_mean(option, known),
            )
        given[field.name] = _value(name, option, field, value)
    _check_complete(name, known, given)
    return cls(**given)


def _check_complete(name: str, known: Mapping[str, Field[Any]], given: Mapping[str, Any]) -> None:
    missing = [
        option
        for option, field in known.items()
        if field.name not in given and field.default is MISSING and field.default_factory is MISSING
    ]
    if missing:
        raise UnknownPassError(
            f"pass {name} needs {', '.join(missing)}",
            found=", ".join(given) or "no options",
            hint=f"write {name}{{{' '.join(f'{option}=…' for option in missing)}}}",
        )


_KINDS = {"int": "an integer", "bool": "true or false", "str": "text"}


def _value(name: str, option: str, field: Field[Any], value: object) -> object:
    """Return a value as the field's type."""
    kind = field.type if isinstance(field.type, str) else field.type.__name__
    converted: object = value if type(value).__name__ == kind else None
    if converted is None and isinstance(value, str):
        if kind == "bool":
            converted = {"true": True, "1": True, "false": False, "0": False}.get(value.lower())
        elif kind == "int" and value.removeprefix("-").isdigit():
            converted = int(value)
    if converted is None:
        raise UnknownPassError(
            f"pass {name}: option {option} is {_KINDS.get(kind, kind)}",
            found=value,
            accepted=[_KINDS.get(kind, kind)],
        )
    return converted
