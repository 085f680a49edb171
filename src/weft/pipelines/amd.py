"""The pipeline for AMD chips."""

from __future__ import annotations

from weft.passes import Pass, named
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
        named("tritongpu-coalesce"),
        # matrix units here take f32 or bf16, so tf32 gains nothing
        named("tritongpu-F32DotTC", emu_tf32=False),
        # so that what follows sees accesses next to dots
        named("tritongpu-remove-layout-conversions"),
        named("tritongpu-optimize-thread-locality"),
        named(
            "tritonamdgpu-accelerate-matmul",
            arch_generation_name=str(target.arch),
            kPack=min(options.kpack, target.max_kpack),
            matrix_instruction_size=options.matrix_instr_nonkdim,
        ),
        named("tritongpu-remove-layout-conversions"),  # again: dots have asked for new layouts
        named("tritonamdgpu-optimize-epilogue"),
        named("tritonamdgpu-optimize-dot-operands", arch_generation_name=str(target.arch)),
        named("tritonamdgpu-hoist-layout-conversions"),
        # last: buffers of operands that were hoisted may be free by then
        named("tritonamdgpu-sink-layout-conversions"),
    )


def final(target: Target) -> tuple[Pass, ...]:
    """Undo what the loops' shape made needless, address memory through buffers, tidy up."""
    return (
        # Triton fuses in front of its pipeliner; so will the stage `loops`
        named("tritongpu-fuse-nested-loops"),
        named("canonicalize"),
        named("triton-licm"),
        named("canonicalize"),
        named("tritonamdgpu-convert-tensor-ops"),
        named("canonicalize"),
        named("tritongpu-remove-layout-conversions"),
        named("tritongpu-reduce-data-duplication"),
        # Turning tiles in registers pays where shared memory has no transposing read.
        *(
            (
                named("tritonamdgpu-in-thread-transpose"),
                named("tritongpu-remove-layout-conversions"),
            )
            if target.in_thread_transpose
            else ()
        ),
        named("tritonamdgpu-move-up-prologue-loads"),
        named("tritonamdgpu-canonicalize-pointers"),
        named("canonicalize"),  # so that buffers find base and offset side by side
        named("tritonamdgpu-convert-buffer-ops", arch_generation_name=str(target.arch)),
        named("tritonamdgpu-fold-true-cmpi"),
        named("tritonamdgpu-prepare-if-combining"),
        named("canonicalize"),  # combines the conditionals that stand side by side now
        named("cse"),
        named("symbol-dce"),
    )
