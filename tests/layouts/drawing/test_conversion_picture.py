"""Conversions as they are carried out: what the pictures say is what the plan does."""

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


def planned(case):
    source, other, bits, chip = case
    return conversion(source, other, bits, target(chip).shared_memory)


def held(layout: LinearLayout, place: list[int]) -> tuple[int, int]:
    names = ("block", "warp", "lane", "register")
    row, column = layout.apply(dict(zip(names, place, strict=True))).values()
    return row, column


@cases
def test_what_a_cell_says_is_so(case) -> None:
    """The place that a cell came from holds its element in the source, its own in the target."""
    found = planned(case)
    made = conversion_picture(found, "")
    arrived = [panel for panel in made.panels if panel.title.startswith("to ")]
    assert len(arrived) == case[1].in_size("warp")
    for panel in arrived:
        for cell in panel.cells:
            match = NOTE.match(cell.note)
            assert match
            row, column, *places = map(int, match.groups())
            assert held(found.plan.target, places[:4]) == (row, column)
            assert held(found.plan.source, places[4:]) == (row, column)


def test_rounds_are_colours() -> None:
    found = planned(CASES["rounds"])
    assert isinstance(found.plan, ShufflePlan)
    made = conversion_picture(found, "")
    assert made.schemes[0] == ("round", 4)
    start, end = made.panels
    assert {cell.groups[0] for cell in start.cells} == {-1}
    for lane in range(32):
        assert sorted(c.groups[0] for c in end.cells if c.column == lane) == [0, 1, 2, 3]
    assert [line.partition(":")[0] for line in conversion_steps(found)] == [
        f"round {n}" for n in range(4)
    ]


def test_steps_are_panels() -> None:
    found = planned(CASES["swaps"])
    assert isinstance(found.plan, TranspositionPlan)
    made = conversion_picture(found, "")
    assert len(made.panels) == 2 + len(found.plan.steps)
    assert all(f"after the {line}: warp 0" == panel.title for line, panel in zip(
        conversion_steps(found), made.panels[1:], strict=False))  # fmt: skip
    exchange = planned(CASES["exchange"])
    assert any(
        "exchange of register bit" in line for line in conversion_steps(exchange)
    ) or isinstance(exchange.plan, ShufflePlan)


def test_memory_is_a_panel() -> None:
    found = planned(CASES["memory"])
    assert isinstance(found.plan, SharedPlan)
    made = conversion_picture(found, "")
    (memory,) = [panel for panel in made.panels if panel.title.startswith("shared memory: ")]
    assert len(memory.cells) == 16 * 32
    assert memory.columns == 64  # 32 banks of 4 bytes, elements of 2
    assert made.schemes[-1] == ("bank", 32)
    for cell in memory.cells:
        offset = 64 * cell.row + cell.column
        element = found.plan.layout.apply({"offset": offset})
        assert cell.label == ":".join(str(element[name]) for name in ("dim0", "dim1"))
        assert f"offset {offset}, byte {2 * offset}, bank {offset // 2 % 32}" in cell.note
        assert cell.groups[-1] == offset // 2 % 32
    assert "through offset" in made.panels[-1].cells[0].note
    access, vectors = conversion_steps(found)
    assert " barrier, " in access
    assert vectors == f"offset = {found.plan.layout.bases['offset']}"


def test_a_picture_of_it_can_be_drawn() -> None:
    for case in CASES.values():
        made = conversion_picture(planned(case), "<a way>")
        assert svg(made).startswith("<svg ")
        assert "&lt;a way&gt;" in html(made)


def test_too_many_cells() -> None:
    large = BlockedEncoding((1, 4), (8, 4), (4, 1), (1, 0)).linear((256, 128))
    with pytest.raises(LayoutError, match="too many cells for a picture"):
        conversion_picture(conversion(large, large, 16, target("sm_90").shared_memory), "")


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium (Debian's package of that name)")
def test_a_browser_tells_element_lane_register_and_bank(tmp_path) -> None:
    probe = """<script>
      const tell = cell => {
        cell.dispatchEvent(new Event('pointerenter'));
        return document.querySelector('output').textContent.split('\\n').join(' / ');
      };
      const all = [...document.querySelectorAll('.cell')];
      const told = [tell(all[all.length - 1])];
      document.querySelector('input[value=bank]').click();
      tell(all[all.length - 1]);
      told.push(document.querySelectorAll('.cell:not(.dim)').length);
      const loads = performance.getEntriesByType('resource').length;
      document.body.textContent = [...told, loads].join(' | ');
    </script></body>"""
    page = html(conversion_picture(planned(CASES["memory"]), "by way of memory")).replace(
        "</body>", probe
    )
    seen = browse(tmp_path, "way.html", page, "--dump-dom")
    told = re.search(
        r"element \(\d+, \d+\) / block 0, warp 1, lane 31, register 7 / from block 0, warp \d+, "
        r"lane \d+, register \d+ / through offset (\d+), bank (\d+) \| (\d+) \| 0",
        seen,
    )
    assert told
    # Of one bank are, before, in memory and after, as many cells: 16 x 32 over 32 banks.
    assert int(told[1]) // 2 % 32 == int(told[2])
    assert int(told[3]) == 3 * 16 * 32 // 32


def test_memory_that_is_used_several_times_is_drawn_as_often() -> None:
    source = BlockedEncoding((1, 4), (8, 4), (4, 1), (1, 0)).linear((64, 32))
    other = BlockedEncoding((1, 4), (8, 4), (1, 4), (1, 0)).linear((64, 32))
    found = conversion(source, other, 32, target("sm_90").shared_memory)
    assert found.repetitions > 1
    (memory,) = [
        p for p in conversion_picture(found, "").panels if p.title.startswith("shared memory: ")
    ]
    assert f"the same bytes {found.repetitions} times over" in memory.title
