"""Infer the remaining stages of an input module from its IR.

TTIR    no layouts                              ttir, or convert, layout, loops, final in order
TTGIR   the module attribute "ttg.num-warps"    layout, loops or final, one at a time
Gluon   TTGIR with layouts to be inferred       gluon; or of another kernel, if `gluon` is named
"""

from __future__ import annotations

from weft import pipelines
from weft.errors import PassError, WeftError, did_you_mean
from weft.ir import types
from weft.ir.builtin import ModuleOp
from weft.ir.placeholder_layouts import has_placeholder_layouts
from weft.ir.rewriting import walk
from weft.passes import Pass
from weft.pipelines import GLUON, LaunchOptions, Stage
from weft.targets import Target

__all__ = ["check_target", "find_stage", "remaining_passes"]

_NUM_WARPS, _THREADS_PER_WARP = "ttg.num-warps", "ttg.threads-per-warp"
_TTIR_STAGES = ("ttir", "convert")


def find_stage(stages: tuple[Stage, ...], name: str) -> Stage:
    """Find a stage by name.

    Raises:
        WeftError: There is no such stage.
    """
    for stage in stages:
        if stage.name == name:
            return stage
    names = [stage.name for stage in stages]
    raise WeftError(
        f"unknown stage {name}", found=name, accepted=names, hint=did_you_mean(name, names)
    )


def remaining_passes(
    module: ModuleOp, name: str, target: Target, options: LaunchOptions
) -> tuple[Pass, ...]:
    """List the passes that take a module to the end of a stage.

    TTIR passes through every stage after `ttir` up to the requested one. TTGIR passes through the
    requested stage alone, since its text does not record the stages that it has passed.

    Args:
        module: TTIR or TTGIR.
        name: The stage.
        target: The target.
        options: Launch options. The numbers of warps and blocks of a TTGIR module take precedence.

    Raises:
        WeftError: An unknown stage, or one that precedes the module's IR.
        PassError: Layouts for another target, or layouts without the module's attributes.
    """
    is_gluon = name == GLUON or has_placeholder_layouts(module)
    stages = pipelines.stages(target, options, is_gluon=is_gluon)
    stage = find_stage(stages, name)
    if is_gluon:
        check_target(module, target)
        return stage.passes
    if _NUM_WARPS not in module.attributes:
        _check_no_encodings(module)
        if stage.ir == "ttir":
            return stage.passes
        remaining = [each for each in stages if each.ir != "ttir"]
        until = remaining[: remaining.index(stage) + 1]
        return tuple(one for each in until for one in each.passes)
    check_target(module, target)
    if name in _TTIR_STAGES:
        raise WeftError(
            f"stage {name} reads TTIR, and the module has layouts",
            found=name,
            accepted=[each.name for each in stages if each.name not in _TTIR_STAGES],
        )
    return stage.passes


def check_target(module: ModuleOp, target: Target) -> None:
    """Check that the layouts of a module are for a target.

    Raises:
        PassError: They are for another target, or for another warp size.
    """
    module_target = str(getattr(module.attributes.get("ttg.target"), "data", target.name))
    if module_target != target.name:
        raise PassError(
            f"the layouts of the module are for {module_target}",
            found=f"target {target.name}",
            accepted=[f"target {module_target}"],
        )
    lanes = _integer_attribute(module, _THREADS_PER_WARP, target.threads_per_warp)
    if lanes != target.threads_per_warp:
        raise PassError(
            f"the layouts of the module are for warps of {lanes} threads",
            found=f"{target.name} with warps of {target.threads_per_warp} threads",
        )


def _check_no_encodings(module: ModuleOp) -> None:
    """Check that a module without "ttg.num-warps" has no tensor encodings."""
    for op in walk(module):
        for value in op.results:
            if types.is_tensor(value.type) and types.encoding(value.type) is not None:
                raise PassError(
                    f'missing module attribute "{_NUM_WARPS}", though tensors have layouts',
                    found=str(value.type),
                    hint="TTIR has no layouts; TTGIR modules have the attributes of their target",
                )


def _integer_attribute(module: ModuleOp, name: str, default: int) -> int:
    value = getattr(module.attributes.get(name), "value", None)
    return int(getattr(value, "data", default))
