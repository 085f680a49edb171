"""A picture as SVG: one file without scripts, in colours for light and for dark pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from weft.errors import LayoutError, did_you_mean
from weft.layouts.drawing.palette import DARK_TEXT, LIGHT_TEXT, palette
from weft.layouts.drawing.picture import Cell, Panel, Picture

__all__ = ["scheme_of", "style", "svg"]

_FONT = "ui-monospace,SFMono-Regular,Menlo,'DejaVu Sans Mono',monospace"
_LETTER = 6.1  # width of a character at 10 px
_HEIGHT, _SMALL, _GAP, _MARGIN, _AXIS = 24, 12, 22, 14, 34
_MAX_LABELLED = 64  # columns; wider panels have colours, and text only when pointed at
_SWATCHES = 64


def svg(picture: Picture, color: str | None = None) -> str:
    """Return the picture as an SVG document.

    Args:
        picture: the picture.
        color: a scheme of the picture by name; its first if None.

    Raises:
        LayoutError: the picture has no such scheme.
    """
    name = scheme_of(picture, color)
    return drawing(picture, name, [name])


def scheme_of(picture: Picture, color: str | None) -> str:
    """Return the name of a scheme: `color` if the picture has it, its first scheme if None."""
    names = [name for name, _ in picture.schemes]
    if color is None:
        return names[0]
    if color not in names:
        raise LayoutError(
            "the picture has no such colour scheme",
            found=color,
            accepted=names,
            hint=did_you_mean(color, names),
        )
    return color


def drawing(picture: Picture, color: str, schemes: Sequence[str]) -> str:
    """Return the document.

    Args:
        picture: the picture.
        color: the scheme that colours it.
        schemes: the schemes whose rules are included, so that a script can select them.
    """
    cell_width, cell_height = _cell_size(picture.panels)
    y = _MARGIN + 38.0
    width = 14 * _LETTER + 2 * _MARGIN
    body: list[str] = []
    for panel in picture.panels:
        top = y + (20 if panel.title else 0) + 18
        if panel.title:
            body.append(
                f'<text class="t" x="{_MARGIN}" y="{y + 10:g}">{escape(panel.title)}</text>'
            )
        body += _panel(panel, [n for n, _ in picture.schemes], top, cell_width, cell_height)
        y = top + panel.rows * cell_height + _GAP
        width = max(width, _AXIS + panel.columns * cell_width + 2 * _MARGIN)
    title = _wrapped(picture.title, int((width - 2 * _MARGIN) / _LETTER))
    shift = 14 * (len(title) - 1)
    head = [
        f'<text class="t" x="{_MARGIN}" y="{_MARGIN + 8 + 14 * i}">{escape(line)}</text>'
        for i, line in enumerate(title)
    ]
    head += _legend(picture, schemes, width, _MARGIN + 18 + shift)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {y + shift:g}" '
        f'width="{width:g}" height="{y + shift:g}" data-color="{color}" role="img">\n'
        f"<title>{escape(picture.title)}</title>\n<style>{style(picture, schemes)}</style>\n"
        f'<rect class="page" width="100%" height="100%"/>\n'
        + "\n".join(head)
        + f'\n<g transform="translate(0 {shift})">\n'
        + "\n".join(body)
        + "\n</g>\n</svg>\n"
    )


def style(picture: Picture, schemes: Iterable[str]) -> str:
    """Return the rules that colour cells by class, for light pages and for dark ones."""
    light: list[str] = []
    dark: list[str] = []
    sizes = dict(picture.schemes)
    for name in schemes:
        for index, colour in enumerate(palette(sizes[name])):
            rule = f"[data-color={name}] .{name}-{index} rect"
            light.append(f"{rule}{{fill:{colour.light}}}")
            dark.append(f"{rule}{{fill:{colour.dark}}}")
        light.append(f"[data-color={name}] .key:not(.of-{name}){{display:none}}")
    return (
        f"text{{font:10px {_FONT};fill:{LIGHT_TEXT};text-anchor:middle;white-space:pre}}"
        ".t{text-anchor:start;font-size:11px}.a{fill:#6b7280;font-size:9px}.page{fill:#fff}"
        "rect{fill:#e5e7eb}.cell rect{stroke:#fff;stroke-width:1}"
        + "".join(light)
        + "@media(prefers-color-scheme:dark){"
        + f"text{{fill:{DARK_TEXT}}}.a{{fill:#9ca3af}}.page{{fill:#14161a}}rect{{fill:#2a2d34}}"
        ".cell rect{stroke:#14161a}" + "".join(dark) + "}"
    )


def _cell_size(panels: Sequence[Panel]) -> tuple[float, float]:
    if max(panel.columns for panel in panels) > _MAX_LABELLED:
        return _SMALL, _SMALL
    longest = max((len(cell.label) for panel in panels for cell in panel.cells), default=1)
    return max(_HEIGHT, round(longest * _LETTER + 8)), _HEIGHT


def _panel(
    panel: Panel, schemes: Sequence[str], top: float, width: float, height: float
) -> Iterator[str]:
    left = _AXIS + _MARGIN
    labelled = height == _HEIGHT
    step = 1 if labelled else 8
    for column in range(0, panel.columns, step):
        x = left + (column + 0.5) * width
        yield f'<text class="a" x="{x:g}" y="{top - 4:g}">{column}</text>'
    for row in range(0, panel.rows, step):
        y = top + (row + 0.5) * height + 3
        yield f'<text class="a" x="{left - 12:g}" y="{y:g}">{row}</text>'
    axes = f"{panel.row_axis} ↓  {panel.column_axis} →" if panel.row_axis else panel.column_axis
    yield f'<text class="a t" x="{_MARGIN}" y="{top - 15:g}">{escape(axes)}</text>'
    for cell in panel.cells:
        x, y = left + cell.column * width, top + cell.row * height
        yield _cell(cell, schemes, x, y, width, height, labelled)


def _cell(
    cell: Cell,
    schemes: Sequence[str],
    x: float,
    y: float,
    width: float,
    height: float,
    labelled: bool,
) -> str:
    classes = " ".join(f"{n}-{g}" for n, g in zip(schemes, cell.groups, strict=True) if g >= 0)
    text = ""
    if labelled:
        at = f'x="{x + width / 2:g}" y="{y + height / 2 + 3.5:g}"'
        text = f"<text {at}>{escape(cell.label)}</text>"
    return (
        f'<g class="cell {classes}"><title>{escape(cell.note)}</title>'
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>{text}</g>'
    )


def _legend(picture: Picture, schemes: Sequence[str], width: float, y: float) -> Iterator[str]:
    sizes = dict(picture.schemes)
    for name in schemes:
        count = sizes[name]
        shown = min(count, _SWATCHES)
        yield f'<g class="key of-{name}">'
        text = f"{name} 0" + (f" … {count - 1}" if count > 1 else "")
        yield f'<text class="t" x="{_MARGIN}" y="{y + 10}">{text}</text>'
        left = _MARGIN + (len(text) + 2) * _LETTER * 1.1
        each = min(14.0, (width - left - _MARGIN) / shown)
        for index in range(shown if each > 0 else 0):
            group = index * count // shown
            x = left + index * each
            rect = f'<rect x="{x:.1f}" y="{y}" width="{each:.1f}" height="12"/>'
            yield f'<g class="{name}-{group}">{rect}</g>'
        yield "</g>"


def _wrapped(title: str, width: int) -> list[str]:
    """Break a title at its spaces into lines of at most `width` characters of the body's font."""
    lines = [""]
    for word in title.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > max(width * 10 // 11, 12):
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return lines
