"""Edits that are tried: only those that lower the counted cost are listed."""

from __future__ import annotations

import re

import pytest

from tests.explain.advice import kernels
from weft.explain import explain
from weft.explain.advice import workbench
from weft.explain.advice.workbench import Workbench
from weft.explain.counted_cost import counted_cost
from weft.explain.model import Report, TriedEdit
from weft.explain.text_report import text
from weft.kernel.compile import compile
from weft.targets import target

SQUARES = "*fp32:16, *fp32:16, *fp32:16, 64"
MATMUL = "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 64, 64, 32"


def edits_of(report: Report) -> list[TriedEdit]:
    return [edit for finding in report.findings for edit in finding.edits]


def changes(edit: TriedEdit) -> dict[str, tuple[int, int]]:
    return {each.name: (each.before, each.after) for each in edit.changes}


def quantities(kernel, signature, chip, **options) -> dict[str, int]:
    compiled = compile(kernel, signature=signature, target=chip, options=options)
    return counted_cost(compiled.module("ttgir")).quantities


@pytest.mark.parametrize("num_warps", [4, 8])
@pytest.mark.parametrize("chip", ["cuda:90", "hip:gfx942"])
def test_operand_order(chip, num_warps):
    """`x + tl.trans(y)` has two conversions at any number of warps, `tl.trans(y) + x` one."""
    report = explain(kernels.add_transposed, signature=SQUARES, target=chip, num_warps=num_warps)
    assert len(report.conversions) == 2
    (edit,) = edits_of(report)
    assert edit.text == (
        "`tl.trans(tl.load(y + p)) + tl.load(x + p)` instead of "
        "`tl.load(x + p) + tl.trans(tl.load(y + p))`"
    )
    assert changes(edit)["conversions"] == (2, 1)
    by_hand = quantities(kernels.transposed_add, SQUARES, chip, num_warps=num_warps)
    counted = {name: after for name, (_, after) in changes(edit).items() if name in by_hand}
    assert counted.items() <= by_hand.items()


@pytest.mark.parametrize("kernel", [kernels.copy, kernels.copy_hinted])
def test_a_bound_is_promised_not_hinted(kernel):
    """`tl.multiple_of(n, 16)` on a scalar argument changes nothing; `i32:16` does."""
    report = explain(kernel, signature="*fp32:16, *fp32:16, i32, 1024", target="cuda:90")
    best = report.findings[0].edits[0]
    assert best.text == "divisible by 16: n (`i32:16`)"
    assert changes(best)["global sectors"] == (1024, 256)
    assert not [edit for edit in edits_of(report) if "multiple_of" in edit.text]
    edited = explain(kernel, signature="*fp32:16, *fp32:16, i32:16, 1024", target="cuda:90")
    assert edited.findings == ()


def test_several_arguments_together():
    report = explain(kernels.copy, signature="*fp32, *fp32, i32, 1024", target="cuda:90")
    assert edits_of(report)[0].text == (
        "divisible by 16: x (`*fp32:16`), y (`*fp32:16`), n (`i32:16`)"
    )


def test_a_conversion_that_is_narrow_already():
    """The result is converted to f16 before the store: no edit says to do so."""
    report = explain(kernels.matmul, signature=MATMUL, target="cuda:80")
    assert report.conversions
    assert not [edit for edit in edits_of(report) if "narrow" in edit.text]


def test_a_stride_of_one():
    report = explain(kernels.gather, signature="*fp32:16, *fp32:16, i32:16, 1024", target="cuda:90")
    assert "equal to 1: stride (`i32:1`)" in {edit.text for edit in edits_of(report)}


def test_a_hint_on_indices():
    report = explain(
        kernels.wrapped_copy, signature="*fp32:16, *fp32:16, i32, 1024", target="cuda:90"
    )
    hint = "`wrapped = tl.max_contiguous(tl.multiple_of(wrapped, 16), 16)`"
    texts = [edit.text for edit in edits_of(report)]
    assert f"{hint}, if this is true of its values" in texts


def test_the_precision_of_a_dot():
    report = explain(kernels.precise_matmul, signature=SQUARES, target="cuda:80")
    edit = next(edit for edit in edits_of(report) if edit.kind == "precision")
    assert edit.text.startswith('`input_precision="tf32"`')
    assert changes(edit)["multiply-adds by FMA"] == (64**3, 0)
    # gfx942 has no tf32 that is as fast; no edit of the precision is proposed.
    report = explain(kernels.precise_matmul, signature=SQUARES, target="hip:gfx90a")
    assert "precision" not in {edit.kind for edit in edits_of(report)}


@pytest.mark.parametrize("chip", ["cuda:80", "cuda:90", "hip:gfx942"])
def test_edits_of_options_and_blocks_change_the_counts_as_listed(chip):
    report = explain(kernels.matmul, signature=MATMUL, target=chip)
    edits = [edit for edit in edits_of(report) if edit.kind in ("option", "block size")]
    assert edits
    for edit in edits:
        name, value = edit.text.split("=")
        signature, options, share = MATMUL, {}, 1
        if edit.kind == "option":
            options = {name: int(value)}
        else:
            index = ("BLOCK_M", "BLOCK_N", "BLOCK_K").index(name)
            blocks = [64, 64, 32]
            share = int(value) / blocks[index] if index < 2 else 1
            blocks[index] = int(value)
            signature = re.sub(r"64, 64, 32$", ", ".join(map(str, blocks)), MATMUL)
        counted = quantities(kernels.matmul, signature, chip, **options)
        counts = [change for change in edit.changes if change.name in counted]
        assert counts
        for change in counts:
            assert change.after == round(counted[change.name] / share), (edit, change)


def test_edits_lower_the_cost():
    for kernel, signature in ((kernels.matmul, MATMUL), (kernels.add_transposed, SQUARES)):
        edits = edits_of(explain(kernel, signature=signature, target="cuda:80"))
        assert edits
        for edit in edits:
            assert edit.after <= 0.95 * edit.before
            assert edit.changes


def test_a_row_is_not_divided():
    """BLOCK is a whole row; another value would compute something else."""
    report = explain(kernels.row_sum, signature="*fp16, *fp16, i32, 1024", target="cuda:90")
    assert report.findings
    assert "block size" not in {edit.kind for edit in edits_of(report)}


def test_the_number_of_trials_is_bounded_and_the_result_is_the_same():
    signature = "*fp32, *fp32, i32, 1024"
    first, second = (explain(kernels.copy, signature=signature, target="cuda:90") for _ in range(2))
    assert first.findings == second.findings
    few = explain(kernels.copy, signature=signature, target="cuda:90", trials=1)
    assert max(finding.trials for finding in few.findings) == 1
    none = explain(kernels.copy, signature=signature, target="cuda:90", trials=0)
    assert edits_of(none) == []
    assert "were tried" not in text(none)


def test_trials_share_the_front_end(monkeypatch):
    calls: list[object] = []

    def count(kernel, **arguments):
        calls.append(kernel)
        return compile(kernel, **arguments)

    monkeypatch.setattr(workbench, "compile", count)
    bench = Workbench.of(kernels.copy, target("cuda:90"), {}, "*fp32, *fp32, i32, 1024")
    for stages in (1, 2, 3):
        bench.cost(workbench.Variant({"num_stages": stages}, bench.variant.signature))
    assert len(calls) == 1
    assert bench.compiles == 3
    bench.cost(workbench.Variant({"num_stages": 3}, bench.variant.signature))
    assert bench.compiles == 3


def test_findings_of_other_stages_and_dumps_have_no_edits(tmp_path):
    signature = "*fp32:16, *fp32:16, i32, 1024"
    layout = explain(kernels.copy, signature=signature, target="cuda:90", stop_after="layout")
    assert layout.findings
    assert edits_of(layout) == []
    dump = tmp_path / "copy.ttgir"
    compiled = compile(kernels.copy, signature=signature, target="cuda:90")
    dump.write_text(str(compiled.asm["ttgir"]))
    assert edits_of(explain(dump)) == []


def test_edits_of_ttir(tmp_path):
    file = tmp_path / "add.ttir"
    compiled = compile(
        kernels.add_transposed, signature=SQUARES, target="cuda:90", stop_after="ttir"
    )
    file.write_text(str(compiled.asm["ttir"]))
    (edit,) = edits_of(explain(file, target="cuda:90"))
    assert edit.kind == "operand order"
    assert changes(edit)["conversions"] == (2, 1)


def test_text():
    report = explain(kernels.add_transposed, signature=SQUARES, target="cuda:90")
    printed = text(report, width=500)
    assert "try: `tl.trans(tl.load(y + p)) + tl.load(x + p)` instead of" in printed
    assert "conversions 2 → 1, KiB converted 32 → 16" in printed
    assert "an edit above helps here, too" in printed
    assert [finding.helped for finding in report.findings] == [False, True]
    row = explain(kernels.precise_matmul, signature=SQUARES, target="hip:gfx90a")
    assert re.search(r"\d+ edits were tried, none helps", text(row, width=200))
