"""The arguments and options of `weft report`."""

from __future__ import annotations

from typing import Annotated

import typer

from weft.cli.options import (
    Arguments,
    AsTriton,
    Case,
    Constants,
    Launches,
    Layouts,
    NumStages,
    NumWarps,
    Others,
    Output,
    Signature,
    Targets,
    compile_options,
)
from weft.cli.triton_name import triton_name

__all__ = ["report"]


def report(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE.py[::KERNEL] [FILE]",
            help="A kernel, or a .ttir or .ttgir file; of two files the page has a comparison.",
        ),
    ],
    target: Targets = None,
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
    output: Output = "report.html",
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
        options=compile_options(
            option, num_warps=num_warps, num_stages=num_stages, layouts=layouts
        ),
        launches=launches,
        arguments=argument or (),
        optimum=optimum,
        output=output,
    )
    with triton_name(as_triton):
        command.run(request)
