"""The pipeline for the embedded CPU device, which interprets TTIR."""

from __future__ import annotations

from weft.pipelines import ttir
from weft.pipelines.stage import LaunchOptions, Stage
from weft.targets import Target

__all__ = ["stages"]


def stages(target: Target, options: LaunchOptions) -> tuple[Stage, ...]:
    """Return the one stage: the interpreter reads TTIR."""
    return (Stage("ttir", ttir.PASSES, ir="ttir"),)
