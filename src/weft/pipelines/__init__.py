"""The passes that run for each target, one file per back end.

    stages(target("hip:gfx942"), options)    # ttir, convert, layout, loops, final

A pipeline is a tuple of pass objects. Importing a back end's file imports its passes, so this
package imports that of the requested target only.
"""

from __future__ import annotations

import importlib

from weft.errors import UnknownTargetError, did_you_mean
from weft.pipelines.stage import LaunchOptions, Stage
from weft.targets import Target

__all__ = ["BACKENDS", "LaunchOptions", "Stage", "stages"]

BACKENDS: dict[str, str] = {
    "cpu": "weft.pipelines.cpu",
    "cuda": "weft.pipelines.nvidia",
    "hip": "weft.pipelines.amd",
}


def stages(target: Target, options: LaunchOptions) -> tuple[Stage, ...]:
    """List the stages that compile TTIR for a target, in order.

    Raises:
        UnknownTargetError: No pipeline exists for the target's back end.
    """
    module = BACKENDS.get(target.backend)
    if module is None:
        raise UnknownTargetError(
            f"no pipeline for back end {target.backend}",
            found=str(target),
            accepted=BACKENDS,
            hint=did_you_mean(target.backend, BACKENDS),
        )
    return importlib.import_module(module).stages(target, options)
