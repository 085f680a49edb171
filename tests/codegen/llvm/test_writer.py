"""Writer: code under a predicate goes to a separate basic block."""

from __future__ import annotations

from weft.codegen.llvm.writer import Writer


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
