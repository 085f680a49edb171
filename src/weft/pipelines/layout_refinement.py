"""Improve the heuristics' layouts: the options `layouts="refined"` and `layouts="optimal"`.

    final, refined     …, weft-narrow-masked-accesses, sccp, cse, canonicalize
    final, optimal     …, weft-assign-layouts, sccp, cse, canonicalize

The passes run near the end of the last stage: loops are pipelined by then, so that the counts are
those of the operations that are lowered, and what follows only removes operations. The heuristics'
code and the other one thus differ in nothing but layouts, and the counted cost never rises.
"""

from __future__ import annotations

import importlib

from weft.passes import Pass
from weft.passes.ttgir.narrow_masked_accesses import NarrowMaskedAccesses
from weft.pipelines.stage import Stage
from weft.targets import Target

__all__ = ["stages"]

_CLEAN_UP = ("cse", "canonicalize", "sccp", "symbol-dce")


def stages(target: Target, pipeline: tuple[Stage, ...], layouts: str) -> tuple[Stage, ...]:
    """Add a pass to the last stage of a pipeline.

    Args:
        target: The chip.
        pipeline: The stages of its back end.
        layouts: "refined" or "optimal".
    """
    added: Pass = NarrowMaskedAccesses()
    if layouts == "optimal":
        # The solver is an extra, which other compiles do not need.
        added = importlib.import_module("weft.optimum.assign_layouts").AssignLayouts(target.name)
    *stages_before, final = pipeline
    return *stages_before, Stage(final.name, _insert(final.passes, added), final.ir)


def _insert(passes: tuple[Pass, ...], added: Pass) -> tuple[Pass, ...]:
    """Insert a pass before those that clean up at the end of a stage."""
    position = len(passes)
    while position and passes[position - 1].name in _CLEAN_UP:
        position -= 1
    return *passes[:position], added, *passes[position:]
