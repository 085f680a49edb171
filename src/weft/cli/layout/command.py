"""The options of `weft layout`, with those of triton-tensor-layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from weft.cli.options import Output


class LayoutCommand(TyperCommand):
    """Accept `-l=TEXT` and `-alias-names=a,b`, as LLVM's tools do."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Split these arguments at the equals sign before parsing."""
        return super().parse_args(ctx, _split_assignments(args))


def _split_assignments(args: Sequence[str]) -> list[str]:
    result: list[str] = []
    for arg in args:
        name, equals, value = arg.partition("=")
        if equals and name in ("-l", "-t", "-i", "-o", "-alias-names"):
            result += [name, value]
        else:
            result.append(arg)
    return result


def layout(
    layout: Annotated[
        str | None,
        typer.Argument(
            metavar="LAYOUT",
            help="'#ttg.blocked<{…}>', '{register = [[0, 1]], lane = …}', or Python: "
            "'layouts.BlockedEncoding(…)'.",
        ),
    ] = None,
    attribute: Annotated[str | None, typer.Option("-l", help="The same as LAYOUT.")] = None,
    tensor_type: Annotated[
        str | None, typer.Option("--tensor", "-t", metavar="TYPE", help="tensor<16x16xf16>")
    ] = None,
    file: Annotated[
        str | None,
        typer.Option("--input", "-i", metavar="FILE", help="List the layouts of an IR file."),
    ] = None,
    alias_names: Annotated[
        str | None,
        typer.Option(
            "--alias-names", "-alias-names", metavar="A,B", help="Layouts of FILE to print."
        ),
    ] = None,
    view: Annotated[str, typer.Option("--view", help="tensor or hardware")] = "tensor",
    use_hw_view: Annotated[
        bool, typer.Option("--use-hw-view", "-use-hw-view", help="Same as --view hardware.")
    ] = False,
    linear: Annotated[bool, typer.Option("--linear", help="Print the basis vectors.")] = False,
    form: Annotated[str, typer.Option("--format", help="text, svg, html, json or cute")] = "text",
    color: Annotated[
        str | None,
        typer.Option("--color", help="Color of pictures: by lane, warp, register, bank, row, …"),
    ] = None,
    banks: Annotated[
        str | None,
        typer.Option(
            "--banks", metavar="LAYOUT", help="Bank conflicts with this shared memory layout."
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="LAYOUT", help="The conversion to this layout."),
    ] = None,
    best: Annotated[
        str | None,
        typer.Option(
            "--best",
            metavar="KIND",
            help="Search the best swizzle or padding to write this layout and read --to.",
        ),
    ] = None,
    coalescing: Annotated[
        bool, typer.Option("--coalescing", help="Sectors of a global memory access.")
    ] = False,
    target: Annotated[
        str | None, typer.Option("--target", help="cuda:90, hip:gfx942, …; see `weft targets`.")
    ] = None,
    output: Output = "-",
) -> None:
    """Print or draw a layout: which hardware location holds each tensor element."""
    from weft.cli.layout import show
    from weft.errors import LayoutError

    if layout is not None and attribute is not None:
        raise LayoutError("LAYOUT and -l exclude each other", found=f"{layout} and -l {attribute}")
    show.run(
        show.Request(
            layout=attribute if layout is None else layout,
            tensor_type=tensor_type,
            file=file,
            alias_names=tuple(name for name in (alias_names or "").split(",") if name.strip()),
            view="hardware" if use_hw_view else view,
            linear=linear,
            format=form,
            color=color,
            banks=banks,
            to=to,
            best=best,
            coalescing=coalescing,
            target=target,
            output=output,
        )
    )
