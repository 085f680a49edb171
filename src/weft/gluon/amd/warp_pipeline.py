"""Stages of a loop that warps run in alternation."""

from __future__ import annotations

from weft.gluon.builtin import builtin_of

__all__ = ["warp_pipeline_stage"]


@builtin_of("amd")
def warp_pipeline_stage(label=None, *, priority=None):
    """Make the body of a `with` statement a stage of a warp pipeline.

    While one warp of a SIMD is in a stage, the other is in another.

    Args:
        label: The name of the stage.
        priority: The scheduling priority of warps in the stage, 0 to 3.
    """
