"""`--stage layout --target hip:gfx942 --num-warps 4`: the passes of a stage."""

from __future__ import annotations

from weft.cli.opt.flags import Options
from weft.compiler.options import options_for
from weft.compiler.remaining_stages import remaining_passes
from weft.errors import WeftError
from weft.ir.builtin import ModuleOp
from weft.passes import Pass
from weft.targets import target

__all__ = ["stage_passes"]


def stage_passes(options: Options, module: ModuleOp) -> tuple[Pass, ...]:
    """List the passes of the requested stage for a module; () without a stage.

    Raises:
        WeftError: No target, an unknown stage, options that the target does not have, or a module
            that has passed the stage.
        PassError: Layouts for another target.
    """
    if not options.stage:
        _check_no_stage_options(options)
        return ()
    if not options.target:
        raise WeftError(
            "--stage needs --target", found=f"--stage={options.stage}",
            accepted=["--target hip:gfx942", "--target cuda:90"],
            hint="weft targets lists the chips",
        )  # fmt: skip
    chip = target(options.target)
    return remaining_passes(
        module, options.stage, chip, options_for(chip, _compile_options(options))
    )


def _check_no_stage_options(options: Options) -> None:
    for name in ("target", "num_warps", "num_ctas", "launch"):
        if getattr(options, name):
            flag = "option" if name == "launch" else name.replace("_", "-")
            raise WeftError(f"--{flag} needs --stage", accepted=[f"--stage=layout --{flag}=…"])


def _compile_options(options: Options) -> dict[str, object]:
    texts = [f"num_warps={options.num_warps}"] if options.num_warps else []
    texts += [f"num_ctas={options.num_ctas}"] if options.num_ctas else []
    values: dict[str, object] = {}
    for text in (*texts, *filter(None, options.launch.split(","))):
        name, equals, value = text.partition("=")
        if not equals:
            raise WeftError("--option takes NAME=VALUE", found=text, accepted=["kpack=2"])
        values[name] = int(value) if value.lstrip("-").isdigit() else value
    return values
