"""The subcommands of `weft` and their options; each is implemented in the module of its name."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import weft
from weft.cli.cache import app as cache
from weft.cli.default_layouts import default_layouts
from weft.cli.layout.command import LayoutCommand, layout
from weft.cli.triton_name import triton_name
from weft.errors import WeftError


class _RunCommand(TyperCommand):
    """Pass everything after `-m MODULE` to the module."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for index, argument in enumerate(args):
            if argument == "-m" and index + 1 < len(args):
                args = [*args[:index], "--module", "--", *args[index + 1 :]]
                break
            if not argument.startswith("-"):
                break
        return super().parse_args(ctx, args)


class _Commands(TyperGroup):
    """Print the errors of subcommands on stderr, and exit with code 1."""

    def invoke(self, ctx: Any) -> object:
        try:
            return super().invoke(ctx)
        except WeftError as error:
            from weft.cli.output import report

            report(error)
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
Layouts = Annotated[
    str | None, typer.Option("--layouts", help="heuristic (the default), refined or optimal.")
]
Others = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Other compile options.")
]
Launches = Annotated[
    bool,
    typer.Option(
        "--launches", help="Run FILE.py on the CPU device, and take the kernels that it launches."
    ),
]
Arguments = Annotated[
    list[str] | None,
    typer.Option("--argument", help="With --launches: an argument of the program."),
]
AsTriton = Annotated[bool, typer.Option("--as-triton", help="Let its `import triton` find weft.")]
Output = Annotated[str, typer.Option("--output", "-o", help="Output file; - for stdout.")]


def _options(others: list[str] | None, **named: int | str | None) -> dict[str, object]:
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
    layouts: Layouts = None,
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
    as_triton: AsTriton = False,
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
        options=_options(
            option,
            num_warps=num_warps,
            num_stages=num_stages,
            num_ctas=num_ctas,
            layouts=layouts,
        ),
        emit=emit,
        stop_after=stop_after,
        locations=locations,
        output=output,
    )
    with triton_name(as_triton):
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
    layouts: Layouts = None,
    option: Others = None,
    stop_after: Annotated[
        str, typer.Option("--stop-after", metavar="STAGE", help="convert, layout, loops or final.")
    ] = "final",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    line: Annotated[int | None, typer.Option("--line", help="Only this source line.")] = None,
    value: Annotated[str | None, typer.Option("--value", help="Only this IR value: %acc.")] = None,
    values: Annotated[
        bool, typer.Option("--values", help="Print each tensor with the history of its layouts.")
    ] = False,
    difference: Annotated[
        str | None,
        typer.Option("--diff", metavar="PASS", help="Print what a pass changes and decides."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option("--against", help="Compare with a file, a target, or options: num_warps=8."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="What if: the layout of a value (%x=#blocked), an option, or a constexpr.",
        ),
    ] = None,
    assumptions: Annotated[
        list[str] | None,
        typer.Option("--assume", metavar="FACT", help="What if: 'n % 16 == 0', '0 < n < 4096'."),
    ] = None,
    trials: Annotated[
        int, typer.Option("--trials", min=0, help="Compiles to try edits with; 0 tries none.")
    ] = 16,
    optimum: Annotated[
        bool,
        typer.Option(
            "--optimum", help="Find the cheapest layouts, and print how far the kernel's are."
        ),
    ] = False,
    launches: Launches = False,
    argument: Arguments = None,
    as_triton: AsTriton = False,
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
        options=_options(option, num_warps=num_warps, num_stages=num_stages, layouts=layouts),
        stop_after=stop_after,
        as_json=as_json,
        line=line,
        value=value,
        values=values,
        difference=difference,
        settings=settings or (),
        assumptions=assumptions or (),
        trials=trials,
        optimum=optimum,
        launches=launches,
        arguments=argument or (),
        against=against,
        output=output,
    )
    with triton_name(as_triton):
        command.run(request)


@app.command(name="report")
def report(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE.py[::KERNEL] [FILE]",
            help="A kernel, or a .ttir or .ttgir file; of two files the page has a comparison.",
        ),
    ],
    target: Annotated[
        list[str] | None,
        typer.Option("--target", "-t", help="May be given twice. Not needed for a .ttgir file."),
    ] = None,
    signature: Signature = None,
    constexpr: Constants = None,
    case: Case = None,
    num_warps: NumWarps = None,
    num_stages: NumStages = None,
    layouts: Layouts = None,
    option: Others = None,
    optimum: Annotated[
        bool,
        typer.Option(
            "--optimum", help="Find the cheapest layouts, and show how far the kernel's are."
        ),
    ] = False,
    launches: Launches = False,
    argument: Arguments = None,
    as_triton: AsTriton = False,
    output: Annotated[
        str, typer.Option("--output", "-o", help="Output file; - for stdout.")
    ] = "report.html",
) -> None:
    """Write a page about a kernel: source, IR, machine code, passes, loops, layouts, memory."""
    from weft.cli import report as command
    from weft.cli.compile import parse_assignments

    request = command.Request(
        files=files,
        targets=target or (),
        signature=signature,
        constexprs=parse_assignments(constexpr or (), "--constexpr"),
        case=case,
        options=_options(option, num_warps=num_warps, num_stages=num_stages, layouts=layouts),
        launches=launches,
        arguments=argument or (),
        optimum=optimum,
        output=output,
    )
    with triton_name(as_triton):
        command.run(request)


@app.command(name="check")
def check(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE.py[::KERNEL]...",
            help="Files with CASES, or .ttir or .ttgir files.",
        ),
    ],
    baseline: Annotated[
        str, typer.Option("--baseline", "-b", metavar="FILE", help="The recorded costs, as JSON.")
    ],
    target: Annotated[
        list[str] | None,
        typer.Option("--target", "-t", help="May be given twice. Not needed for a .ttgir file."),
    ] = None,
    option: Others = None,
    update: Annotated[
        bool, typer.Option("--update", help="Record the costs of these files.")
    ] = False,
    registers: Annotated[
        bool,
        typer.Option("--registers", help="Also assemble, and compare registers and spills."),
    ] = False,
    tolerance: Annotated[
        list[str] | None,
        typer.Option(
            "--tolerance", metavar="COST=PERCENT", help="Accept a cost that is worse by less."
        ),
    ] = None,
    launches: Launches = False,
    argument: Arguments = None,
    as_triton: AsTriton = False,
) -> None:
    """Compare the costs of kernels with recorded ones; exit with code 1 if one is worse."""
    from weft.cli import check as command
    from weft.cli.compile import parse_assignments

    request = command.Request(
        files=files,
        targets=target or (),
        baseline=baseline,
        update=update,
        registers=registers,
        tolerances=parse_assignments(tolerance or (), "--tolerance"),
        options=_options(option),
        launches=launches,
        arguments=argument or (),
    )
    with triton_name(as_triton):
        code = command.run(request)
    if code:
        raise typer.Exit(code)


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
    cls=_RunCommand,
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
    },
)
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
    layouts: Layouts = None,
    as_triton: AsTriton = False,
) -> None:
    """Time the kernels that FILE launches, relative to the limits of a board."""
    from weft.cli.bench.command import run
    from weft.cli.bench.request import Request

    with triton_name(as_triton), default_layouts(layouts):
        run(Request(file, ctx.args, call, device, target, budget, as_json, plot))


app.add_typer(cache, name="cache")
app.command(name="layout", cls=LayoutCommand)(layout)


@app.command(name="targets")
def targets() -> None:
    """List the supported targets."""
    from weft.cli import targets as command

    command.run()
