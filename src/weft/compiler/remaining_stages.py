"""Which stages are still ahead of IR that somebody hands in, read off the IR itself.

TTIR    no layouts                        ttir, or convert, layout, loops, final
TTGIR   "ttg.num-warps" in the module     layout, loops or final, on its own
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from weft import pipelines
from weft.errors import PassError, WeftError, did_you_mean
from weft.ir import types
from weft.ir.rewriting import walk
from weft.passes import Pass
from weft.pipelines import LaunchOptions, Stage
from weft.targets import Target

__all__ = ["check_target", "passes_through", "stage_named"]

_WARPS, _LANES = "ttg.num-warps", "ttg.threads-per-warp"


def stage_named(stages: tuple[Stage, ...], name: str) -> Stage:
    """Return the stage of that name.

    Raises: WeftError: there is none; the accepted names.
    """
    for stage in stages:
        if stage.name == name:
            return stage
    known = [stage.name for stage in stages]
    raise WeftError(f"no stage {name}", found=name, accepted=known, hint=did_you_mean(name, known))


def passes_through(
    module: ModuleOp, name: str, target: Target, options: LaunchOptions
) -> tuple[Pass, ...]:
    """Return the passes that take a module to the end of a stage.

    TTIR goes through every stage after `ttir` up to the one named; TTGIR through that one alone,
    since its text does not say how far it has come.
    Args: options: of a launch; TTGIR has its own numbers of warps and blocks, which go first.
    Raises: WeftError: no such stage, or one that comes before the module's IR.  PassError: layouts
            of another target, or layouts without the module's attributes.
    """
    stages = pipelines.stages(target, options)
    wanted = stage_named(stages, name)
    if _WARPS not in module.attributes:
        _check_plain(module)
        if wanted.ir == "ttir":
            return wanted.passes
        ahead = [stage for stage in stages if stage.ir != "ttir"]
        return tuple(one for stage in ahead[: ahead.index(wanted) + 1] for one in stage.passes)
    check_target(module, target)
    if name in ("ttir", "convert"):
        later = [stage.name for stage in stages if stage.name not in ("ttir", "convert")]
        raise WeftError(
            f"stage {name} reads IR without layouts, and this has some", found=name, accepted=later
        )
    return wanted.passes


def check_target(module: ModuleOp, target: Target) -> None:
    """Raise a PassError for a module whose layouts are made for another target."""
    made_for = str(getattr(module.attributes.get("ttg.target"), "data", target.name))
    if made_for != target.name:
        raise PassError(
            f"the layouts of this module are made for {made_for}",
            found=f"target {target.name}",
            accepted=[f"target {made_for}"],
        )
    lanes = _number(module, _LANES, target.threads_per_warp)
    if lanes != target.threads_per_warp:
        raise PassError(
            f"the layouts of this module are made for warps of {lanes} threads",
            found=f"{target.name}, whose warps have {target.threads_per_warp}",
        )


def _check_plain(module: ModuleOp) -> None:
    """Raise a PassError for layouts in a module that does not say for how many warps."""
    for op in walk(module):
        for value in op.results:
            if types.is_tensor(value.type) and types.encoding(value.type) is not None:
                raise PassError(
                    f'tensors have layouts, but the module has no "{_WARPS}"',
                    found=str(value.type),
                    hint="TTIR has no layouts; TTGIR says for which target they are",
                )


def _number(module: ModuleOp, name: str, default: int) -> int:
    value = getattr(module.attributes.get(name), "value", None)
    return int(getattr(value, "data", default))
