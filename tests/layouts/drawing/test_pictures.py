"""Pictures: what is in them, that they can be read, and that a browser draws them."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from weft.errors import LayoutError
from weft.layouts import LinearLayout, PaddedSharedEncoding, SwizzledSharedEncoding, parse
from weft.layouts.drawing import html, picture, svg
from weft.layouts.drawing.palette import DARK_TEXT, LIGHT_TEXT, palette

MMA = parse(
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1], "
    "instrShape = [16, 8]}>"
).linear((32, 8))
SWIZZLE = SwizzledSharedEncoding(8, 1, 8, (1, 0)).linear((16, 64))
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def contrast(one: str, other: str) -> float:
    """Return WCAG's contrast of two colours."""
    lights = []
    for colour in (one, other):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        lights.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(lights) + 0.05) / (min(lights) + 0.05)


@pytest.mark.parametrize("count", [1, 2, 4, 32, 64, 128])
def test_text_is_legible_on_every_colour(count):
    for colour in palette(count):
        assert contrast(colour.light, LIGHT_TEXT) >= 7
        assert contrast(colour.dark, DARK_TEXT) >= 5.5


@pytest.mark.parametrize("count", [2, 4, 16, 32, 64])
def test_neighbours_differ(count):
    colours = palette(count)
    assert len({c.light for c in colours}) == len({c.dark for c in colours}) == count


def test_cells_of_a_distributed_layout():
    image = picture(MMA, "mma")
    (panel,) = image.panels
    assert (panel.rows, panel.columns) == (32, 8)
    assert image.schemes == (("lane", 32), ("register", 4), ("warp", 2))
    cell = next(c for c in panel.cells if (c.row, c.column) == (25, 3))
    assert cell.label == "T37:3"
    assert cell.note == "element (25, 3)\nblock 0, warp 1, lane 5, register 3"
    assert cell.groups == (5, 3, 1)


def test_hardware_view_has_a_panel_per_warp():
    image = picture(MMA, "mma", hardware=True)
    assert [panel.title for panel in image.panels] == ["warp 0", "warp 1"]
    assert (image.panels[0].rows, image.panels[0].columns) == (4, 32)
    cell = image.panels[1].cells[3 * 32 + 5]
    assert (cell.label, cell.row, cell.column) == ("25:3", 3, 5)


def test_repeated_elements_name_every_holder():
    layout = LinearLayout.from_bases({"register": [[1]], "lane": [[2], [0]]}, ["dim0"])
    cell = picture(layout, "").panels[0].cells[3]
    assert cell.label == "T1:1 +1"
    assert cell.note == "element (3)\nlane 1, register 1\nlane 3, register 1"


def test_an_element_that_is_held_nowhere():
    layout = LinearLayout.from_bases({"lane": [[1]]}, {"dim0": 4}, surjective=False)
    cell = picture(layout, "").panels[0].cells[2]
    assert (cell.label, cell.note, cell.groups) == ("", "element (2)\nheld nowhere", (-1,))


def test_shared_memory_has_banks():
    image = picture(SWIZZLE, "", bits=16)
    assert image.schemes == (("bank", 32), ("row", 16))
    cell = image.panels[0].cells[64 + 3]  # row 1, column 3 lies in vector 0 ^ 1
    assert cell.note == "element (1, 3)\noffset 75, byte 150, bank 5"
    assert image.panels[0].cells[40].note == "element (0, 40)\noffset 40, byte 80, bank 20"
    lines = picture(SWIZZLE, "", bits=16, hardware=True).panels[0]
    assert (lines.rows, lines.columns) == (16, 64)
    assert lines.cells[75].label == "1:3"
    assert picture(SWIZZLE, "").schemes == (("row", 16),)
    wide = picture(SWIZZLE, "", bits=16, hardware=True, banks=64)
    assert wide.schemes[0] == ("bank", 64)
    assert (wide.panels[0].rows, wide.panels[0].columns) == (8, 128)


def test_padding_moves_lines():
    encoding = PaddedSharedEncoding.with_identity((64,), (8,), (4, 64), (1, 0))
    image = picture(encoding.linear((4, 64)), "", bits=16, hardware=True, padding=((64, 8),))
    (panel,) = image.panels
    assert (panel.rows, panel.columns) == (5, 64)
    second = panel.cells[64]
    assert (second.row, second.column, second.label) == (1, 8, "1:0")


def test_more_dimensions_are_more_panels():
    layout = LinearLayout.from_bases(
        {"register": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, ["a", "b", "c"]
    )
    assert [panel.title for panel in picture(layout, "").panels] == ["[0, :, :]", "[1, :, :]"]


def test_layouts_with_other_dimension_names():
    layout = LinearLayout.from_bases({"thread": [[1, 1]], "warp": [[0, 1]]}, ["row", "column"])
    assert [c.label for c in picture(layout, "").panels[0].cells] == [
        "w0 t0", "w1 t0", "w1 t1", "w0 t1",
    ]  # fmt: skip
    with pytest.raises(LayoutError, match="the hardware view draws registers of lanes"):
        picture(layout, "", hardware=True)


def test_too_many_cells():
    layout = LinearLayout.identity_1d(1 << 15, "lane", "dim0")
    with pytest.raises(LayoutError, match="too many cells for a picture\n  found: 32768"):
        picture(layout, "")


def test_svg_is_one_document_that_loads_nothing():
    text = svg(picture(MMA, "<mma> & co"), "warp")
    root = ET.fromstring(text)
    cells = [g for g in root.iter("{http://www.w3.org/2000/svg}g") if "cell" in g.get("class", "")]
    assert len(cells) == 256
    assert root.get("data-color") == "warp"
    assert "prefers-color-scheme:dark" in text
    assert not re.search(r"(?:href|src)=|url\(|@import", text)


def test_html_offers_every_scheme():
    text = html(picture(MMA, "mma"), "register")
    assert re.findall(r'value="(\w+)"( checked)?', text) == [
        ("lane", ""), ("register", " checked"), ("warp", ""),
    ]  # fmt: skip
    assert not re.search(r"(?:href|src)=|url\(|@import", text)


def test_unknown_colours():
    with pytest.raises(LayoutError, match=r"(?s)no such colour scheme.*did you mean lane"):
        svg(picture(MMA, ""), "lanes")


def browse(tmp_path: Path, name: str, text: str, *options: str) -> str:
    """Open a page in a headless browser and return the document it holds afterwards."""
    file = tmp_path / name
    file.write_text(text)
    assert CHROMIUM
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=800,600"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", *options, file.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium (Debian's package of that name)")
def test_a_browser_colours_cells_and_follows_the_pointer(tmp_path):
    """The script of the test points at a cell, chooses a scheme, and writes down what it sees."""
    probe = """<script>
      const results = [], cell = document.querySelectorAll('.cell')[1];
      const fill = () => getComputedStyle(cell.querySelector('rect')).fill;
      results.push(fill());
      cell.dispatchEvent(new Event('pointerenter'));
      results.push(document.querySelector('output').textContent.split('\\n')[0]);
      results.push(document.querySelectorAll('.cell:not(.dim)').length);
      document.querySelector('input[value=register]').click();
      results.push(fill(), document.querySelectorAll('.dim').length);
      cell.dispatchEvent(new Event('pointerenter'));
      results.push(document.querySelectorAll('.cell:not(.dim)').length);
      results.push(getComputedStyle(document.body).backgroundColor);
      document.body.textContent = results.join(' | ');
    </script></body>"""
    text = html(picture(MMA, "mma")).replace("</body>", probe)
    colours = palette(32)[0], palette(4)[1]
    for dark, background in ((False, "rgb(255, 255, 255)"), (True, "rgb(20, 22, 26)")):
        scheme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
        document = browse(tmp_path, "mma.html", text, scheme, "--dump-dom")
        fills = [
            f"rgb({', '.join(str(int(c[i : i + 2], 16)) for i in (1, 3, 5))})"
            for c in (each.dark if dark else each.light for each in colours)
        ]
        expected = [fills[0], "element (0, 1)", "8", fills[1], "0", "64", background]
        assert " | ".join(expected) in document


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium (Debian's package of that name)")
def test_a_browser_draws_svg(tmp_path):
    shot = tmp_path / "shot.png"
    browse(tmp_path, "mma.svg", svg(picture(MMA, "mma")), f"--screenshot={shot}")
    assert shot.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    # A blank page of this size compresses to a few hundred bytes.
    assert shot.stat().st_size > 10_000
