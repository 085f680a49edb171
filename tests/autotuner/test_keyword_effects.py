"""No keyword of `weft.autotune`, `weft.Config` and `weft.heuristics` is silent.

Each changes what is launched, measured or stored, or it warns.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.autotuner.recorded_kernel import CONFIGS, bench, blocks, kernel, x
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft.errors import IgnoredOptionWarning


@weft.jit
def fill(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 1.0, mask=i < n)


def measured_blocks(**keywords: Any) -> list[int]:
    """List the blocks of all launches while the middle configuration is the fastest."""
    recorded = kernel()
    defaults = {"configs": CONFIGS, "key": [], "do_bench": bench([2, 1, 3] * 4)}
    tuned = weft.autotune(**{**defaults, **keywords})(recorded)
    for n in (8, 9):
        tuned[(1,)](x.copy(), n)
    return blocks(recorded)


def result(**keywords: Any) -> list[float]:
    """Compute what a kernel that adds 1 leaves in an array of fives."""
    array = np.full(4, 5, np.float32)
    weft.autotune(CONFIGS, key=[], do_bench=bench([2, 1, 3]), **keywords)(kernel())[(1,)](array, 8)
    return array.tolist()


def hook_calls(name: str) -> Callable[..., object]:
    """Count the calls of a hook."""

    def count(**keywords: Any) -> int:
        calls: list[object] = []
        hooks = {name: lambda *args, **kwargs: calls.append(args)} if keywords else {}
        result(**hooks)
        return len(calls)

    return count


def launches_on_gpu(**keywords: Any) -> int:
    """Count the launches of a kernel that is measured on a GPU, twice by new autotuners."""
    gpu = FAKES[-1]
    before = len(gpu.launches)
    for _ in range(2):
        tuned = weft.autotune([weft.Config({"BLOCK": 32 << n}) for n in (0, 1)], ["n"], **keywords)
        tuned(weft.jit(fill.fn))[(1,)](Tensor(), 1024)
    return len(gpu.launches) - before


def uses_graph(**keywords: Any) -> bool:
    """Check whether a measurement asks torch for a CUDA graph, which the fake does not have."""
    try:
        launches_on_gpu(**keywords)
    except AttributeError as error:
        return "no attribute 'stream'" in str(error)
    return False


FAKES: list[FakeCuda] = []


@pytest.fixture(autouse=True)
def gpu(monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    fake = FakeCuda(monkeypatch)
    fake.time_of = lambda: 1.0
    FAKES.append(fake)
    yield
    FAKES.clear()


def first(configs, named, **kwargs):
    return configs[:1]


# Keyword of autotune: a function that observes its effect, and a value.
AUTOTUNE: dict[str, tuple[Callable[..., object], object]] = {
    "configs": (measured_blocks, CONFIGS[:2]),
    "key": (measured_blocks, ["n"]),
    "prune_configs_by": (measured_blocks, {"early_config_prune": first}),
    "reset_to_zero": (result, ["x"]),
    "restore_value": (result, ["x"]),
    "pre_hook": (hook_calls("pre_hook"), True),
    "post_hook": (hook_calls("post_hook"), True),
    "warmup": (launches_on_gpu, 1),
    "rep": (launches_on_gpu, 1),
    "use_cuda_graph": (uses_graph, True),
    "do_bench": (measured_blocks, bench([1, 2, 3])),
    "cache_results": (launches_on_gpu, True),
}


def test_every_keyword_of_autotune_is_in_the_table():
    assert list(inspect.signature(weft.autotune).parameters) == list(AUTOTUNE)


@pytest.mark.parametrize("keyword", AUTOTUNE)
def test_a_keyword_of_autotune_has_an_effect(keyword):
    observe, value = AUTOTUNE[keyword]
    assert observe(**{keyword: value}) != observe()


PRUNING: dict[str, dict[str, Any]] = {
    "early_config_prune": {"early_config_prune": first},
    "perf_model": {"top_k": 2, "perf_model": lambda BLOCK, **named: -BLOCK},
    "top_k": {"top_k": 1, "perf_model": lambda BLOCK, **named: -BLOCK},
}


def test_entries_of_prune_configs_by_have_effects():
    choices = [measured_blocks(prune_configs_by=entries) for entries in PRUNING.values()]
    assert len({tuple(each) for each in (measured_blocks(), *choices)}) == 4


def hook(*args, **kwargs):
    pass


IGNORED = {
    "reset_to_zero": ({"reset_to_zero": ["x"], "pre_hook": hook}, "pre_hook replaces it"),
    "restore_value": ({"restore_value": ["x"], "post_hook": hook}, "a hook replaces it"),
    "top_k": ({"prune_configs_by": {"top_k": 2}}, "there is no perf_model"),
    "warmup": ({"warmup": 5, "do_bench": bench([])}, "do_bench measures"),
    "rep": ({"rep": 5, "do_bench": bench([])}, "do_bench measures"),
    "use_cuda_graph": ({"use_cuda_graph": True, "do_bench": bench([])}, "do_bench measures"),
    "cache_results": (
        {"cache_results": True, "configs": [weft.Config({"BLOCK": 16}, pre_hook=hook)]},
        "times of configurations with a pre_hook are not saved",
    ),
}


@pytest.mark.parametrize("keyword", IGNORED)
def test_a_keyword_without_effect_warns(keyword):
    keywords, reason = IGNORED[keyword]
    text = f"add_one: {keyword} of autotune has no effect: {reason}"
    with pytest.warns(IgnoredOptionWarning, match=text) as caught:
        weft.autotune(**{"configs": CONFIGS, "key": [], **keywords})(kernel())
    assert len(caught) == 1
    assert caught[0].filename.endswith("recorded_kernel.py")


# Keyword of Config: a value, and what a launch in that configuration gets.
CONFIG: dict[str, tuple[Any, dict[str, object]]] = {
    "kwargs": ({"BLOCK": 64}, {"BLOCK": 64}),
    "num_warps": (8, {"num_warps": 8}),
    "num_stages": (2, {"num_stages": 2}),
    "num_ctas": (2, {"num_ctas": 2}),
    "maxnreg": (64, {"maxnreg": 64}),
    "pre_hook": (hook, {}),
    "ir_override": ("kernel.ttgir", {"ir_override": "kernel.ttgir"}),
}


def test_every_keyword_of_config_is_in_the_table():
    assert list(inspect.signature(weft.Config).parameters) == list(CONFIG)


@pytest.mark.parametrize("keyword", [name for name in CONFIG if name != "pre_hook"])
def test_a_keyword_of_config_reaches_the_launch(keyword):
    value, expected = CONFIG[keyword]
    recorded = kernel()
    config = weft.Config(**{"kwargs": {"BLOCK": 16}, keyword: value})
    weft.autotune([config], key=[])(recorded)[(1,)](x.copy(), 8)
    (_, launched), = recorded.calls  # fmt: skip
    assert launched.items() >= expected.items()
    assert launched != weft.Config({"BLOCK": 16}).all_kwargs()


def test_the_hook_of_a_config_is_called():
    calls: list[int] = []
    config = weft.Config({"BLOCK": 16}, pre_hook=lambda named: calls.append(named["BLOCK"]))
    weft.autotune([config], key=[])(kernel())[(1,)](x.copy(), 8)
    assert calls == [16]


def test_an_option_that_a_config_sets_twice_warns():
    with pytest.warns(IgnoredOptionWarning, match="num_warps=8 in kwargs has no effect"):
        config = weft.Config({"num_warps": 8})
    assert config.all_kwargs()["num_warps"] == 4
    assert weft.Config({"num_warps": 8}, num_warps=None).all_kwargs()["num_warps"] == 8


def test_every_rule_of_heuristics_has_an_effect():
    assert list(inspect.signature(weft.heuristics).parameters) == ["values"]
    recorded = kernel()
    rules = {"n": lambda args: 3, "BLOCK": lambda args: args["n"] * 16}
    weft.heuristics(rules)(recorded)[(1,)](x.copy())
    assert recorded.calls == [(False, {"n": 3, "BLOCK": 48})]
