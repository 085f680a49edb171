"""What-if: the difference as text and as JSON."""

from __future__ import annotations

import pytest

from tests.explain.advice import kernels
from weft.errors import WeftError
from weft.explain import explain
from weft.explain.model import Report
from weft.explain.what_if import what_if
from weft.kernel.compile import compile

SQUARES = "*fp32:16, *fp32:16, *fp32:16, 64"
COPY = "*fp32:16, *fp32:16, i32, 1024"


def addition(report: Report) -> str:
    """Build the setting that gives the sum the layout of the store."""
    name = next(value.name for value in report.values if value.op == "arith.addf")
    layout = next(access.layout for access in report.memory if access.op == "tt.store")
    return f"{name}={layout}"


def test_a_layout():
    report = explain(kernels.add_transposed, signature=SQUARES, target="cuda:90", trials=0)
    setting = addition(report)
    difference = what_if(kernels.add_transposed, "cuda:90", [setting], signature=SQUARES)
    assert difference.after < difference.before
    counts = {each.name: (each.before, each.after) for each in difference.counts}
    assert counts["conversions"] == (2, 1)
    assert (len(difference.vanished), len(difference.appeared)) == (1, 0)
    text = difference.text()
    assert f"what if {setting}" in text
    assert "  conversions 2 → 1\n" in text
    assert "\n- line " in text
    assert difference.as_object()["vanished"] == list(difference.vanished)


def test_an_assumption_an_option_and_a_block_size():
    difference = what_if(kernels.copy, "cuda:90", ["num_warps=8"], ["n % 16 == 0"], signature=COPY)
    assert difference.changes == ("num_warps=8", "n % 16 == 0")
    # Without it 512 sectors of 64 requests each way, of which L2 serves 128 of the loads; with it
    # 128 sectors of 8 requests each way; and comparisons of 1024 elements.
    before = 512 + 128 * 2 + 512 * (1 + 2) + 64 * 4 + 32
    after = 128 * (1 + 2) * 2 + 16 * 4 + 32
    assert (difference.before, difference.after) == (before, after)
    block = what_if(kernels.copy, "cuda:90", ["BLOCK=2048"], signature=COPY)
    assert {each.name: each.after for each in block.counts}["global sectors"] == 2048


def test_nothing_changes():
    difference = what_if(kernels.copy, "cuda:90", [], ["n < 4096"], signature=COPY)
    assert difference.text().splitlines()[1:] == [
        "  counted cost: 2,592, unchanged",
        "  no differences",
    ]


def test_an_assumed_value_is_the_trip_count():
    signature = "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 64, 64, 32"
    short, long = (
        what_if(kernels.matmul, "cuda:80", [], [f"K == {k}"], signature=signature).before
        for k in (128, 1024)
    )
    assert 4 < long / short < 8


def test_a_dump(tmp_path):
    dump = tmp_path / "add.ttgir"
    compiled = compile(kernels.add_transposed, signature=SQUARES, target="cuda:90")
    dump.write_text(str(compiled.asm["ttgir"]))
    difference = what_if(dump, None, [addition(explain(dump))])
    assert difference.after < difference.before
    with pytest.raises(WeftError, match="only layouts can be set"):
        what_if(dump, None, ["num_warps=8"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["num_warps"], "NAME=VALUE"),
        (["%i="], "NAME=VALUE"),
        (["warps=8"], "neither a compile option nor a constexpr"),
        (["%nothing=#blocked"], "no tensor is called"),
        (["num_warps=3"], "num_warps"),
    ],
)
def test_errors(settings, message):
    with pytest.raises(WeftError, match=message):
        what_if(kernels.copy, "cuda:90", settings, signature=COPY)
