"""The stage `convert`, of every back end: every tensor gets its first layout."""

from __future__ import annotations

from weft.passes import Pass, named
from weft.pipelines.stage import LaunchOptions
from weft.targets import Target

__all__ = ["convert"]


def convert(target: Target, options: LaunchOptions) -> tuple[Pass, ...]:
    """Give every tensor its first layout."""
    return (
        named(
            "convert-triton-to-tritongpu",
            target=target.name,
            num_warps=options.num_warps,
            threads_per_warp=target.threads_per_warp,
            num_ctas=options.num_ctas,
        ),
    )
