"""Lists of `weft opt`: flags, passes with their options, dialects."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import cast

from msgspec import Struct
from msgspec.structs import FieldInfo, fields

from weft.cli.opt.flags import FLAGS, Flag
from weft.cli.output import console
from weft.passes import REGISTRY, Pass, describe, pass_class
from weft.passes.pipeline_text import format_pipeline, format_value

__all__ = ["dump_pipeline", "print_dialects", "print_help", "print_passes"]

_USAGE = """\
Usage: weft opt [FLAGS] [PASSES] [FILE]

Run passes on IR text, with the flags of triton-opt. Without FILE, or with -, read stdin.

  weft opt kernel.ttir -canonicalize -cse
  weft opt kernel.ttir --convert-triton-to-tritongpu='target=hip:gfx942 num-warps=4'
  weft opt tests.mlir -split-input-file -verify-diagnostics
"""


def print_help() -> None:
    """Print the flags with their help."""
    from rich.padding import Padding
    from rich.table import Table

    out = console()
    out.print(_USAGE, highlight=False, markup=False)
    for group in dict.fromkeys(flag.group for flag in FLAGS):
        table = Table(box=None, pad_edge=False, show_header=False)
        table.add_column(style="bold cyan", min_width=36)
        table.add_column()
        for flag in FLAGS:
            if flag.group == group:
                table.add_row(_flag_text(flag), flag.help)
        if group == "Passes":
            table.add_row("-PASS[='OPTION=VALUE …']", "A pass of --list-passes; they run in order.")
        out.print(f"[bold]{group}[/]")
        out.print(Padding(table, (0, 0, 1, 2)))


def _flag_text(flag: Flag) -> str:
    names = ", ".join(f"{'-' if len(name) == 1 else '--'}{name}" for name in flag.spellings)
    value = flag.metavar if flag.metavar.startswith(("[", "=")) else f" {flag.metavar}".rstrip()
    return f"{names}{value}".replace("[", r"\[")


def print_passes() -> None:
    """Print the name of every pass, the first line of its description, and its options."""
    from rich.table import Table
    from rich.text import Text

    table = Table("pass", "description", box=None, pad_edge=False)
    for name in sorted(REGISTRY):
        text = Text(describe(name))
        for field in fields(cast("type[Struct]", pass_class(name))):
            text.append(f"\n{_option_text(field)}", style="dim")
        table.add_row(name, text)
    console().print(table)


def _option_text(field: FieldInfo) -> str:
    type_name = field.type.__name__
    name = field.name.replace("_", "-")
    if field.required:
        return f"{name}={type_name} (required)"
    return f"{name}={type_name} ({format_value(field.default)})"


def dump_pipeline(passes: Sequence[Pass]) -> None:
    """Print the passes of a run with all options, as a pipeline."""
    print(f"Pass Manager with {len(passes)} passes:\n{format_pipeline(passes)}\n", file=sys.stderr)


def print_dialects() -> None:
    """Print the names of the dialects."""
    from weft.ir.context import DIALECTS

    print("Available Dialects:", ",".join(sorted(dialect.name for dialect in DIALECTS)))
