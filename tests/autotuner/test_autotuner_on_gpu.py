"""Autotune on a GPU: measurements, results on disk, output."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft.errors import CompilationError, IgnoredOptionWarning, LaunchError


@weft.jit
def fill(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 1.0, mask=i < n)


@weft.jit
def at_most_64(x, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK <= 64, "a block of more than 64")
    tl.store(x + tl.arange(0, BLOCK), 1.0)


CONFIGS = [weft.Config({"BLOCK": block}) for block in (32, 64, 128)]


def grid(meta):
    return (weft.cdiv(meta["n"], meta["BLOCK"]),)


@pytest.fixture
def gpu(monkeypatch, tmp_path) -> FakeCuda:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    gpu = FakeCuda(monkeypatch)
    # By the number of programs: 32, 16, or 8.
    gpu.time_of = lambda: {32: 4.0, 16: 2.0, 8: 3.0}[gpu.launches[-1].grid[0]]
    return gpu


def tuner(kernel=fill, **arguments):
    budget = {} if "do_bench" in arguments else {"warmup": 5, "rep": 20}
    return weft.autotune(CONFIGS, key=["n"], **budget, **arguments)(weft.jit(kernel.fn))


def test_gpus_are_timed_by_events(gpu):
    tuned = tuner()
    tuned[grid](Tensor(), 1024)
    assert tuned.best_config is CONFIGS[1]
    assert tuned.configs_timings == {
        CONFIGS[0]: (4.0, 4.0, 4.0),
        CONFIGS[1]: (2.0, 2.0, 2.0),
        CONFIGS[2]: (3.0, 3.0, 3.0),
    }
    assert gpu.launches[-1].grid == (16, 1, 1)
    assert not gpu._kept, "the buffer that evicts the cache is freed"
    before = len(gpu.launches)
    tuned[grid](Tensor(), 1024)
    assert len(gpu.launches) == before + 1


def test_do_bench_may_return_one_number():
    times = iter([3.0, 1.0, 2.0])
    tuned = tuner(do_bench=lambda call, quantiles: next(times))
    tuned[grid](np.zeros(128, np.float32), 128)
    assert tuned.configs_timings[CONFIGS[1]] == (1.0, 1.0, 1.0)
    assert tuned.best_config is CONFIGS[1]


def test_configs_that_cannot_be_compiled_have_a_reason(gpu, capsys, monkeypatch):
    monkeypatch.setattr(gpu, "max_threads", 1024)
    gpu.time_of = lambda: 1.0
    monkeypatch.setenv("WEFT_PRINT_AUTOTUNING", "1")
    tuned = weft.autotune(CONFIGS, key=["n"], rep=1)(weft.jit(at_most_64.fn))
    tuned[(1,)](Tensor(), 1024)
    output = capsys.readouterr().out
    assert "at_most_64 for 1024, torch.float32: 3 configurations in " in output
    assert "← best" in output
    assert "a block of more than 64" in output
    (failed,) = (trial for trial in tuned.trials if trial.reason)
    assert failed.config is CONFIGS[2]
    assert isinstance(failed.error, CompilationError)
    assert tuned.configs_timings[CONFIGS[2]] == (float("inf"),) * 3


def test_configs_with_too_many_registers_lose(gpu):
    gpu.max_threads = 64
    configs = [weft.Config({"BLOCK": 64}, num_warps=warps) for warps in (2, 4)]
    gpu.time_of = lambda: 1.0
    tuned = weft.autotune(configs, key=["n"], rep=1)(weft.jit(fill.fn))
    tuned[grid](Tensor(), 64)
    assert tuned.best_config is configs[0]
    assert "128 threads of 32 registers" in tuned.trials[1].reason


def test_errors_of_a_launch_are_raised(gpu):
    with pytest.raises(LaunchError, match="the arrays are on several devices"):
        weft.autotune(CONFIGS, key=["n"])(weft.jit(fill.fn))[(1,)]((Tensor(), np.zeros(3)), 8)


def test_results_on_disk(gpu, monkeypatch, capsys):
    tuner(cache_results=True)[grid](Tensor(), 1024)
    before = len(gpu.launches)
    again = tuner(cache_results=True)
    monkeypatch.setenv("WEFT_PRINT_AUTOTUNING", "1")
    again[grid](Tensor(), 1024)
    assert len(gpu.launches) == before + 1, "nothing is measured"
    assert again.best_config is CONFIGS[1]
    assert again.configs_timings[CONFIGS[0]] == (4.0, 4.0, 4.0)
    assert "3 configurations from disk" in capsys.readouterr().out
    gpu.time_of = lambda: 1.0
    again[grid](Tensor(), 2048)
    assert len(gpu.launches) > before + 5, "another key is measured"
    before = len(gpu.launches)
    tuner()[grid](Tensor(), 1024)
    assert len(gpu.launches) > before + 5, "cache_results=False measures"


def test_environment_variable_saves_all_results(gpu, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_AUTOTUNING", "1")
    tuner()[grid](Tensor(), 1024)
    before = len(gpu.launches)
    tuner()[grid](Tensor(), 1024)
    assert len(gpu.launches) == before + 1


def test_reasons_are_saved_and_results_with_hooks_are_not(gpu, monkeypatch):
    gpu.time_of = lambda: 1.0

    def tuned(configs):
        tuner = weft.autotune(configs, key=["n"], rep=1, cache_results=True)
        return tuner(weft.jit(at_most_64.fn))

    tuned(CONFIGS)[(1,)](Tensor(), 8)
    again = tuned(CONFIGS)
    again[(1,)](Tensor(), 8)
    assert "a block of more than 64" in again.trials[2].reason
    hooked = [weft.Config({"BLOCK": n}, pre_hook=lambda named: None) for n in (16, 32)]
    for _ in range(2):
        before = len(gpu.launches)
        with pytest.warns(IgnoredOptionWarning, match="with a pre_hook are not saved"):
            tuned(hooked)[(1,)](Tensor(), 8)
        assert len(gpu.launches) > before + 5
    with pytest.raises(CompilationError, match="a block of more than 64"):
        tuned([CONFIGS[2]] * 2)[(1,)](Tensor(), 8)


def test_threads_measure_once(gpu):
    tuned = tuner()
    threads = [threading.Thread(target=lambda: tuned[grid](Tensor(), 1024)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([launch for launch in gpu.launches if launch.grid == (32, 1, 1)]) < 20
