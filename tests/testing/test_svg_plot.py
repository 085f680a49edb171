"""Line plots as SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from weft.testing.svg_plot import line_plot

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_lines_points_and_labels():
    svg = line_plot("add <1>", "n", "GB/s", {"A": [(1, 2), (2, 4)], "B": [(1, 1), (2, 3)]})
    root = ElementTree.fromstring(svg)
    assert len(list(root.iter(f"{SVG}polyline"))) == 2
    assert len(list(root.iter(f"{SVG}circle"))) == 4
    assert {"add <1>", "n", "GB/s", "A", "B"} <= set(texts(svg))


def test_logarithmic_ticks_are_powers_of_two():
    points = [(1 << 10, 1.0), (1 << 20, 1.0)]
    labels = texts(line_plot("t", "x", "y", {"A": points}, log_x=True))
    assert {"1Ki", "4Ki", "1Mi"} <= set(labels)


def test_a_range_with_zero_is_linear():
    labels = texts(line_plot("t", "x", "y", {"A": [(0, 0.0), (10, 1.0)]}, log_x=True, log_y=True))
    assert {"0", "2", "10", "0.2"} <= set(labels)
