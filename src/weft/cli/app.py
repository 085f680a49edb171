"""The verbs and their options. What they do is in the file of the same name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import weft
from weft.errors import WeftError


class _Verbs(TyperGroup):
    """Print a mistake in the input on stderr and end with 1, whichever verb met it."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except WeftError as error:
            from weft.cli.report import report

            report(error)
            raise typer.Exit(1) from None


class _OptCommand(TyperCommand):
    """Read triton-opt's spelling too: `-canonicalize`, `--some-pass='option=value'`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        from weft.cli.spelling import as_options

        return super().parse_args(ctx, as_options(args))


app = typer.Typer(
    cls=_Verbs,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Compile tile kernels to Triton's IR, on a machine that needs no GPU.",
)

_OUTPUT = typer.Option("--output", "-o", help="Where to write; - is the terminal or pipe.")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"weft {weft.__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


@app.command(name="compile")
def compile_(
    file: Annotated[str, typer.Argument(metavar="FILE.py[::KERNEL]", help="Or a .ttir, .ttgir.")],
    target: Annotated[
        str, typer.Option("--target", "-t", help="cuda:90, hip:gfx942, … (see: weft targets)")
    ],
    signature: Annotated[
        str | None, typer.Option("--signature", "-s", help='"*fp16:16, i32:16, 1024"')
    ] = None,
    constexpr: Annotated[
        list[str] | None, typer.Option("--constexpr", "-c", metavar="NAME=VALUE")
    ] = None,
    case: Annotated[
        int | None, typer.Option("--case", help="Which entry of the file's CASES to compile.")
    ] = None,
    num_warps: Annotated[int | None, typer.Option("--num-warps", "-w")] = None,
    num_stages: Annotated[int | None, typer.Option("--num-stages")] = None,
    num_ctas: Annotated[int | None, typer.Option("--num-ctas")] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Other options.")
    ] = None,
    emit: Annotated[
        str | None,
        typer.Option("--emit", help="source, ttir, ttgir (else the last), or layouts: a list"),
    ] = None,
    stop_after: Annotated[str | None, typer.Option("--stop-after", metavar="STAGE")] = None,
    locations: Annotated[bool, typer.Option(help="Print source locations.")] = False,
    output: Annotated[str, _OUTPUT] = "-",
) -> None:
    """Compile a kernel of FILE and print its IR."""
    from weft.cli import compile as verb

    named = {"num_warps": num_warps, "num_stages": num_stages, "num_ctas": num_ctas}
    request = verb.Request(
        file=file,
        target=target,
        signature=signature,
        constexprs=verb.assignments(constexpr or (), "--constexpr"),
        case=case,
        options={name: value for name, value in named.items() if value is not None}
        | verb.assignments(option or (), "--option"),
        emit=emit,
        stop_after=stop_after,
        locations=locations,
        output=output,
    )
    verb.run(request)


@app.command(name="opt", cls=_OptCommand)
def opt(
    file: Annotated[str, typer.Argument(help="IR text; - reads stdin.")] = "-",
    pipeline: Annotated[
        list[str] | None,
        typer.Option("--passes", "-p", metavar="PIPELINE", help="'pass{option=value},pass'"),
    ] = None,
    split: Annotated[
        bool, typer.Option("--split-input-file", help="Run each part between // ----- alone.")
    ] = False,
    list_passes: Annotated[bool, typer.Option("--list-passes", help="Print the passes.")] = False,
    locations: Annotated[bool, typer.Option("--locations", help="Print source locations.")] = False,
    output: Annotated[str, _OUTPUT] = "-",
) -> None:
    """Run passes over IR text. A pass may be written as triton-opt's flag: -canonicalize."""
    from weft.cli import opt as verb

    if list_passes:
        verb.print_passes()
        return
    verb.run(file, ",".join(pipeline or ()), split=split, locations=locations, output=output)


@app.command(
    name="run",
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
    },
)
def run(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE.py", help="Run as a program.")],
) -> None:
    """Run FILE.py with its kernels on the embedded CPU device; further arguments are its own."""
    from weft.cli import run as verb

    verb.run(file, ctx.args)


@app.command(name="targets")
def targets() -> None:
    """List the chips that weft compiles for."""
    from weft.cli import targets as verb

    verb.run()
