"""Which passes run for which chip: lists to be read aloud, one file per back end.

stages(target("hip:gfx942"), options)  →  ttir, convert, layout, loops, final
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
    """Return the stages that compile TTIR for a chip, in order.

    Raises: UnknownTargetError: a chip of a back end without pipeline.
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
