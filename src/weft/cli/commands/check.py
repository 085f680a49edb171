"""The arguments and options of `weft check`."""

from __future__ import annotations

from typing import Annotated

import typer

from weft.cli.options import Arguments, AsTriton, Launches, Others, Targets, compile_options
from weft.cli.triton_name import triton_name

__all__ = ["check"]


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
    target: Targets = None,
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
        options=compile_options(option),
        launches=launches,
        arguments=argument or (),
    )
    with triton_name(as_triton):
        code = command.run(request)
    if code:
        raise typer.Exit(code)
