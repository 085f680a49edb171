"""Print an inventory as tables for a terminal, or as plain text of a given width."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from weft.explain.inventory import Conversion, Inventory, LayoutUse
from weft.explain.source_lines import group_by_line
from weft.layouts import BlockedEncoding, Encoding

__all__ = ["describe_encoding", "tables", "text"]

_MAX_SHAPES = 2
_MAX_DESCRIPTION_WIDTH = 38


def tables(inventory: Inventory, note: str = "") -> RenderableType:
    """Build what `rich` prints: a headline, the layouts, the conversions by kernel line.

    Args:
        inventory: The inventory.
        note: A text after the headline, such as the compile time.
    """
    return Group(
        Text.assemble((_headline(inventory), "bold"), f"  {note}" if note else ""),
        Text(),
        _layout_table(inventory.layouts),
        Text(),
        _conversion_lines(inventory).append(_total(inventory), "bold"),
    )


def text(inventory: Inventory, note: str = "", width: int = 100) -> str:
    """Format the tables as plain text.

    Args:
        inventory: The inventory.
        note: As of `tables`.
        width: The number of columns.
    """
    console = Console(width=width, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(tables(inventory, note))
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def _headline(inventory: Inventory) -> str:
    launch = inventory.launch
    return f"{launch.kernel}  {launch.target}  {launch.num_warps} warps × {launch.lanes} lanes"


def _total(inventory: Inventory) -> str:
    count = len(inventory.conversions)
    return (
        f"{count} conversion{'' if count == 1 else 's'}, "
        f"{_kib(inventory.converted_bytes)}, {inventory.in_loops} in loops"
    )


def _layout_table(uses: Sequence[LayoutUse]) -> Table:
    table = Table(
        *("layout", "per thread · lanes · warps · order", "tensors", "of"),
        box=None,
        pad_edge=False,
        header_style="dim",
        padding=(0, 2, 0, 0),
    )
    name, description, tensors, shapes = table.columns
    # On a narrow terminal the description is cut first; names and shapes are what one looks for.
    name.no_wrap = description.no_wrap = shapes.no_wrap = True
    name.min_width = max((len(use.name) for use in uses), default=0)
    description.max_width = _MAX_DESCRIPTION_WIDTH
    tensors.justify, tensors.min_width = "right", len("tensors")
    for use in uses:
        table.add_row(
            Text(use.name, style="magenta"),
            describe_encoding(use.encoding),
            str(use.tensors),
            Text(_shapes(use), style="yellow"),
        )
    return table


def _shapes(use: LayoutUse) -> str:
    shapes = ", ".join(use.shapes[:_MAX_SHAPES])
    more = len(use.shapes) - _MAX_SHAPES
    return f"{shapes} +{more}" if more > 0 else shapes


def describe_encoding(encoding: Encoding) -> str:
    """Describe the fields of a layout in short; "" if its name is a description already."""
    if isinstance(encoding, BlockedEncoding):
        sizes = (encoding.size_per_thread, encoding.threads_per_warp, encoding.warps_per_cta)
        return " · ".join([*map(_by, sizes), ",".join(map(str, encoding.order))])
    if encoding.alias is None:
        return ""
    return ", ".join(f"{key} {_field(value)}" for key, value in encoding.fields())


def _by(sizes: Sequence[int]) -> str:
    return "×".join(map(str, sizes))


def _field(value: object) -> str:
    return "[" + ", ".join(map(_field, value)) + "]" if isinstance(value, tuple) else str(value)


def _conversion_lines(inventory: Inventory) -> Text:
    """Format each kernel line as a heading, with its conversions below."""
    groups = group_by_line(inventory.conversions)
    # Equal conversions of one line, as from an unrolled loop, share a row with their count.
    rows = [
        [_row(conversion, count) for conversion, count in Counter(group).items()]
        for _, group in groups
    ]
    widths = [max(map(len, column)) for column in zip(*chain(*rows), strict=True)]
    text = Text(no_wrap=True, overflow="ellipsis")
    for (location, _), group_rows in zip(groups, rows, strict=True):
        if location is None:
            text.append("(no source line)", "bold")
            text.append("\n")
        else:
            text.append(f"{Path(location.file).name}:{location.line}", "bold")
            text.append(f"  {location.source.strip()}\n")
        for row in group_rows:
            _append_row(text, row, widths)
    return text


_COLUMN_STYLES = ("", "yellow", "magenta", "", "")
_RIGHT_ALIGNED = (0, 3)


def _row(conversion: Conversion, count: int) -> tuple[str, ...]:
    return (
        f"{count} ×",
        conversion.shape,
        f"{conversion.before} → {conversion.after}",
        _kib(conversion.size_bytes * count),
        "in a loop" if conversion.loop_depth else "",
    )


def _append_row(text: Text, row: Sequence[str], widths: Sequence[int]) -> None:
    for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
        aligned = cell.rjust(width) if column in _RIGHT_ALIGNED else cell.ljust(width)
        text.append("  ")
        text.append(aligned, _COLUMN_STYLES[column])
    text.append("\n")


def _kib(size_bytes: int) -> str:
    return f"{size_bytes / 1024:.4g} KiB"
