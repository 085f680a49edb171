"""The pipeline for NVIDIA chips."""

from __future__ import annotations

from weft.passes.ttir.convert_triton_to_tritongpu import ConvertTritonToTritongpu
from weft.pipelines import ttir
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
        ),
        Stage(
            "ttgir",
            (
                ConvertTritonToTritongpu(
                    target=target.name,
                    num_warps=options.num_warps,
                    threads_per_warp=target.threads_per_warp,
                    num_ctas=options.num_ctas,
                ),
            ),
        ),
    )
