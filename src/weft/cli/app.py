"""The verbs and their options. What they do is in the file of the same name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import weft
from weft.cli.cache import app as cache
from weft.cli.layout.command import LayoutCommand, layout
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


app = typer.Typer(
    cls=_Verbs,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Compile tile kernels to Triton's IR, on a machine that needs no GPU.",
)

# Options that several verbs have.
Signature = Annotated[
    str | None, typer.Option("--signature", "-s", help='"*fp16:16, i32:16, 1024"')
]
Constants = Annotated[list[str] | None, typer.Option("--constexpr", "-c", metavar="NAME=VALUE")]
Case = Annotated[
    int | None, typer.Option("--case", help="Which entry of the file's CASES to compile.")
]
NumWarps = Annotated[int | None, typer.Option("--num-warps", "-w")]
NumStages = Annotated[int | None, typer.Option("--num-stages")]
Others = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Other options.")
]
Output = Annotated[
    str, typer.Option("--output", "-o", help="Where to write; - is the terminal or pipe.")
]


def _options(others: list[str] | None, **named: int | None) -> dict[str, Any]:
    """Return the compile options that were given, by their own options or by --option."""
    from weft.cli.compile import assignments

    given = {name: value for name, value in named.items() if value is not None}
    return given | assignments(others or (), "--option")


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
    signature: Signature = None,
    constexpr: Constants = None,
    case: Case = None,
    num_warps: NumWarps = None,
    num_stages: NumStages = None,
    num_ctas: Annotated[int | None, typer.Option("--num-ctas")] = None,
    option: Others = None,
    emit: Annotated[
        str | None,
        typer.Option(
            "--emit",
            help="source, ttir, ttgir (else the last), layouts: a list, "
            "llir, ptx, cubin, amdgcn, hsaco",
        ),
    ] = None,
    stop_after: Annotated[str | None, typer.Option("--stop-after", metavar="STAGE")] = None,
    locations: Annotated[bool, typer.Option(help="Print source locations.")] = False,
    output: Output = "-",
) -> None:
    """Compile a kernel of FILE, and print its IR or its machine code."""
    from weft.cli import compile as verb

    request = verb.Request(
        file=file,
        target=target,
        signature=signature,
        constexprs=verb.assignments(constexpr or (), "--constexpr"),
        case=case,
        options=_options(option, num_warps=num_warps, num_stages=num_stages, num_ctas=num_ctas),
        emit=emit,
        stop_after=stop_after,
        locations=locations,
        output=output,
    )
    verb.run(request)


@app.command(name="explain")
def explain(
    file: Annotated[
        str, typer.Argument(metavar="FILE.py[::KERNEL]", help="Or a .ttir, .ttgir, of Triton too.")
    ],
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="A .ttgir says it itself.")
    ] = None,
    signature: Signature = None,
    constexpr: Constants = None,
    case: Case = None,
    num_warps: NumWarps = None,
    num_stages: NumStages = None,
    option: Others = None,
    stop_after: Annotated[
        str, typer.Option("--stop-after", metavar="STAGE", help="convert, layout, loops or final.")
    ] = "final",
    as_json: Annotated[bool, typer.Option("--json", help="As an object.")] = False,
    line: Annotated[int | None, typer.Option("--line", help="Only this line.")] = None,
    value: Annotated[str | None, typer.Option("--value", help="Only this value: %acc.")] = None,
    against: Annotated[
        str | None,
        typer.Option("--against", help="Compare with a file, a target, or options: num_warps=8."),
    ] = None,
    output: Output = "-",
) -> None:
    """Say why each tensor of a kernel is laid out as it is, what that costs, and what to try."""
    from weft.cli import explain as verb
    from weft.cli.compile import assignments

    request = verb.Request(
        file=file,
        target=target,
        signature=signature,
        constexprs=assignments(constexpr or (), "--constexpr"),
        case=case,
        options=_options(option, num_warps=num_warps, num_stages=num_stages),
        stop_after=stop_after,
        as_json=as_json,
        line=line,
        value=value,
        against=against,
        output=output,
    )
    verb.run(request)


@app.command(
    name="opt",
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def opt(ctx: typer.Context) -> None:
    """Run passes over IR text, in triton-opt's spelling: -canonicalize (see: weft opt --help)."""
    from weft.cli import opt as verb

    if code := verb.run(ctx.args):
        raise typer.Exit(code)


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
    as_triton: Annotated[
        bool, typer.Option("--as-triton", help="Its `import triton` finds weft.")
    ] = False,
) -> None:
    """Run FILE.py with its kernels where its arrays are; further arguments are its own."""
    from weft.cli import run as verb

    verb.run(file, ctx.args, as_triton)


@app.command(
    name="bench",
    context_settings={"allow_extra_args": True, "allow_interspersed_args": True},
)
def bench(
    ctx: typer.Context,
    file: Annotated[
        str,
        typer.Argument(metavar="FILE.py[::KERNEL]", help="A program that launches, or BENCHES."),
    ],
    call: Annotated[
        str | None,
        typer.Option("--call", metavar="PYTHON", help="Instead of running FILE: check(8192)"),
    ] = None,
    device: Annotated[
        str | None, typer.Option("--device", help="cpu or cuda; else the GPU, if there is one.")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Whose limits count: H200 SXM, MI300X, hip:gfx942, …"),
    ] = None,
    budget: Annotated[float, typer.Option("--ms", help="To spend on each measurement.")] = 100.0,
    as_json: Annotated[bool, typer.Option("--json", help="As an object.")] = False,
    plot: Annotated[str | None, typer.Option("--plot", metavar="FILE.svg")] = None,
) -> None:
    """Time the kernels that FILE launches, and say what share of a board's limit that is."""
    from weft.cli.bench.command import run
    from weft.cli.bench.request import Request

    run(Request(file, ctx.args, call, device, target, budget, as_json, plot))


app.add_typer(cache, name="cache")
app.command(name="layout", cls=LayoutCommand)(layout)


@app.command(name="targets")
def targets() -> None:
    """List the chips that weft compiles for."""
    from weft.cli import targets as verb

    verb.run()
