"""Two reports of a kernel side by side."""

from __future__ import annotations

from dataclasses import replace

from tests.explain.reports import (
    ACCESS,
    BLOCKED,
    BLOCKED1,
    CONVERSION,
    DOT,
    REPORT,
    SHARED_ACCESS,
    VALUE,
    transpose,
)
from weft.explain import explain
from weft.explain.comparison import compare


def test_equal_reports():
    comparison = compare(REPORT, REPORT, "a", "b")
    assert comparison.is_same
    assert (
        comparison.text()
        == """\
--- a: kernel cuda:90, 4 warps
+++ b: kernel cuda:90, 4 warps
  conversions: 1
  converted bytes: 8192
  conversions in loops: 1
  barriers of conversions: 2
  sectors of global memory: 512
  requests to global memory: 64
  bank conflicts: 32
  cycles of all findings: 520
  no differences
"""
    )


def test_entries_of_each_kind():
    other = replace(
        REPORT,
        num_warps=8,
        values=(replace(VALUE, encoding=BLOCKED1, location=None), REPORT.values[1]),
        conversions=(replace(CONVERSION, before="slice dim 0 of #blocked", loop_depth=0),),
        memory=(replace(ACCESS, vector_bits=64),),
        dots=(replace(DOT, per_warp=8),),
    )
    comparison = compare(REPORT, other, "a", "b")
    assert not comparison.is_same
    assert comparison.only_first == (
        "line 5: tt.dot 64x64x32xf16 by mma m16n8k16, 16 per warp",
        f"line 4: convert_layout 64x64xf16 {BLOCKED} → {BLOCKED1}, 8192 bytes, shared",
        f"line 3: tt.load 64x64xf16 in {BLOCKED}: 32 bits, 512 sectors",
        f"line 3: tt.load 64x64xf16 in {BLOCKED}",
    )
    assert comparison.only_second == (
        "line 5: tt.dot 64x64x32xf16 by mma m16n8k16, 8 per warp",
        f"line 4: convert_layout 64x64xf16 … → {BLOCKED1}, 8192 bytes, shared",
        f"line 3: tt.load 64x64xf16 in {BLOCKED}: 64 bits, 512 sectors",
        f"no line: tt.load 64x64xf16 in {BLOCKED1}",
    )
    lines = comparison.text().splitlines()
    assert lines[1] == "+++ b: kernel cuda:90, 8 warps"
    assert "  conversions in loops: 1 → 0" in lines
    assert f"- {comparison.only_first[0]}" in lines
    assert f"+ {comparison.only_second[3]}" in lines
    assert "  no differences" not in lines


def test_one_side_alone_is_a_difference():
    fewer = replace(REPORT, values=REPORT.values[:1])
    assert not compare(REPORT, fewer, "a", "b").is_same
    assert not compare(fewer, REPORT, "a", "b").is_same


def test_names_of_layouts_do_not_matter():
    renamed = replace(
        REPORT,
        layouts=(("#a", BLOCKED), ("#b", BLOCKED1)),
        memory=(replace(ACCESS, layout="#a"),),
        shared=(replace(SHARED_ACCESS, layout="#a"),),
        conversions=(replace(CONVERSION, before="#a", after="#b"),),
    )
    assert compare(REPORT, renamed, "a", "b").is_same


def test_json_object():
    comparison = compare(REPORT, replace(REPORT, findings=(), dots=()), "a", "b")
    assert comparison.as_object() == {
        "first": "a: kernel cuda:90, 4 warps",
        "second": "b: kernel cuda:90, 4 warps",
        "totals": [
            {"what": what, "first": first, "second": second}
            for what, first, second in comparison.totals
        ],
        "only_first": ["line 5: tt.dot 64x64x32xf16 by mma m16n8k16, 16 per warp"],
        "only_second": [],
    }
    assert comparison.totals[-1] == ("cycles of all findings", 520, 0)


def test_two_compiles():
    signature = "*fp16:16, *fp16:16, i32:16, 64"
    first = explain(transpose, signature=signature, target="cuda:90")
    second = explain(transpose, signature=signature, target="cuda:90", num_warps=8)
    comparison = compare(first, second, "4 warps", "8 warps")
    assert "warpsPerCTA = [4, 1]" in "".join(comparison.only_first)
    assert "warpsPerCTA = [8, 1]" in "".join(comparison.only_second)
    assert ("conversions", 1, 1) in comparison.totals
