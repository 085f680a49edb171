"""The options and arguments that several subcommands have."""

from __future__ import annotations

from typing import Annotated

import typer

from weft.errors import WeftError

__all__ = [
    "Arguments",
    "AsTriton",
    "Case",
    "Constants",
    "KernelFile",
    "Launches",
    "Layouts",
    "NumStages",
    "NumWarps",
    "Others",
    "Output",
    "PrintJson",
    "Signature",
    "Targets",
    "compile_options",
]

KernelFile = Annotated[
    str,
    typer.Argument(metavar="FILE.py[::KERNEL]", help="A kernel, or a .ttir or .ttgir file."),
]
Targets = Annotated[
    list[str] | None,
    typer.Option("--target", "-t", help="May be given twice. Not needed for a .ttgir file."),
]
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
PrintJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def compile_options(others: list[str] | None, **named: int | str | None) -> dict[str, object]:
    """Collect the compile options of a command line, from their own flags and from --option."""
    from weft.cli.compile import parse_assignments

    options: dict[str, object] = {name: value for name, value in named.items() if value is not None}
    assigned = parse_assignments(others or (), "--option")
    for name in sorted(options.keys() & assigned.keys()):
        flag = f"--{name.replace('_', '-')}"
        raise WeftError(f"{name} is given twice", found=f"{flag} and --option {name}=")
    return options | assigned
