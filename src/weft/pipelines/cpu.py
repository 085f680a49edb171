"""The pipeline for the CPU device, which interprets TTIR."""

from __future__ import annotations

from weft.pipelines import ttir
from weft.pipelines.stage import LaunchOptions, Stage
from weft.targets import Target

__all__ = ["stages"]


def stages(target: Target, options: LaunchOptions) -> tuple[Stage, ...]:
    """List the only stage, `ttir`."""
    return (Stage("ttir", ttir.PASSES, ir="ttir"),)
