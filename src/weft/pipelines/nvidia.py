"""The pipeline for NVIDIA chips."""

from __future__ import annotations

from weft.passes import Pass, named
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
        named("tritongpu-coalesce"),
        # every chip listed has tensor cores that read tf32
        named("tritongpu-F32DotTC", emu_tf32=True),
        named("triton-nvidia-gpu-plan-cta"),
        # so that what follows sees accesses next to dots
        named("tritongpu-remove-layout-conversions"),
        named("tritongpu-optimize-thread-locality"),
        named("tritongpu-accelerate-matmul"),
        named("tritongpu-remove-layout-conversions"),  # again: dots have asked for new layouts
        named("tritongpu-optimize-dot-operands", hoist_layout_conversion=True),
        # after dots, which say how tiles must lie in memory
        named("triton-nvidia-optimize-descriptor-encoding"),
        named("triton-loop-aware-cse"),
    )


def final(target: Target) -> tuple[Pass, ...]:
    """Fetch operands ahead, order what is left, and tidy up."""
    return (
        # Triton fuses in front of its pipeliner; so will the stage `loops`
        named("tritongpu-fuse-nested-loops"),
        named("canonicalize"),
        named("triton-licm"),
        named("canonicalize"),
        named("tritongpu-combine-tensor-select-and-if"),
        named("canonicalize"),
        named("triton-loop-aware-cse"),
        named("tritongpu-prefetch"),
        # again: operands were cut in slices
        named("tritongpu-optimize-dot-operands", hoist_layout_conversion=True),
        named("tritongpu-coalesce-async-copy"),
        named("triton-nvidia-optimize-tmem-layouts"),
        *((named("triton-nvidia-tma-lowering"),) if target.tensor_descriptors else ()),
        named("tritongpu-remove-layout-conversions"),
        named("triton-nvidia-interleave-tmem"),
        named("tritongpu-reduce-data-duplication"),
        named("tritongpu-reorder-instructions"),
        named("triton-loop-aware-cse"),
        named("symbol-dce"),
        named("triton-nvidia-gpu-fence-insertion", compute_capability=int(target.arch)),
        named("triton-nvidia-mma-lowering"),
        named("sccp"),
        named("cse"),
        named("canonicalize"),
    )
