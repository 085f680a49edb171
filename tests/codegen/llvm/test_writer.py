"""Writer: code under a predicate goes to a separate basic block."""

from __future__ import annotations

from weft.codegen.llvm.writer import Writer
from weft.ir import locations


def test_code_under_a_predicate():
    w = Writer()
    with w.where("%owner", "share"):
        w.line("fence release")
        assert w.block == "share.1"
    assert w.block == "after.2"
    assert w.body().splitlines() == [
        "  br i1 %owner, label %share.1, label %after.2",
        "share.1:",
        "  fence release",
        "  br label %after.2",
        "after.2:",
    ]


def test_true_predicate_needs_no_block():
    w = Writer()
    block = w.block
    with w.where("", "share"):
        w.line("fence release")
    assert w.block == block
    assert w.body() == "  fence release"


def test_positions_of_lines():
    writer, first, second = Writer(), *(locations.file("k.py", n) for n in (1, 2))
    assert writer.at(first) is None
    writer.line("a")
    assert writer.at(second) is first
    with writer.at_end_of_block():
        writer.line("b")
    writer.line("c")
    writer.at(second)
    writer.at(first)
    writer.jump("end")
    assert [str(line).strip() for line in writer.lines] == ["a", "c", "b", "br label %end"]
    assert writer.positions == [(0, first), (1, second), (2, first), (2, second), (3, first)]
