"""The passes that run for each target, one file per back end.

    stages(target("hip:gfx942"), options)    # ttir, convert, layout, loops, final

A pipeline is a tuple of pass objects. Importing a back end's file imports its passes, so this
package imports that of the requested target only.
"""

from __future__ import annotations

import importlib

from weft import knobs
from weft.errors import UnknownTargetError, WeftError, did_you_mean
from weft.pipelines.stage import LaunchOptions, Stage
from weft.targets import Target

__all__ = ["BACKENDS", "GLUON", "LaunchOptions", "Stage", "stages"]

GLUON = "gluon"
"""The name of the only stage of Gluon kernels."""

BACKENDS: dict[str, str] = {
    "cpu": "weft.pipelines.cpu",
    "cuda": "weft.pipelines.nvidia",
    "hip": "weft.pipelines.amd",
}


def stages(target: Target, options: LaunchOptions, *, is_gluon: bool = False) -> tuple[Stage, ...]:
    """List the stages that compile TTIR, or the IR of a Gluon kernel, for a target, in order.

    Raises:
        UnknownTargetError: No pipeline exists for the target's back end.
        WeftError: Layouts are to be chosen for a Gluon kernel, which has its author's.
    """
    module = BACKENDS.get(target.backend)
    if module is None:
        raise UnknownTargetError(
            f"no pipeline for back end {target.backend}",
            found=str(target),
            accepted=BACKENDS,
            hint=did_you_mean(target.backend, BACKENDS),
        )
    if is_gluon:
        # A default for all kernels does not concern those that have layouts.
        if options.layouts not in ("heuristic", knobs.compilation.layouts):
            raise WeftError(
                "the layouts of a Gluon kernel are its author's",
                found=f"layouts={options.layouts}",
                accepted=["layouts=heuristic"],
            )
        return importlib.import_module("weft.pipelines.gluon").stages(target)
    pipeline = importlib.import_module(module).stages(target, options)
    if options.layouts != "heuristic" and target.backend != "cpu":
        refinement = importlib.import_module("weft.pipelines.layout_refinement")
        return refinement.stages(target, pipeline, options.layouts)
    return pipeline
