"""A report as text: every section, details of decisions, singular and plural."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.explain.reports import ACCESS, CONVERSION, DOT, REPORT, VALUE
from weft.explain.model import READ_BACK
from weft.explain.text_report import text

EXPECTED = """\
kernel  cuda:90  4 warps × 32 lanes
ledger: recorded

Findings, most expensive first (cycles of a warp; a loop counts 16)
  1. 512 line 4: a conversion in a loop
     try: num_warps=8: conversions 2 → 1, cost 5,920 → 4,656
  2. 8 line 3: a conversion in a loop
     try: num_warps=8: conversions 2 → 1, cost 5,920 → 4,656

Dots
  line 5: tt.dot %acc 64x64x32xf16 by mma m16n8k16, 16 of 16x8x16 per warp, [2, 2] warps, in a loop
     the first instruction that fits
     rejected wgmma: the target has none
     rejected fma
     kWidth: 2: of one instruction

Remaining conversions: 1, 8 KiB, 1 in loops
  line 4: %11 64x64xf16 #blocked → #blocked1  8192 bytes, through shared memory, 8 store b128, 2 barriers, 16 of 64 wavefronts are bank conflicts, in a loop
     tt.load at line 3 has #blocked, tt.store at line 4 needs #blocked1
     alternative: tt.store in #blocked: 2-byte accesses instead of 16

Global memory
  line 3: tt.load 64x64xf16 in #blocked: 32 bits per thread, 8 sectors per request, 512 in total, 256 would be enough
     limited by the layout: 2 contiguous per thread

Shared memory
  line 5: ttg.local_load 64x64xf16: 16 reads of 128 bits in 96 wavefronts, 32 of them bank conflicts, in 2 loops

Layouts
  #blocked  1×4 · 4×8 · 4×1 · 1,0
  #blocked1  1×4 · 4×8 · 4×1 · 0,1

Values, with the history of their layouts
  kernel.py:3  source of line 3
    %tile  64x64xf16  #blocked
      convert: no reason was recorded
      coalesce: the widest access
  kernel.py:4  source of line 4
    %tile_3  64x64xf16  #blocked1
      convert: no reason was recorded
      coalesce: the widest access
"""  # noqa: E501


def test_all_sections():
    assert text(REPORT, width=200, values=True) == EXPECTED
    assert "Values" not in text(REPORT, width=200)


def test_details_list_the_whole_decision():
    report = replace(REPORT, values=(VALUE,))
    lines = text(report, width=200, details=True, values=True).splitlines()
    start = lines.index("      coalesce: the widest access") + 1
    assert lines[start:] == [
        "        choice: #blocked",
        "        anchor: tt.store at line 4",
        "        candidate #blocked: 16 bytes",
        "        candidate #blocked1",
        "        contiguity: 64 elements",
        "        convert costs 12 = 5 store + 7 load",
        "        rematerialize costs 30",
    ]


def test_empty_sections_are_left_out():
    empty = replace(
        REPORT, layouts=(), values=(), conversions=(), memory=(), shared=(), dots=(), findings=()
    )
    assert text(empty).splitlines() == EXPECTED.splitlines()[:2]


def test_reasons_of_a_dump_are_unknown():
    ledger = text(replace(REPORT, ledger=READ_BACK)).splitlines()[1]
    assert ledger == (
        "ledger: read back from the IR; weft did not run the passes, so their reasons are unknown"
    )


def test_entries_without_a_line():
    report = replace(REPORT, values=(replace(VALUE, location=None),), findings=(), conversions=())
    report = replace(report, memory=(replace(ACCESS, location=None),), dots=())
    lines = text(report, values=True).splitlines()
    assert "  (no source line)" in lines
    assert any(line.startswith("  no line: tt.load 64x64xf16") for line in lines)


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ("nothing", "no instructions"),
        ("registers", "registers are permuted"),
        ("shuffle", "through warp shuffles"),
        ("cluster", "through distributed shared memory"),
        ("unknown", "unknown plan"),
    ],
)
def test_plan_of_a_conversion(plan, words):
    conversion = replace(CONVERSION, plan=plan, instructions=(), barriers=1, conflicts=0)
    conversion = replace(conversion, loop_depth=0, anchors=(None, None), removal=())
    lines = text(replace(REPORT, conversions=(conversion,)), width=200).splitlines()
    start = lines.index("Remaining conversions: 1, 8 KiB, 0 in loops")
    assert lines[start + 1 : start + 4] == [
        f"  line 4: %11 64x64xf16 #blocked → #blocked1  8192 bytes, {words}, 1 barrier",
        "     no operation above needs a layout, no operation below needs a layout",
        "",
    ]


def test_conversions_are_ordered_by_cost():
    cheap, expensive = replace(CONVERSION, value="%1", cost=1), replace(CONVERSION, value="%2")
    output = text(replace(REPORT, conversions=(cheap, expensive)), width=200)
    assert output.index(": %2 ") < output.index(": %1 ")


def test_width():
    output = text(replace(REPORT, dots=(replace(DOT, facts=()),)), width=60)
    assert max(map(len, output.splitlines())) <= 60
    assert max(map(len, text(REPORT).splitlines())) <= 100
