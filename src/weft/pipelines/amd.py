"""The pipeline for AMD chips."""

from __future__ import annotations

from weft.passes.ttir.convert_triton_to_tritongpu import ConvertTritonToTritongpu
from weft.pipelines import ttir
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
