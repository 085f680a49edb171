"""The arguments and options of `weft compile`."""

from __future__ import annotations

from typing import Annotated

import typer

from weft.cli.options import (
    AsTriton,
    Case,
    Constants,
    KernelFile,
    Layouts,
    NumStages,
    NumWarps,
    Others,
    Output,
    Signature,
    compile_options,
)
from weft.cli.triton_name import triton_name

__all__ = ["compile_"]


def compile_(
    file: KernelFile,
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
        options=compile_options(
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
