"""An inventory as tables for a terminal, or as plain text of a given width."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from weft.explain.inventory import Conversion, Inventory, LayoutUse, by_line
from weft.layouts import BlockedEncoding, Encoding

_MOST_SHAPES = 2
_LONGEST_DESCRIPTION = 38


def tables(found: Inventory, note: str = "") -> RenderableType:
    """Return what `rich` prints: a headline, the layouts, the conversions by kernel line.

    Args: note: more for the headline, such as how long the compilation took.
    """
    return Group(
        Text.assemble((_headline(found), "bold"), f"  {note}" if note else ""),
        Text(),
        _layouts(found.layouts),
        Text(),
        _conversions(found).append(_total(found), "bold"),
    )


def text(found: Inventory, note: str = "", width: int = 100) -> str:
    """Return the tables as plain text, `width` columns wide."""
    console = Console(width=width, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(tables(found, note))
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def _headline(found: Inventory) -> str:
    return f"{found.kernel}  {found.target}  {found.num_warps} warps × {found.lanes} lanes"


def _total(found: Inventory) -> str:
    count = len(found.conversions)
    return (
        f"{count} conversion{'' if count == 1 else 's'}, "
        f"{_kib(found.converted_bytes)}, {found.in_loops} in loops"
    )


def _table(*columns: str) -> Table:
    return Table(*columns, box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))


def _layouts(uses: Sequence[LayoutUse]) -> Table:
    table = _table("layout", "per thread · lanes · warps · order", "tensors", "of")
    table.columns[0].no_wrap = table.columns[1].no_wrap = table.columns[3].no_wrap = True
    table.columns[0].min_width = max((len(use.name) for use in uses), default=0)
    table.columns[1].max_width = _LONGEST_DESCRIPTION  # the others are what one looks for
    table.columns[2].justify, table.columns[2].min_width = "right", len("tensors")
    for use in uses:
        shapes = ", ".join(use.shapes[:_MOST_SHAPES])
        more = len(use.shapes) - _MOST_SHAPES
        table.add_row(
            Text(use.name, style="magenta"),
            describe(use.encoding),
            str(use.tensors),
            Text(f"{shapes} +{more}" if more > 0 else shapes, style="yellow"),
        )
    return table


def describe(encoding: Encoding) -> str:
    """Say the fields of a layout in short; a name built on another layout has said them."""
    if isinstance(encoding, BlockedEncoding):
        sizes = (encoding.size_per_thread, encoding.threads_per_warp, encoding.warps_per_cta)
        return " · ".join([*map(_by, sizes), ",".join(map(str, encoding.order))])
    if encoding.alias is None:
        return ""
    return ", ".join(f"{key} {_plain(value)}" for key, value in encoding.fields())


def _by(sizes: Sequence[int]) -> str:
    return "×".join(map(str, sizes))


def _plain(value: object) -> str:
    return "[" + ", ".join(map(_plain, value)) + "]" if isinstance(value, tuple) else str(value)


def _conversions(found: Inventory) -> Text:
    """Return a heading for every kernel line, and below it the conversions that it causes."""
    groups = by_line(found.conversions)
    rows = [
        [_row(conversion, count) for conversion, count in Counter(group).items()]
        for _, group in groups
    ]
    widths = [max(map(len, column)) for column in zip(*chain(*rows), strict=True)]
    text = Text(no_wrap=True, overflow="ellipsis")
    for (place, _), part in zip(groups, rows, strict=True):
        where = f"{Path(place.file).name}:{place.line}" if place else "(no source line)"
        text.append(where, "bold")
        text.append(f"  {place.source.strip()}\n" if place else "\n")
        for row in part:
            _append_row(text, row, widths)
    return text


_STYLES = ("", "yellow", "magenta", "", "")
_RIGHT = (0, 3)


def _row(conversion: Conversion, count: int) -> tuple[str, ...]:
    return (
        f"{count} ×",
        conversion.shape,
        f"{conversion.before} → {conversion.after}",
        _kib(conversion.size_bytes * count),
        "in a loop" if conversion.loop_depth else "",
    )


def _append_row(text: Text, row: Sequence[str], widths: Sequence[int]) -> None:
    for number, (cell, width) in enumerate(zip(row, widths, strict=True)):
        padded = cell.rjust(width) if number in _RIGHT else cell.ljust(width)
        text.append("  ")
        text.append(padded, _STYLES[number])
    text.append("\n")


def _kib(size_bytes: int) -> str:
    return f"{size_bytes / 1024:.4g} KiB"
