"""Autotune and heuristics, over a kernel whose launches are only recorded."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.errors import CompilationError, LaunchError
from weft.kernel.jit import JITFunction


class Recorded(JITFunction):
    """A kernel that adds 1 to `x`, and fails to compile for a BLOCK of 13."""

    def run(self, *args, grid, warmup=False, **kwargs):
        if kwargs.get("BLOCK") == 13:
            raise CompilationError("13 is unlucky")
        self.calls = [*getattr(self, "calls", []), (warmup, kwargs)]
        if not warmup:
            args[0][...] += 1
        return grid


def kernel() -> Recorded:
    def add_one(x, n, BLOCK: tl.constexpr):
        pass

    return Recorded(add_one)


def bench(times):
    """Return a do_bench that runs a call once and then reads its time off a table, in order."""
    remaining = iter(times)

    def do_bench(call, quantiles):
        call()
        return [next(remaining)] * len(quantiles)

    return do_bench


CONFIGS = [weft.Config({"BLOCK": block}, num_warps=block // 16) for block in (16, 32, 64)]
x = np.zeros(4, np.float32)


def blocks(fn) -> list[int]:
    return [kwargs["BLOCK"] for _, kwargs in fn.calls]


def test_the_fastest_is_kept_per_key():
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


def test_a_choice_is_found_again_and_forgotten_with_the_cache():
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


def test_a_key_that_no_dictionary_takes_is_an_error_as_in_triton():
    tuned = weft.autotune(CONFIGS, key=["n"])(kernel())
    with pytest.raises(TypeError, match="unhashable"):
        tuned[(1,)](x.copy(), [8])


def test_one_configuration_is_not_measured():
    fn = kernel()
    weft.autotune([weft.Config({"BLOCK": 8})], key=["n"])(fn)[(1,)](x.copy(), 8)
    assert blocks(fn) == [8]


def test_wall_clock():
    fn = kernel()
    tuned = weft.autotune(CONFIGS, key=["n"], warmup=1, rep=1)(fn)
    tuned[(1,)](x.copy(), 8)
    assert set(tuned.configs_timings) == set(CONFIGS)
    assert all(times[1] <= times[0] <= times[2] for times in tuned.configs_timings.values())


def test_a_configuration_that_does_not_compile_loses():
    fn = kernel()
    configs = [weft.Config({"BLOCK": 13}), CONFIGS[0]]
    tuned = weft.autotune(configs, key=["n"], do_bench=bench([5]))(fn)
    tuned[(1,)](x.copy(), 8)
    assert tuned.best_config == CONFIGS[0]


def test_if_none_compiles_the_reason_is_told():
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
    seen = []
    configs = [
        weft.Config({"BLOCK": 16}, pre_hook=lambda named: seen.append(("config", named["BLOCK"]))),
        CONFIGS[1],
    ]
    tuned = weft.autotune(
        configs,
        key=["n"],
        pre_hook=lambda named, reset_only=False: seen.append(("pre", reset_only)),
        post_hook=lambda named, exception: seen.append(("post", exception)),
        do_bench=bench([1, 2]),
    )(kernel())
    tuned[(1,)](x.copy(), 8)
    assert seen == [
        ("config", 16), ("pre", False), ("post", None), ("pre", False), ("post", None),
        ("pre", True), ("config", 16),
    ]  # fmt: skip


def test_post_hook_sees_the_error():
    seen = []
    configs = [weft.Config({"BLOCK": 13}), CONFIGS[0]]
    tuned = weft.autotune(
        configs,
        key=["n"],
        post_hook=lambda named, exception: seen.append(type(exception)),
        do_bench=bench([1]),
    )(kernel())
    tuned[(1,)](x.copy(), 8)
    assert seen == [CompilationError, type(None)]


def test_pruning():
    fn = kernel()
    prune = {
        "early_config_prune": lambda configs, named, **kwargs: configs[1:],
        "perf_model": lambda **named: -named["BLOCK"],
        "top_k": 1,
    }
    tuned = weft.autotune(CONFIGS, key=["n"], prune_configs_by=prune, do_bench=bench([1]))(fn)
    tuned[(1,)](x.copy(), 8)
    assert blocks(fn) == [64, 64]


def test_top_k_may_be_a_share():
    fn = kernel()
    prune = {"perf_model": lambda **named: named["BLOCK"], "top_k": 0.7}
    weft.autotune(CONFIGS, key=["n"], prune_configs_by=prune, do_bench=bench([2, 1]))(fn)[(1,)](
        x.copy(), 8
    )
    assert blocks(fn) == [16, 32, 32]


def test_warmup_compiles_every_configuration():
    fn = kernel()
    tuned = weft.autotune(CONFIGS, key=["n"])(fn)
    tuned.warmup(x, 8, grid=(1,))
    assert [warm for warm, _ in fn.calls] == [True] * 3


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"key": ["m"]}, "key of autotune names an unknown parameter"),
        ({"key": [], "reset_to_zero": ["y"]}, "reset_to_zero of autotune"),
        ({"key": [], "restore_value": ["y"]}, "restore_value of autotune"),
        ({"key": [], "prune_configs_by": {"topk": 1}}, "did you mean top_k?"),
    ],
)
def test_refused_when_decorating(arguments, text):
    with pytest.raises(LaunchError) as caught:
        weft.autotune(CONFIGS, **arguments)(kernel())
    assert text in str(caught.value)


def test_refused_when_launching():
    with pytest.raises(LaunchError, match="given by the launch and by autotune"):
        weft.autotune(CONFIGS, key=["n"])(kernel())[(1,)](x, 8, BLOCK=4)
    nothing = {"early_config_prune": lambda configs, named, **kwargs: []}
    with pytest.raises(LaunchError, match="left no configuration"):
        weft.autotune(CONFIGS, key=["n"], prune_configs_by=nothing)(kernel())[(1,)](x, 8)
    none = {"perf_model": lambda **named: 0, "top_k": 0}
    with pytest.raises(LaunchError, match="top_k of prune_configs_by"):
        weft.autotune(CONFIGS, key=["n"], prune_configs_by=none)(kernel())[(1,)](x, 8)


def test_config():
    config = weft.Config({"BLOCK": 8}, num_warps=None, maxnreg=64)
    assert config.all_kwargs() == {"BLOCK": 8, "num_stages": 3, "num_ctas": 1, "maxnreg": 64}
    assert config == weft.Config({"BLOCK": 8}, num_warps=None, maxnreg=64)
    assert config != weft.Config({"BLOCK": 8}, maxnreg=64)
    assert len({config, weft.Config({"BLOCK": 8}, num_warps=None, maxnreg=64)}) == 1
    assert repr(config) == "Config(BLOCK=8, num_ctas=1, num_stages=3, maxnreg=64)"


def test_a_config_keeps_the_ir():
    with pytest.raises(LaunchError, match="cannot replace the IR"):
        weft.Config({}, ir_override="kernel.ttgir")  # pyright: ignore


def test_heuristics():
    fn = kernel()
    rules = {"BLOCK": lambda args: weft.next_power_of_2(args["n"])}
    weft.heuristics(rules)(fn)[(1,)](x.copy(), 9)
    weft.heuristics(rules)(fn)[(1,)](x.copy(), n=17)
    assert blocks(fn) == [16, 32]


def test_heuristics_over_autotune():
    fn = kernel()
    tuned = weft.autotune([weft.Config({}, num_warps=2)], key=["n"])(fn)
    weft.heuristics({"BLOCK": lambda args: 2 * args["n"]})(tuned)[(1,)](x.copy(), 8)
    assert fn.calls[-1][1]["BLOCK"] == 16
    assert fn.calls[-1][1]["num_warps"] == 2


def test_heuristics_of_an_unknown_parameter():
    with pytest.raises(LaunchError) as caught:
        weft.heuristics({"BLOK": lambda args: 1})(kernel())
    assert "heuristics names an unknown parameter" in str(caught.value)
    assert "did you mean BLOCK?" in str(caught.value)


@pytest.mark.parametrize(("n", "power"), [(-1, 0), (0, 0), (1, 1), (5, 8), (64, 64), (65, 128)])
def test_next_power_of_2(n, power):
    assert weft.next_power_of_2(n) == power


def test_cdiv():
    assert [weft.cdiv(n, 4) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"configs": weft.Config({"BLOCK": 16})}, "autotune takes a list of configurations"),
        ({"configs": [{"BLOCK": 16}]}, "autotune takes a list of configurations"),
        ({"configs": [weft.Config({"BLOK": 16})]}, "sets what is no parameter"),
        ({"key": "n"}, "key of autotune is a list of names"),
        ({"reset_to_zero": "x"}, "reset_to_zero of autotune is a list of names"),
        ({"pre_hook": 5}, "pre_hook of autotune is a function"),
        ({"post_hook": "x"}, "post_hook of autotune is a function"),
        ({"do_bench": 100}, "do_bench of autotune is a function"),
        ({"prune_configs_by": {"perf_model": 1}}, "perf_model of autotune is a function"),
        ({"prune_configs_by": {"early_config_prune": 1}}, "early_config_prune of autotune is a"),
    ],
)
def test_misuse_is_told_when_decorating(given, message):
    arguments = {"configs": CONFIGS, "key": ["n"]} | given
    with pytest.raises(LaunchError, match=message):
        weft.autotune(**arguments)(kernel())


def test_options_of_a_configuration_are_options_of_the_compiler():
    fn = kernel()
    configs = [weft.Config({"BLOCK": 16, "waves_per_eu": 2}), weft.Config({"BLOCK": 32})]
    weft.autotune(configs, key=[], do_bench=bench([1, 2]))(fn)[(1,)](x.copy(), 8)
    assert fn.calls[-1][1]["waves_per_eu"] == 2


def test_an_option_of_the_launch_is_not_dropped_for_the_configuration_s():
    tuned = weft.autotune(CONFIGS, key=["n"], do_bench=bench([1, 2, 3]))(kernel())
    for _ in range(2):
        with pytest.raises(LaunchError, match="num_warps is given by the launch and by autotune"):
            tuned[(1,)](x.copy(), 8, num_warps=8)
    tuned[(1,)](x.copy(), 8)
    free = [weft.Config({"BLOCK": 16}, num_warps=None), weft.Config({"BLOCK": 32}, num_warps=None)]
    fn = kernel()
    weft.autotune(free, key=[], do_bench=bench([1, 2]))(fn)[(1,)](x.copy(), 8, num_warps=8)
    assert fn.calls[-1][1]["num_warps"] == 8


def test_what_failed_is_told_whatever_a_hook_makes_of_it():
    def fails(args, exception):
        raise ZeroDivisionError

    configs = [weft.Config({"BLOCK": 13}), weft.Config({"BLOCK": 16})]
    tuned = weft.autotune(configs, key=[], post_hook=fails)(kernel())
    with pytest.raises(ZeroDivisionError):
        tuned[(1,)](x.copy(), 8)
    failed = tuned.fn
    assert failed.calls, "the first was left out: it cannot be compiled"


def test_the_function_is_found_in_the_tuner():
    tuned = weft.autotune(CONFIGS, key=[])(kernel())
    assert tuned.base_fn.__name__ == "add_one"


def test_heuristics_are_functions():
    with pytest.raises(LaunchError, match="heuristics computes BLOCK by a function"):
        weft.heuristics({"BLOCK": 16})(kernel())  # pyright: ignore
