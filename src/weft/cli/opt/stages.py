"""`--stage layout --target hip:gfx942 --num-warps 4`: the passes of a back end's stage."""

from __future__ import annotations

from typing import Any

from weft.cli.opt.flags import Options
from weft.compiler.options import options_for
from weft.compiler.remaining_stages import remaining_passes
from weft.errors import WeftError
from weft.ir.builtin import ModuleOp
from weft.passes import Pass
from weft.targets import target

__all__ = ["stage_passes"]


def stage_passes(options: Options, module: ModuleOp) -> tuple[Pass, ...]:
    """Return the passes that a command line's stage means for a module; () without a stage.

    Raises: WeftError: no target, an unknown stage, options that the target has not, or a module
            that is past the stage.  PassError: layouts of another target.
    """
    if not options.stage:
        _only_with_stage(options)
        return ()
    if not options.target:
        raise WeftError(
            "--stage needs --target", found=f"--stage={options.stage}",
            accepted=["--target hip:gfx942", "--target cuda:90"],
            hint="weft targets lists the chips",
        )  # fmt: skip
    chip = target(options.target)
    return remaining_passes(module, options.stage, chip, options_for(chip, _launch(options)))


def _only_with_stage(options: Options) -> None:
    for name in ("target", "num_warps", "num_ctas", "launch"):
        if getattr(options, name):
            flag = "option" if name == "launch" else name.replace("_", "-")
            raise WeftError(f"--{flag} is for a stage", accepted=[f"--stage=layout --{flag}=…"])


def _launch(options: Options) -> dict[str, Any]:
    """Return the launch options, by name."""
    texts = [f"num_warps={options.num_warps}"] if options.num_warps else []
    texts += [f"num_ctas={options.num_ctas}"] if options.num_ctas else []
    found: dict[str, Any] = {}
    for text in (*texts, *filter(None, options.launch.split(","))):
        name, equals, value = text.partition("=")
        if not equals:
            raise WeftError("--option takes NAME=VALUE", found=text, accepted=["kpack=2"])
        found[name] = int(value) if value.lstrip("-").isdigit() else value
    return found
