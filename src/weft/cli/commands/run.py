"""The arguments and options of `weft run`."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from weft.cli.default_layouts import default_layouts
from weft.cli.options import AsTriton, Layouts
from weft.errors import WeftError

__all__ = ["RunCommand", "run"]


class RunCommand(TyperCommand):
    """Pass everything after `-m MODULE` to the module."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Replace `-m MODULE` by `--module -- MODULE`, and parse."""
        for index, argument in enumerate(args):
            if argument == "-m" and index + 1 < len(args):
                args = [*args[:index], "--module", "--", *args[index + 1 :]]
                break
            if not argument.startswith("-"):
                break
        return super().parse_args(ctx, args)


def run(
    ctx: typer.Context,
    program: Annotated[str, typer.Argument(metavar="FILE.py | -m MODULE", help="Python program.")],
    as_triton: AsTriton = False,
    layouts: Layouts = None,
    check: Annotated[
        bool, typer.Option("--check", help="Check launches on the CPU device by the sanitizer.")
    ] = False,
    simulate: Annotated[
        str | None,
        typer.Option(
            "--simulate", metavar="TARGET", help="Run launches in the simulator: cuda:90, …"
        ),
    ] = None,
    counters: Annotated[
        bool,
        typer.Option(
            "--counters",
            help="With --simulate: report instructions, sectors and wavefronts by source line.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="With --check or --counters: report JSON.")
    ] = False,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            help="With --check or --counters: file of the report; - for stderr, JSON for stdout.",
        ),
    ] = "-",
    module: Annotated[
        bool, typer.Option("--module", hidden=True, help="The program is a module.")
    ] = False,
) -> None:
    """Run a program whose kernels weft launches; it receives the remaining arguments."""
    from weft.cli import run as command

    def start() -> None:
        with default_layouts(layouts):
            command.run(program, ctx.args, as_triton, module)

    if check and simulate:
        raise WeftError("a run is checked or simulated", found="--check and --simulate")
    if counters and simulate is None:
        raise WeftError("--counters is an option of a simulated run", accepted=["--simulate"])
    if not check:
        if not counters and (as_json or output != "-"):
            raise WeftError(
                "--json and --output are options of a report",
                accepted=["--check", "--simulate TARGET --counters"],
            )
        if simulate is None:
            start()
            return
        from weft.cli.simulated_run import run_simulated

        run_simulated(start, simulate, counters=counters, as_json=as_json, output=output)
        return
    from weft.cli.checked_run import run_checked

    if run_checked(start, as_json, output):
        raise typer.Exit(1)
