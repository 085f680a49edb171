"""`prune_configs_by` of autotune."""

from __future__ import annotations

import pytest

import weft
from tests.autotuner.recorded_kernel import CONFIGS, bench, blocks, kernel, x
from weft.autotuner.pruning import Pruning
from weft.errors import LaunchError


def test_early_pruning_and_performance_model():
    fn = kernel()
    prune = {
        "early_config_prune": lambda configs, named, **kwargs: configs[1:],
        "perf_model": lambda **named: -named["BLOCK"],
        "top_k": 1,
    }
    tuned = weft.autotune(CONFIGS, key=["n"], prune_configs_by=prune, do_bench=bench([1]))(fn)  # pyright: ignore[reportArgumentType]
    tuned[(1,)](x.copy(), 8)
    assert blocks(fn) == [64, 64]


def test_top_k_may_be_a_share():
    fn = kernel()
    prune = {"perf_model": lambda **named: named["BLOCK"], "top_k": 0.7}
    weft.autotune(CONFIGS, key=["n"], prune_configs_by=prune, do_bench=bench([2, 1]))(fn)[(1,)](  # pyright: ignore[reportArgumentType]
        x.copy(), 8
    )
    assert blocks(fn) == [16, 32, 32]


@pytest.mark.parametrize("top_k", [0, 0.0, 1.5, -1, "2"])
def test_top_k_out_of_range(top_k):
    pruning = Pruning.of("add", {"perf_model": lambda **named: 0, "top_k": top_k})
    with pytest.raises(LaunchError, match="top_k must be either 1"):
        pruning.prune(CONFIGS, {}, {})
