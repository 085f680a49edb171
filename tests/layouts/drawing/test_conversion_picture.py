"""Pictures of conversions: each cell shows where the plan moves an element."""

from __future__ import annotations

import re

import pytest

from tests.layouts.drawing.test_pictures import CHROMIUM, browse
from weft.errors import LayoutError
from weft.layouts import BlockedEncoding, LinearLayout, conversion
from weft.layouts.drawing import (
    conversion_picture,
    conversion_steps,
    html,
    svg,
)
from weft.layouts.plans.shared_memory_plan import SharedPlan
from weft.layouts.plans.shuffle_plan import ShufflePlan
from weft.layouts.plans.transposition_plan import TranspositionPlan
from weft.targets import target

ROWS = BlockedEncoding((1, 4), (8, 4), (1, 1), (1, 0)).linear((8, 16))
COLUMNS = BlockedEncoding((4, 1), (2, 16), (1, 1), (0, 1)).linear((8, 16))
WARPS = BlockedEncoding((1, 4), (8, 4), (2, 1), (1, 0)).linear((16, 32))
OTHER_WARPS = BlockedEncoding((4, 1), (2, 16), (1, 2), (0, 1)).linear((16, 32))
PAIRS = BlockedEncoding((1, 2), (8, 4), (1, 1), (1, 0)).linear((8, 8))
PAIRS_DOWN = BlockedEncoding((1, 1), (8, 4), (1, 1), (1, 0)).linear((8, 8))
WAVE = BlockedEncoding((2, 2), (32, 2), (1, 1), (1, 0)).linear((64, 4))
WAVE_DOWN = BlockedEncoding((2, 2), (32, 2), (1, 1), (0, 1)).linear((64, 4))
CASES = {
    "rounds": (ROWS, COLUMNS, 32, "sm_90"),
    "swaps": (WAVE, WAVE_DOWN, 16, "gfx950"),
    "memory": (WARPS, OTHER_WARPS, 16, "sm_90"),
    "exchange": (PAIRS, PAIRS_DOWN, 32, "sm_90"),
    "nothing": (ROWS, ROWS, 32, "sm_90"),
}
cases = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
NOTE = re.compile(
    r"element \((\d+), (\d+)\)\nblock (\d+), warp (\d+), lane (\d+), register (\d+)\n"
    r"from block (\d+), warp (\d+), lane (\d+), register (\d+)"
)


def convert(case):
    source, other, bits, chip = case
    return conversion(source, other, bits, target(chip).shared_memory)


def element_at(layout: LinearLayout, place: list[int]) -> tuple[int, int]:
    names = ("block", "warp", "lane", "register")
    row, column = layout.apply(dict(zip(names, place, strict=True))).values()
    return row, column


@cases
def test_a_cell_names_its_source_and_target(case) -> None:
    """The source holds a cell's element at the place it came from, the target at its own place."""
    result = convert(case)
    image = conversion_picture(result, "")
    after = [panel for panel in image.panels if panel.title.startswith("to ")]
    assert len(after) == case[1].in_size("warp")
    for panel in after:
        for cell in panel.cells:
            match = NOTE.match(cell.note)
            assert match
            row, column, *places = map(int, match.groups())
            assert element_at(result.plan.target, places[:4]) == (row, column)
            assert element_at(result.plan.source, places[4:]) == (row, column)


def test_rounds_are_colours() -> None:
    result = convert(CASES["rounds"])
    assert isinstance(result.plan, ShufflePlan)
    image = conversion_picture(result, "")
    assert image.schemes[0] == ("round", 4)
    start, end = image.panels
    assert {cell.groups[0] for cell in start.cells} == {-1}
    for lane in range(32):
        assert sorted(c.groups[0] for c in end.cells if c.column == lane) == [0, 1, 2, 3]
    assert [line.partition(":")[0] for line in conversion_steps(result)] == [
        f"round {n}" for n in range(4)
    ]


def test_steps_are_panels() -> None:
    result = convert(CASES["swaps"])
    assert isinstance(result.plan, TranspositionPlan)
    image = conversion_picture(result, "")
    assert len(image.panels) == 2 + len(result.plan.steps)
    assert all(f"after the {line}: warp 0" == panel.title for line, panel in zip(
        conversion_steps(result), image.panels[1:], strict=False))  # fmt: skip
    exchange = convert(CASES["exchange"])
    assert any(
        "exchange of register bit" in line for line in conversion_steps(exchange)
    ) or isinstance(exchange.plan, ShufflePlan)


def test_memory_is_a_panel() -> None:
    result = convert(CASES["memory"])
    assert isinstance(result.plan, SharedPlan)
    image = conversion_picture(result, "")
    (memory,) = [panel for panel in image.panels if panel.title.startswith("shared memory: ")]
    assert len(memory.cells) == 16 * 32
    assert memory.columns == 64  # 32 banks of 4 bytes, elements of 2
    assert image.schemes[-1] == ("bank", 32)
    for cell in memory.cells:
        offset = 64 * cell.row + cell.column
        element = result.plan.layout.apply({"offset": offset})
        assert cell.label == ":".join(str(element[name]) for name in ("dim0", "dim1"))
        assert f"offset {offset}, byte {2 * offset}, bank {offset // 2 % 32}" in cell.note
        assert cell.groups[-1] == offset // 2 % 32
    assert "through offset" in image.panels[-1].cells[0].note
    access, vectors = conversion_steps(result)
    assert " barrier, " in access
    assert vectors == f"offset = {result.plan.layout.bases['offset']}"


def test_every_case_can_be_drawn() -> None:
    for case in CASES.values():
        image = conversion_picture(convert(case), "<title>")
        assert svg(image).startswith("<svg ")
        assert "&lt;title&gt;" in html(image)


def test_too_many_cells() -> None:
    large = BlockedEncoding((1, 4), (8, 4), (4, 1), (1, 0)).linear((256, 128))
    with pytest.raises(LayoutError, match="too many cells for a picture"):
        conversion_picture(conversion(large, large, 16, target("sm_90").shared_memory), "")


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium (Debian's package of that name)")
def test_a_browser_shows_element_lane_register_and_bank(tmp_path) -> None:
    probe = """<script>
      const read = cell => {
        cell.dispatchEvent(new Event('pointerenter'));
        return document.querySelector('output').textContent.split('\\n').join(' / ');
      };
      const all = [...document.querySelectorAll('.cell')];
      const notes = [read(all[all.length - 1])];
      document.querySelector('input[value=bank]').click();
      read(all[all.length - 1]);
      notes.push(document.querySelectorAll('.cell:not(.dim)').length);
      const loads = performance.getEntriesByType('resource').length;
      document.body.textContent = [...notes, loads].join(' | ');
    </script></body>"""
    page = html(conversion_picture(convert(CASES["memory"]), "through memory")).replace(
        "</body>", probe
    )
    document = browse(tmp_path, "conversion.html", page, "--dump-dom")
    match = re.search(
        r"element \(\d+, \d+\) / block 0, warp 1, lane 31, register 7 / from block 0, warp \d+, "
        r"lane \d+, register \d+ / through offset (\d+), bank (\d+) \| (\d+) \| 0",
        document,
    )
    assert match
    # Each bank has 16 * 32 / 32 cells in each of three panels: before, in memory and after.
    assert int(match[1]) // 2 % 32 == int(match[2])
    assert int(match[3]) == 3 * 16 * 32 // 32


def test_the_title_counts_the_repetitions_through_memory() -> None:
    source = BlockedEncoding((1, 4), (8, 4), (4, 1), (1, 0)).linear((64, 32))
    other = BlockedEncoding((1, 4), (8, 4), (1, 4), (1, 0)).linear((64, 32))
    result = conversion(source, other, 32, target("sm_90").shared_memory)
    assert result.repetitions > 1
    (memory,) = [
        p for p in conversion_picture(result, "").panels if p.title.startswith("shared memory: ")
    ]
    assert f"the same bytes {result.repetitions} times over" in memory.title
