"""benchmarks.cards: the sweeps, and the rank correlation; without a GPU."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import weft
from weft.kernel.files import load_cases, load_file

torch = pytest.importorskip("torch", reason="needs the extra bench (torch)")

from benchmarks.card_points import predict  # noqa: E402
from benchmarks.card_sweeps import SWEEPS, Inputs  # noqa: E402
from benchmarks.cards import (  # noqa: E402
    PREDICTED_TIE,
    compare,
    group_ranks,
    read_measured,
    spearman,
    to_json,
)
from benchmarks.cubin_resources import read_resources  # noqa: E402
from weft.targets.boards import board  # noqa: E402

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_rank_correlation():
    assert spearman([1, 2, 3, 4], [10, 20, 30, 40]) == pytest.approx(1.0)
    assert spearman([1, 2, 3, 4], [40, 30, 20, 10]) == pytest.approx(-1.0)
    assert spearman([1, 2, 3], [5, 5, 5]) == 0.0
    # Ranks 0 1 2 3 and 0.5 0.5 2 3: 4.5 / sqrt(5 · 4.5).
    assert spearman([1, 2, 3, 4], [7, 7, 8, 9]) == pytest.approx(4.5 / 22.5**0.5)


def test_times_within_a_tie_share_a_rank():
    assert group_ranks([100, 101.9, 103, 50], 0.02) == [1.5, 1.5, 3, 0]
    # A group is as wide as the tie from its least value on, not a chain of neighbours.
    assert group_ranks([100, 101, 102, 103], 0.015) == [0.5, 0.5, 2.5, 2.5]
    assert group_ranks([3, 1, 2], 0.0) == [2, 0, 1]
    assert spearman([1.0, 1.005, 2.0], [10.0, 9.9, 20.0]) == pytest.approx(1.0)


def test_there_are_six_sweeps_of_many_configurations():
    assert len(SWEEPS) == 6
    assert {"matmul", "attention", "softmax"} < set(SWEEPS)


@pytest.mark.parametrize("name", SWEEPS)
def test_configurations_have_names_of_their_own(name):
    names = [point.name for point in SWEEPS[name](Inputs("cpu", full=False)).points]
    assert len(set(names)) == len(names) >= 2


@pytest.mark.parametrize("name", SWEEPS)
def test_every_configuration_is_predicted(name):
    points = SWEEPS[name](Inputs("cpu", full=False)).points
    predictions = [predict(point, "cuda:90", board("H200 SXM")) for point in points]
    row = compare(name, predictions, measures=False)
    assert [each.name for each in row.predictions] == [point.name for point in points]
    assert all((each.us or 0) > 0 for each in row.predictions)
    assert (row.unfit, row.measured, row.correlation) == ((), {}, None)
    for each in predictions:
        assert each.work is not None
        assert each.work.block.from_memory > each.work.block.from_l2 > 0
        assert all(traffic.size for traffic in each.work.traffic)


@pytest.mark.parametrize("name", ["softmax", "attention"])
def test_measured_launches_are_predicted_again(name, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))
    h200 = board("H200 SXM")
    points = SWEEPS[name](Inputs("cpu", full=False)).points
    predictions = [predict(point, "cuda:90", h200) for point in points]
    row = compare(name, predictions, measures=False)
    ranks = group_ranks([each.us or 0.0 for each in predictions], PREDICTED_TIE)
    differ = len(set(ranks)) > 1  # else all share a rank, and no order agrees with theirs
    file = tmp_path / "cards.json"
    for base, correlation in ((2.0, 1.0), (0.5, -1.0)):
        times = [100 * base**rank for rank in ranks]
        measured = {
            each.name: (0.9 * us, us, 1.1 * us) for each, us in zip(predictions, times, strict=True)
        }
        file.write_text(json.dumps([to_json(replace(row, measured=measured))]), "utf-8")
        again, *others = read_measured(file, name[:4], tmp_path / "cache", "cuda:90", h200)
        assert not others
        assert [each.us for each in again.predictions] == [each.us for each in predictions]
        assert again.correlation == pytest.approx(correlation if differ else 0.0)
    assert differ or name != "softmax"
    assert list(read_measured(file, "matmul", tmp_path / "cache", "cuda:90", h200)) == []
    with pytest.raises(ValueError, match="has no kernel"):
        list(read_measured(file, "", tmp_path / "empty", "cuda:90", h200))


def test_the_registers_of_a_cubin_are_those_that_ptxas_prints():
    kernel = load_cases(load_file(str(EXAMPLES / "matmul.py")))[0]
    compiled = weft.compile(
        kernel.kernel,
        signature=kernel.signature,
        constexprs=kernel.constexprs,
        target="cuda:90",
        **kernel.options,
    )
    use = read_resources(compiled.asm["cubin"])
    assert (use.registers, use.spill_bytes) == (compiled.n_regs, compiled.n_spills)
    assert use.registers > 32
