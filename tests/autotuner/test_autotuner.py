"""The autotuner, over a kernel that records its launches."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from tests.autotuner.recorded_kernel import CONFIGS, bench, blocks, kernel, x
from weft.autotuner.autotuner import Autotuner
from weft.errors import (
    AutotunerError,
    CompilationError,
    ErrorForm,
    IgnoredOptionWarning,
    LaunchError,
)


def test_the_fastest_config_is_chosen_per_key():
    fn = kernel()
    tuned = weft.autotune(CONFIGS, key=["n"], do_bench=bench([3, 1, 2, 1, 2, 3]))(fn)
    tuned[(1,)](x.copy(), 8)
    tuned[(1,)](x.copy(), n=8)
    assert blocks(fn) == [16, 32, 64, 32, 32]
    assert tuned.best_config == CONFIGS[1]
    assert fn.calls[-1][1] == {"BLOCK": 32, "num_warps": 2, "num_stages": 3, "num_ctas": 1, "n": 8}
    tuned[(1,)](x.copy(), 9)
    assert tuned.best_config == CONFIGS[0]
    assert len(tuned.cache) == 2


def test_array_types_are_part_of_the_key():
    fn = kernel()
    tuned = weft.autotune(CONFIGS[:2], key=[], do_bench=bench([1, 2, 2, 1]))(fn)
    tuned[(1,)](x.copy(), 8)
    tuned[(1,)](x.astype(np.float16), 8)
    assert len(tuned.cache) == 2
    assert tuned.best_config == CONFIGS[1]


def test_a_choice_is_reused_until_the_cache_is_cleared():
    fn = kernel()
    tuned = weft.autotune(CONFIGS, key=["n"], do_bench=bench([3, 1, 2, 1, 2, 3, 2, 1, 3]))(fn)
    for _ in range(3):
        tuned[(1,)](x.copy(), 8)
    assert blocks(fn) == [16, 32, 64, 32, 32, 32]
    tuned[(1,)](x.copy(), [8].pop())
    tuned[(1,)](x.astype(np.float16), 8)
    assert tuned.best_config == CONFIGS[0]
    tuned[(1,)](x.copy(), 8)
    assert tuned.best_config == CONFIGS[1]
    assert len(tuned.cache) == 2
    tuned.cache.clear()
    tuned[(1,)](x.copy(), 8)
    assert tuned.configs_timings[CONFIGS[2]] == (3.0, 3.0, 3.0)
    assert len(tuned.cache) == 1


def test_an_unhashable_key_is_an_error():
    tuned = weft.autotune(CONFIGS, key=["n"])(kernel())
    with pytest.raises(TypeError, match="unhashable"):
        tuned[(1,)](x.copy(), [8])


def test_a_single_config_is_not_measured():
    fn = kernel()
    weft.autotune([weft.Config({"BLOCK": 8})], key=["n"])(fn)[(1,)](x.copy(), 8)
    assert blocks(fn) == [8]


def test_timing_on_the_cpu():
    fn = kernel()
    tuned = weft.autotune(CONFIGS, key=["n"], warmup=1, rep=1)(fn)
    tuned[(1,)](x.copy(), 8)
    assert set(tuned.configs_timings) == set(CONFIGS)
    assert all(times[1] <= times[0] <= times[2] for times in tuned.configs_timings.values())


def test_a_config_that_does_not_compile_loses():
    fn = kernel()
    configs = [weft.Config({"BLOCK": 13}), CONFIGS[0]]
    tuned = weft.autotune(configs, key=["n"], do_bench=bench([5]))(fn)
    tuned[(1,)](x.copy(), 8)
    assert tuned.best_config == CONFIGS[0]


def test_error_if_no_config_compiles():
    tuned = weft.autotune([weft.Config({"BLOCK": 13})] * 2, key=["n"])(kernel())
    with pytest.raises(CompilationError, match="13 is unlucky"):
        tuned[(1,)](x.copy(), 8)


def test_arrays_are_restored_while_measuring():
    fn, array = kernel(), x.copy()
    weft.autotune(CONFIGS, key=["n"], restore_value=["x"], do_bench=bench([1, 2, 3]))(fn)[(1,)](
        array, 8
    )
    assert array.tolist() == [1, 1, 1, 1]


def test_arrays_are_reset_before_each_run():
    fn, array = kernel(), x + 5
    weft.autotune(CONFIGS, key=["n"], reset_to_zero=["x"], do_bench=bench([1, 2, 3]))(fn)[(1,)](
        array, 8
    )
    assert array.tolist() == [1, 1, 1, 1]


def test_hooks():
    calls = []
    configs = [
        weft.Config({"BLOCK": 16}, pre_hook=lambda named: calls.append(("config", named["BLOCK"]))),
        CONFIGS[1],
    ]
    tuned = weft.autotune(
        configs,
        key=["n"],
        pre_hook=lambda named, reset_only=False: calls.append(("pre", reset_only)),
        post_hook=lambda named, exception: calls.append(("post", exception)),
        do_bench=bench([1, 2]),
    )(kernel())
    tuned[(1,)](x.copy(), 8)
    assert calls == [
        ("config", 16), ("pre", False), ("post", None), ("pre", False), ("post", None),
        ("pre", True), ("config", 16),
    ]  # fmt: skip


def test_post_hook_receives_the_error():
    calls = []
    configs = [weft.Config({"BLOCK": 13}), CONFIGS[0]]
    tuned = weft.autotune(
        configs,
        key=["n"],
        post_hook=lambda named, exception: calls.append(type(exception)),
        do_bench=bench([1]),
    )(kernel())
    tuned[(1,)](x.copy(), 8)
    assert calls == [CompilationError, type(None)]


def test_warmup_compiles_every_config():
    fn = kernel()
    tuned = weft.autotune(CONFIGS, key=["n"])(fn)
    tuned.warmup(x, 8, grid=(1,))
    assert [warm for warm, _ in fn.calls] == [True] * 3


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"key": [], "reset_to_zero": ["y"]}, "reset_to_zero of autotune"),
        ({"key": [], "restore_value": ["y"]}, "restore_value of autotune"),
        ({"key": [], "prune_configs_by": {"topk": 1}}, "did you mean top_k?"),
    ],
)
def test_unknown_names_are_an_error(arguments, text):
    with pytest.raises(LaunchError) as caught:
        weft.autotune(CONFIGS, **arguments)(kernel())
    assert text in str(caught.value)


def test_a_key_that_names_no_parameter_has_no_effect():
    with pytest.warns(IgnoredOptionWarning, match="no such parameter"):
        tuned = weft.autotune(CONFIGS, key=["BLOK", "n"])(kernel())
    assert tuned.keys == ["n"]


def test_errors_of_a_launch(monkeypatch):
    with pytest.raises(LaunchError, match="Conflicting meta-parameters: BLOCK"):
        weft.autotune(CONFIGS, key=["n"])(kernel())[(1,)](x, 8, BLOCK=4)
    nothing = {"early_config_prune": lambda configs, named, **kwargs: []}
    with pytest.raises(AutotunerError) as caught:
        weft.autotune(CONFIGS, key=["n"], prune_configs_by=nothing)(kernel())[(1,)](x, 8)  # pyright: ignore[reportArgumentType]
    assert "found: an empty list for add_one" in str(caught.value)
    monkeypatch.setattr(ErrorForm, "is_triton", True)
    assert str(caught.value) == (
        "Autotuner error: No valid autotuner configs after pruning. "
        "`early_config_prune` should return at least one config."
    )
    none = {"perf_model": lambda **named: 0, "top_k": 0}
    with pytest.raises(LaunchError, match="top_k must be either"):
        weft.autotune(CONFIGS, key=["n"], prune_configs_by=none)(kernel())[(1,)](x, 8)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"configs": weft.Config({"BLOCK": 16})}, "autotune takes a list of configurations"),
        ({"configs": [{"BLOCK": 16}]}, "autotune takes a list of configurations"),
        ({"configs": [weft.Config({"BLOK": 16})]}, "Config sets an unknown parameter"),
        ({"key": "n"}, "key of autotune must be a list of names"),
        ({"reset_to_zero": "x"}, "reset_to_zero of autotune must be a list of names"),
        ({"pre_hook": 5}, "pre_hook of autotune must be a function"),
        ({"post_hook": "x"}, "post_hook of autotune must be a function"),
        ({"do_bench": 100}, "do_bench of autotune must be a function"),
        ({"prune_configs_by": {"perf_model": 1}}, "perf_model of autotune must be a function"),
        (
            {"prune_configs_by": {"early_config_prune": 1}},
            "early_config_prune of autotune must",
        ),
    ],
)
def test_wrong_arguments_are_an_error(given, message):
    arguments = {"configs": CONFIGS, "key": ["n"]} | given
    with pytest.raises(LaunchError, match=message):
        weft.autotune(**arguments)(kernel())


def test_configs_may_set_compile_options():
    fn = kernel()
    configs = [weft.Config({"BLOCK": 16, "waves_per_eu": 2}), weft.Config({"BLOCK": 32})]
    weft.autotune(configs, key=[], do_bench=bench([1, 2]))(fn)[(1,)](x.copy(), 8)
    assert fn.calls[-1][1]["waves_per_eu"] == 2


def test_an_option_that_launch_and_config_set_is_an_error():
    tuned = weft.autotune(CONFIGS, key=["n"], do_bench=bench([1, 2, 3]))(kernel())
    for _ in range(2):
        with pytest.raises(LaunchError, match="Conflicting meta-parameters: num_warps"):
            tuned[(1,)](x.copy(), 8, num_warps=8)
    tuned[(1,)](x.copy(), 8)
    free = [weft.Config({"BLOCK": 16}, num_warps=None), weft.Config({"BLOCK": 32}, num_warps=None)]
    fn = kernel()
    weft.autotune(free, key=[], do_bench=bench([1, 2]))(fn)[(1,)](x.copy(), 8, num_warps=8)
    assert fn.calls[-1][1]["num_warps"] == 8


def test_an_error_of_the_post_hook_is_raised():
    def fails(args, exception):
        raise ZeroDivisionError

    configs = [weft.Config({"BLOCK": 13}), weft.Config({"BLOCK": 16})]
    tuned = weft.autotune(configs, key=[], post_hook=fails)(kernel())
    with pytest.raises(ZeroDivisionError):
        tuned[(1,)](x.copy(), 8)
    failed = tuned.fn
    assert failed.calls, "the first was left out: it cannot be compiled"  # pyright: ignore[reportAttributeAccessIssue]


def test_base_fn_is_the_python_function():
    tuned = weft.autotune(CONFIGS, key=[])(kernel())
    assert tuned.base_fn.__name__ == "add_one"


class _FirstThatCompiles(Autotuner):
    """A subclass that measures by itself, as packages write it."""

    def run(self, *args, **kwargs):  # pyright: ignore[reportIncompatibleMethodOverride]
        self.nargs = dict(zip(self.arg_names, args, strict=False))
        self.timings = [self._bench(*args, config=each, **kwargs) for each in self.configs]
        self.configs_timings = dict(zip(self.configs, self.timings, strict=True))
        best = next(
            config
            for config, times in zip(self.configs, self.timings, strict=True)
            if times[0] < float("inf")
        )
        return self.fn.run(*args, **kwargs, **best.all_kwargs())


def test_a_subclass_measures_with_bench():
    fn = kernel()
    configs = [weft.Config({"BLOCK": block}) for block in (13, 32)]
    tuned = _FirstThatCompiles(
        fn, fn.arg_names, configs, ["n"], None, ["x"], do_bench=bench([0.25])
    )
    array = x.copy()
    tuned[(1,)](array, 8)
    assert tuned.timings == [[float("inf")] * 3, [0.25] * 3]
    assert tuned.configs_timings[configs[1]] == (0.25, 0.25, 0.25)
    assert array.tolist() == [1.0] * 4
    with pytest.raises(LaunchError, match="Conflicting meta-parameters"):
        tuned._bench(array, 8, config=configs[1], grid=(1,), BLOCK=16)
