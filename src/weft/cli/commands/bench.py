"""The arguments and options of `weft bench`."""

from __future__ import annotations

from typing import Annotated

import typer

from weft.cli.default_layouts import default_layouts
from weft.cli.options import AsTriton, Layouts, PrintJson
from weft.cli.triton_name import triton_name

__all__ = ["bench"]


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
    as_json: PrintJson = False,
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
