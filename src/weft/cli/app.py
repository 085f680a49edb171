"""The subcommands of `weft` and their options; each is implemented in the module of its name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import weft
from weft.cli.cache import app as cache
from weft.cli.layout.command import LayoutCommand, layout
from weft.errors import WeftError


class _Commands(TyperGroup):
    """Print the errors of subcommands on stderr, and exit with code 1."""

    def invoke(self, ctx: Any) -> object:
        try:
            return super().invoke(ctx)
        except WeftError as error:
            from weft.cli.report import report

            report(error)
            raise typer.Exit(1) from None


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Compile tile kernels to Triton's IR and to GPU code. No GPU is needed.",
)

# Options that several subcommands have.
Signature = Annotated[
    str | None,
    typer.Option("--signature", "-s", help='Argument types in order: "*fp16:16, i32:16, 1024".'),
]
Constants = Annotated[
    list[str] | None,
    typer.Option("--constexpr", "-c", metavar="NAME=VALUE", help="Value of a constexpr argument."),
]
Case = Annotated[int | None, typer.Option("--case", help="Entry of the file's CASES to compile.")]
NumWarps = Annotated[int | None, typer.Option("--num-warps", "-w", help="Warps per block.")]
NumStages = Annotated[
    int | None, typer.Option("--num-stages", help="Depth of the software pipeline.")
]
Others = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Other compile options.")
]
Output = Annotated[str, typer.Option("--output", "-o", help="Output file; - for stdout.")]


def _options(others: list[str] | None, **named: int | None) -> dict[str, object]:
    """Collect the compile options of a command line, from their own flags and from --option."""
    from weft.cli.compile import parse_assignments

    options: dict[str, object] = {name: value for name, value in named.items() if value is not None}
    assigned = parse_assignments(others or (), "--option")
    for name in sorted(options.keys() & assigned.keys()):
        flag = f"--{name.replace('_', '-')}"
        raise WeftError(f"{name} is given twice", found=f"{flag} and --option {name}=")
    return options | assigned


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


@app.command(name="compile")
def compile_(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE.py[::KERNEL]", help="A kernel, or a .ttir or .ttgir file."),
    ],
    target: Annotated[
        str, typer.Option("--target", "-t", help="cuda:90, hip:gfx942, …; see `weft targets`.")
    ],
    signature: Signature = None,
    constexpr: Constants = None,
    case: Case = None,
    num_warps: NumWarps = None,
    num_stages: NumStages = None,
    num_ctas: Annotated[int | None, typer.Option("--num-ctas", help="Blocks per cluster.")] = None,
    option: Others = None,
    emit: Annotated[
        str | None,
        typer.Option(
            "--emit",
            help="source, ttir, ttgir (default: the last one), llir, ptx, cubin, amdgcn, hsaco; "
            "layouts prints a table of them.",
        ),
    ] = None,
    stop_after: Annotated[
        str | None,
        typer.Option(
            "--stop-after", metavar="STAGE", help="ttir, convert, layout, loops or final."
        ),
    ] = None,
    locations: Annotated[bool, typer.Option(help="Print source locations in IR.")] = False,
    output: Output = "-",
) -> None:
    """Compile a kernel, and print its IR or machine code."""
    from weft.cli import compile as command

    request = command.Request(
        file=file,
        target=target,
        signature=signature,
        constexprs=command.parse_assignments(constexpr or (), "--constexpr"),
        case=case,
        options=_options(option, num_warps=num_warps, num_stages=num_stages, num_ctas=num_ctas),
        emit=emit,
        stop_after=stop_after,
        locations=locations,
        output=output,
    )
    command.run(request)


@app.command(name="explain")
def explain(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE.py[::KERNEL]",
            help="A kernel, or a .ttir or .ttgir file.",
        ),
    ],
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Not needed for a .ttgir file.")
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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    line: Annotated[int | None, typer.Option("--line", help="Only this source line.")] = None,
    value: Annotated[str | None, typer.Option("--value", help="Only this IR value: %acc.")] = None,
    against: Annotated[
        str | None,
        typer.Option("--against", help="Compare with a file, a target, or options: num_warps=8."),
    ] = None,
    output: Output = "-",
) -> None:
    """Explain the layouts of a kernel: why each was chosen, what it costs, what to try."""
    from weft.cli import explain as command
    from weft.cli.compile import parse_assignments

    request = command.Request(
        file=file,
        target=target,
        signature=signature,
        constexprs=parse_assignments(constexpr or (), "--constexpr"),
        case=case,
        options=_options(option, num_warps=num_warps, num_stages=num_stages),
        stop_after=stop_after,
        as_json=as_json,
        line=line,
        value=value,
        against=against,
        output=output,
    )
    command.run(request)


@app.command(
    name="opt",
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def opt(ctx: typer.Context) -> None:
    """Run passes on IR text, with the flags of triton-opt; see `weft opt --help`."""
    from weft.cli import opt as command

    if code := command.run(ctx.args):
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
    file: Annotated[Path, typer.Argument(metavar="FILE.py", help="Python program.")],
    as_triton: Annotated[
        bool, typer.Option("--as-triton", help="Let its `import triton` find weft.")
    ] = False,
) -> None:
    """Run a program whose kernels weft launches; it receives the remaining arguments."""
    from weft.cli import run as command

    command.run(file, ctx.args, as_triton)


@app.command(
    name="bench",
    context_settings={"allow_extra_args": True, "allow_interspersed_args": True},
)
def bench(
    ctx: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE.py[::KERNEL]",
            help="A program, or a file with BENCHES.",
        ),
    ],
    call: Annotated[
        str | None,
        typer.Option(
            "--call",
            metavar="PYTHON",
            help="Evaluate this instead of running FILE.",
        ),
    ] = None,
    device: Annotated[
        str | None, typer.Option("--device", help="cpu or cuda. Default: the GPU, if there is one.")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Board whose limits apply: H200 SXM, hip:gfx942, …"),
    ] = None,
    budget: Annotated[float, typer.Option("--ms", help="ms to spend on each measurement.")] = 100.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot", metavar="FILE.svg", help="Draw the rates of BENCHES over the sizes."
        ),
    ] = None,
) -> None:
    """Time the kernels that FILE launches, relative to the limits of a board."""
    from weft.cli.bench.command import run
    from weft.cli.bench.request import Request

    run(Request(file, ctx.args, call, device, target, budget, as_json, plot))


app.add_typer(cache, name="cache")
app.command(name="layout", cls=LayoutCommand)(layout)


@app.command(name="targets")
def targets() -> None:
    """List the supported targets."""
    from weft.cli import targets as command

    command.run()
