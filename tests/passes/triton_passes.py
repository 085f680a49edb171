"""Run Triton's passes by name, with their options in text."""

from __future__ import annotations

import os
import re
import tempfile
import traceback
from collections.abc import Callable
from typing import Any

# Name: the Python module of Triton that adds it, its function there, and its options in order.
_LAYOUT_PASSES: dict[str, tuple[str, str, tuple[tuple[str, Callable[[str], Any]], ...]]] = {
    "tritongpu-coalesce": ("ttgpuir", "coalesce", ()),
    "tritongpu-F32DotTC": ("ttgpuir", "f32_dot_tc", (("emu-tf32", lambda text: text == "true"),)),
    "tritongpu-remove-layout-conversions": ("ttgpuir", "remove_layout_conversions", ()),
    "tritongpu-optimize-thread-locality": ("ttgpuir", "optimize_thread_locality", ()),
    "tritongpu-accelerate-matmul": ("ttgpuir", "accelerate_matmul", ()),
    "tritongpu-optimize-dot-operands": (
        "ttgpuir",
        "optimize_dot_operands",
        (("hoist-layout-conversion", lambda text: text == "true"),),
    ),
    "tritongpu-assign-latencies": ("ttgpuir", "assign_latencies", (("num-stages", int),)),
    "tritongpu-schedule-loops": ("ttgpuir", "schedule_loops", ()),
    "tritongpu-pipeline": (
        "ttgpuir",
        "pipeline",
        (("num-stages", int), ("dump-intermediate-steps", lambda text: text == "true")),
    ),
    "tritongpu-optimize-accumulator-init": ("ttgpuir", "optimize_accumulator_init", ()),
    "tritongpu-hoist-tmem-alloc": (
        "ttgpuir",
        "hoist_tmem_alloc",
        (("hoist-out-of-if", lambda text: text == "true"),),
    ),
    "tritongpu-automatic-warp-specialization": (
        "ttgpuir",
        "warp_specialize",
        (("num-stages", int),),
    ),
    "tritongpu-allocate-warp-groups": ("ttgpuir", "allocate_warp_groups", ()),
    "tritongpu-optimize-partition-warps": ("ttgpuir", "optimize_partition_warps", ()),
    "tritongpu-promote-lhs-to-tmem": ("nvidia", "promote_lhs_to_tmem", ()),
    "triton-nvidia-gpu-remove-tmem-tokens": ("nvidia", "remove_tmem_tokens", ()),
    "tritongpu-reduce-data-duplication": ("ttgpuir", "reduce_data_duplication", ()),
    "tritongpu-reorder-instructions": ("ttgpuir", "reorder_instructions", ()),
    "tritongpu-fuse-nested-loops": ("ttgpuir", "fuse_nested_loops", ()),
    "tritongpu-prefetch": ("ttgpuir", "prefetch", ()),
    "tritongpu-combine-tensor-select-and-if": ("ttgpuir", "combine_tensor_select_and_if", ()),
    "tritongpu-coalesce-async-copy": ("ttgpuir", "coalesce_async_copy", ()),
    "triton-nvidia-gpu-plan-cta": ("nvidia", "plan_cta", ()),
    "triton-nvidia-optimize-descriptor-encoding": (
        "nvidia",
        "optimize_descriptor_encoding",
        (),
    ),
    "triton-nvidia-optimize-tmem-layouts": ("nvidia", "optimize_tmem_layouts", ()),
    "triton-nvidia-interleave-tmem": ("nvidia", "interleave_tmem", ()),
    "triton-nvidia-tma-lowering": ("nvidia", "tma_lowering", ()),
    "triton-nvidia-gpu-fence-insertion": (
        "nvidia",
        "fence_insertion",
        (("compute-capability", int),),
    ),
    "triton-nvidia-mma-lowering": ("nvidia", "lower_mma", ()),
    "nvgpu-warp-specialization": (
        "hopper",
        "hopper_warpspec",
        (("num-stages", int), ("dump-intermediate-steps", lambda text: text == "true")),
    ),
    "triton-nvidia-check-matmul-two-cta": ("nvidia", "check_matmul_two_cta", ()),
    "triton-nvidia-gpu-proxy-fence-insertion": (
        "nvidia",
        "proxy_fence_insertion",
        (("compute-capability", int),),
    ),
    "triton-tensor-memory-allocation": ("nvidia", "allocate_tensor_memory", ()),
    "tritonamdgpu-accelerate-matmul": (
        "amd",
        "accelerate_matmul",
        (("arch-generation-name", str), ("matrix-instruction-size", int), ("kPack", int)),
    ),
    "tritonamdgpu-optimize-epilogue": ("amd", "optimize_epilogue", ()),
    "tritonamdgpu-optimize-dot-operands": (
        "amd",
        "optimize_dot_operands",
        (("arch-generation-name", str),),
    ),
    "tritonamdgpu-hoist-layout-conversions": ("amd", "hoist_layout_conversions", ()),
    "tritonamdgpu-sink-layout-conversions": ("amd", "sink_layout_conversions", ()),
    "tritonamdgpu-in-thread-transpose": ("amd", "in_thread_transpose", ()),
    "tritonamdgpu-move-up-prologue-loads": ("amd", "move_up_prologue_loads", ()),
    "tritonamdgpu-warp-pipeline": ("amd", "warp_pipeline", ()),
    "convert-warp-pipeline": ("amd", "warp_pipeline_conversion", (("arch", str),)),
    "tritonamdgpu-block-pingpong": ("amd", "block_pingpong", (("num-stages", int),)),
    "tritonamdgpu-coalesce-async-copy": (
        "amd",
        "coalesce_async_copy",
        (("arch-generation-name", str),),
    ),
    "tritonamdgpu-canonicalize-pointers": ("amd", "canonicalize_pointers", ()),
    "tritonamdgpu-convert-tensor-ops": ("amd", "convert_to_tensor_ops", ()),
    "tritonamdgpu-fold-true-cmpi": ("amd", "fold_true_cmpi", ()),
    "tritonamdgpu-prepare-if-combining": ("amd", "prepare_if_combining", ()),
    "convert-scf-to-cf": ("convert", "scf_to_cf", ()),
    "allocate-shared-memory": ("ttgpuir", "allocate_shared_memory", ()),
    "allocate-shared-memory-nv": (
        "nvidia_ttgpuir",
        "allocate_shared_memory_nv",
        (("compute-capability", int), ("ptx-version", int)),
    ),
    "allocate-amdgpu-shared-memory": ("amd", "allocate_shared_memory", ()),
    "tritongpu-global-scratch-memory-allocation": (
        "ttgpuir",
        "allocate_global_scratch_memory",
        (),
    ),
}
_DEFAULTS = {
    "num-stages": "3",
    "dump-intermediate-steps": "false",
    "emu-tf32": "false",
    "hoist-out-of-if": "false",
    "hoist-layout-conversion": "false",
    "matrix-instruction-size": "0",
    "kPack": "1",
    "compute-capability": "80",
    "ptx-version": "80",
}


def is_known(pipeline: str) -> bool:
    """Check whether Triton has a pass of the name in a RUN line."""
    from tests.passes.ttir.test_against_triton import PASSES

    name = pipeline.partition("{")[0]
    return name in PASSES or name in _LAYOUT_PASSES


def triton_after(text: str, pipeline: str) -> str:
    """Run Triton's pass on IR, in a child process because Triton aborts on a failed assertion."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            with os.fdopen(writer, "w") as pipe:
                pipe.write(_run(text, pipeline))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text_after = pipe.read()
    os.waitpid(child, 0)
    assert text_after, f"Triton's {pipeline} failed"
    return text_after


def _run(text: str, pipeline: str) -> str:
    from triton._C.libtriton import amd, ir, nvidia, passes

    context = ir.context()
    for dialects in (ir, amd, nvidia):
        dialects.load_dialects(context)
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        module = ir.parse_mlir_module(file.name, context)
    module.context = context
    manager = ir.pass_manager(context)
    pass_modules = {
        "ttgpuir": passes.ttgpuir,
        "convert": passes.convert,
        "nvidia_ttgpuir": nvidia.passes.ttgpuir,
        "amd": amd.passes.ttgpuir,
        "nvidia": nvidia.passes.ttnvgpuir,
        "hopper": nvidia.passes.hopper,
    }
    name = pipeline.partition("{")[0]
    if name in _LAYOUT_PASSES:
        module_name, adder, options = _LAYOUT_PASSES[name]
        values = _DEFAULTS | dict(re.findall(r"([\w-]+)=([^\s,}]+)", pipeline))
        arguments = [convert(values[option]) for option, convert in options]
        getattr(pass_modules[module_name], f"add_{adder}")(manager, *arguments)
    else:
        from tests.passes.ttir.test_against_triton import PASSES

        PASSES[name](passes, manager)
    manager.run(module, name)
    return module.str_nodebug()
