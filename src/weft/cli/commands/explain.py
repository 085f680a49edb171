"""The arguments and options of `weft explain`."""

from __future__ import annotations

from typing import Annotated

import typer

from weft.cli.options import (
    Arguments,
    AsTriton,
    Case,
    Constants,
    KernelFile,
    Launches,
    Layouts,
    NumStages,
    NumWarps,
    Others,
    Output,
    PrintJson,
    Signature,
    compile_options,
)
from weft.cli.triton_name import triton_name

__all__ = ["explain"]


def explain(
    file: KernelFile,
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
    as_json: PrintJson = False,
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
        options=compile_options(
            option, num_warps=num_warps, num_stages=num_stages, layouts=layouts
        ),
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
