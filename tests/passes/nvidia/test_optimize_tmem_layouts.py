"""The ledger of accesses to tensor memory."""

from __future__ import annotations

from pathlib import Path

from weft.decisions import collecting
from weft.ir.text import parse_module
from weft.passes import parse_pipeline, run_pipeline

HALVES, ROWS = Path(__file__).with_name("optimize_tmem_layouts.mlir").read_text().split("// -----")


def reasons(text: str) -> dict[str, set[str]]:
    """Run the pass; map the names of operations to the reasons for their layouts."""
    module = parse_module(text)
    with collecting() as decisions:
        run_pipeline(parse_pipeline("triton-nvidia-optimize-tmem-layouts"), module, verify=True)
    result: dict[str, set[str]] = {}
    for decision in decisions:
        result.setdefault(decision.op, set()).add(decision.reason)
    return result


def test_reasons_for_halves():
    by_operation = reasons(HALVES)
    assert (
        "a half of the columns that is used alone is loaded alone" in by_operation["ttng.tmem_load"]
    )
    assert "the layout of the users" in by_operation["ttg.convert_layout"]


def test_reasons_for_rows():
    by_operation = reasons(ROWS)
    assert "one warp holds each row that is reduced" in by_operation["ttng.tmem_load"]


def test_candidates_for_rows():
    module = parse_module(ROWS)
    with collecting() as decisions:
        run_pipeline(parse_pipeline("triton-nvidia-optimize-tmem-layouts"), module)
    (decision,) = [d for d in decisions if d.reason == "one warp holds each row that is reduced"]
    scores = [candidate.score for candidate in decision.candidates]
    assert scores == ["each row in two warps", "each row in one warp"]
    assert decision.candidates[1].choice == decision.choice
