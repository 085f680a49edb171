"""Line plots as SVG: a few series over one x axis, readable on light and on dark pages.

line_plot("vector_add", "length", "GB/s", {"weft": [(1024, 3.1), (4096, 9.8)]}, log_x=True)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape

__all__ = ["line_plot"]

_WIDTH, _HEIGHT = 640, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 72, 16, 40, 56
_COLORS = ("#3b7dd8", "#d9822b", "#3f9b52", "#b84a9a", "#8a6d3b", "#5b5bd6")
_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#16181d}.t{font-size:14px;font-weight:600}"
    ".g{stroke:#8884;stroke-width:1}polyline{fill:none;stroke-width:2}"
    "@media(prefers-color-scheme:dark){text{fill:#f3f4f6}}"
)
_TICKS = 5

Points = Sequence[tuple[float, float]]


def line_plot(
    title: str,
    x_label: str,
    y_label: str,
    series: Mapping[str, Points],
    *,
    log_x: bool = False,
    log_y: bool = False,
) -> str:
    """Draw an SVG with one line per series.

    Args:
        title: Title of the plot.
        x_label: Label of the x axis.
        y_label: Label of the y axis.
        series: The points of each line, ordered by x.
        log_x: Whether the x axis is logarithmic. It is linear if a value is not above 0.
        log_y: Whether the y axis is logarithmic. It is linear if a value is not above 0.
    """
    xs = [x for points in series.values() for x, _ in points]
    ys = [y for points in series.values() for _, y in points]
    to_x, x_ticks = _axis(xs, log_x, _LEFT, _WIDTH - _RIGHT)
    to_y, y_ticks = _axis(ys if log_y else [0.0, *ys], log_y, _HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style>",
        _text(_LEFT, 22, title, "start", ' class="t"'),
        _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 12, x_label, "middle"),
        _text(16, _TOP - 6, y_label, "start"),
    ]
    for tick in x_ticks:
        x = to_x(tick)
        parts += [_line(x, _TOP, x, _HEIGHT - _BOTTOM)]
        parts += [_text(x, _HEIGHT - _BOTTOM + 18, _number(tick), "middle")]
    for tick in y_ticks:
        y = to_y(tick)
        parts += [
            _line(_LEFT, y, _WIDTH - _RIGHT, y),
            _text(_LEFT - 8, y + 4, _number(tick), "end"),
        ]
    for n, (name, points) in enumerate(series.items()):
        color = _COLORS[n % len(_COLORS)]
        vertices = " ".join(f"{to_x(x):.1f},{to_y(y):.1f}" for x, y in points)
        parts.append(f'<polyline points="{vertices}" stroke="{color}"/>')
        parts += [
            f'<circle cx="{to_x(x):.1f}" cy="{to_y(y):.1f}" r="3" fill="{color}"/>'
            for x, y in points
        ]
        parts.append(_text(_WIDTH - _RIGHT - 4, _TOP + 16 + 16 * n, name, "end", f' fill="{color}"'
                           f' style="fill:{color}"'))  # fmt: skip
    return "\n".join([*parts, "</svg>"]) + "\n"


def _axis(
    values: Sequence[float], logarithmic: bool, start: float, end: float
) -> tuple[Callable[[float], float], list[float]]:
    """Create the function from a value to a coordinate, and choose the ticks."""
    least, greatest = min(values, default=0.0), max(values, default=1.0)
    if logarithmic and least > 0:
        low, high = math.log2(least), math.log2(greatest)
        step = max(1, math.ceil((high - low) / _TICKS))
        ticks = [2.0**power for power in range(math.ceil(low), math.floor(high) + 1, step)]
        return _between(low, high, start, end, math.log2), ticks
    step = _round_step((greatest - least) / _TICKS or 1.0)
    first, last = math.floor(least / step), math.ceil(greatest / step)
    ticks = [step * n for n in range(first, last + 1)]
    return _between(ticks[0], ticks[-1], start, end, float), ticks


def _between(
    low: float, high: float, start: float, end: float, scale: Callable[[float], float]
) -> Callable[[float], float]:
    span = high - low or 1.0
    return lambda value: start + (scale(value) - low) / span * (end - start)


def _round_step(step: float) -> float:
    """Round a step up to 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(digit * power for digit in (1, 2, 5, 10) if digit * power >= step * (1 - 1e-9))


def _number(value: float) -> str:
    """Format a number in short form: 1000, 64Ki, 0.5."""
    for size, unit in ((1 << 30, "Gi"), (1 << 20, "Mi"), (1 << 10, "Ki")):
        if value >= size and value % size == 0:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="g" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, anchor: str, attributes: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{attributes}>{escape(text)}</text>'
