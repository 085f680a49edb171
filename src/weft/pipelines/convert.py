"""The stage `convert` of every back end: TTIR to TTGIR."""

from __future__ import annotations

from weft.passes import Pass
from weft.passes.ttir.convert_triton_to_tritongpu import ConvertTritonToTritongpu
from weft.pipelines.stage import LaunchOptions
from weft.targets import Target

__all__ = ["convert"]


def convert(target: Target, options: LaunchOptions) -> tuple[Pass, ...]:
    """Convert TTIR to TTGIR, where every tensor has a layout."""
    return (
        ConvertTritonToTritongpu(
            target=target.name,
            num_warps=options.num_warps,
            threads_per_warp=target.threads_per_warp,
            num_ctas=options.num_ctas,
        ),
    )
