"""The ledger of accesses to tensor memory."""

from __future__ import annotations

from pathlib import Path

from weft.decisions import collecting
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline

FILE = Path(__file__).with_name("optimize_tmem_layouts.mlir")
HALVES, ROWS, _, _, TRANSPOSED, *_ = FILE.read_text().split("// -----")


def after(text: str) -> str:
    module = parse_module(text)
    run_pipeline(parse_pipeline("triton-nvidia-optimize-tmem-layouts"), module, verify=True)
    return print_module(module)


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


def test_reasons_for_transposed_tiles():
    by_operation = reasons(TRANSPOSED)
    reason = "shared memory is accessed with ldmatrix or stmatrix"
    assert reason in by_operation["ttng.tmem_load"]
    assert reason in by_operation["ttg.convert_layout"]


def test_a_reduction_decides_before_shared_memory():
    # Both patterns apply to the load, and neither may undo the other.
    text = FILE.read_text().split("// -----")[-1]
    reduce = """%sum = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<128x64xf32, #rows>) -> SUM
      %t = tt.trans"""
    for old, new in (
        ("%t = tt.trans", reduce),
        ("mutable>) {", "mutable>) -> SUM {"),
        ("tt.return", "tt.return %sum : SUM"),
        ("SUM", "tensor<128xf32, #ttg.slice<{dim = 1, parent = #rows}>>"),
    ):
        assert old in text
        text = text.replace(old, new)
    assert "one warp holds each row that is reduced" in reasons(text)["ttng.tmem_load"]
    assert "lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 32]]" in after(text)
