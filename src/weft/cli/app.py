"""The command `weft` and its subcommands, which weft.cli.commands declares."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import weft
from weft.cli.cache import app as cache
from weft.cli.commands.bench import bench
from weft.cli.commands.check import check
from weft.cli.commands.compile import compile_
from weft.cli.commands.explain import explain
from weft.cli.commands.opt import opt
from weft.cli.commands.report import report
from weft.cli.commands.run import RunCommand, run
from weft.cli.commands.targets import targets
from weft.cli.layout.command import LayoutCommand, layout
from weft.errors import WeftError


class _Commands(TyperGroup):
    """Print the errors of subcommands on stderr, and exit with code 1."""

    def invoke(self, ctx: Any) -> object:
        try:
            return super().invoke(ctx)
        except WeftError as error:
            from weft.cli import output

            output.report(error)
            raise typer.Exit(1) from None
        except KeyboardInterrupt as interruption:
            if interruption.args:  # the CPU device says where it was
                typer.echo(f"interrupted {interruption.args[0]}", err=True)
            raise typer.Exit(130) from None


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Compile tile kernels to Triton's IR and to GPU code. No GPU is needed.",
)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        typer.echo(f"weft {weft.__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


app.command(name="compile")(compile_)
app.command(name="explain")(explain)
app.command(name="report")(report)
app.command(name="check")(check)
app.command(
    name="opt",
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)(opt)
app.command(
    name="run",
    cls=RunCommand,
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
    },
)(run)
app.command(
    name="bench",
    context_settings={"allow_extra_args": True, "allow_interspersed_args": True},
)(bench)
app.add_typer(cache, name="cache")
app.command(name="layout", cls=LayoutCommand)(layout)
app.command(name="targets")(targets)
