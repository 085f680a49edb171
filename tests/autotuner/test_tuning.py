"""What autotune measures on a GPU, keeps on disk, and shows."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import CudaArray, FakeCuda, Tensor
from tests.launch.test_array_protocols import Dlpack
from weft.autotuner import timing, trials
from weft.autotuner.array_state import clear, copied, put_back
from weft.errors import CodegenError, CompilationError, LaunchError


@weft.jit
def fill(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 1.0, mask=i < n)


@weft.jit
def refused_above_64(x, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK <= 64, "a block of more than 64")
    tl.store(x + tl.arange(0, BLOCK), 1.0)


CONFIGS = [weft.Config({"BLOCK": block}) for block in (32, 64, 128)]


def grid(meta):
    return (weft.cdiv(meta["n"], meta["BLOCK"]),)


@pytest.fixture
def gpu(monkeypatch, tmp_path) -> FakeCuda:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    gpu = FakeCuda(monkeypatch)
    # The fewer programs the faster, but for one program alone.
    gpu.time_of = lambda: {32: 4.0, 16: 2.0, 8: 3.0}[gpu.launches[-1].grid[0]]
    return gpu


def tuner(kernel=fill, **arguments):
    return weft.autotune(CONFIGS, key=["n"], warmup=5, rep=20, **arguments)(weft.jit(kernel.fn))


def test_a_gpu_is_timed_by_its_own_events(gpu):
    tuned = tuner()
    tuned[grid](Tensor(), 1024)
    assert tuned.best_config is CONFIGS[1]
    assert tuned.configs_timings == {
        CONFIGS[0]: (4.0, 4.0, 4.0),
        CONFIGS[1]: (2.0, 2.0, 2.0),
        CONFIGS[2]: (3.0, 3.0, 3.0),
    }
    assert gpu.launches[-1].grid == (16, 1, 1)
    assert not gpu._kept, "what empties the cache is given back"
    before = len(gpu.launches)
    tuned[grid](Tensor(), 1024)
    assert len(gpu.launches) == before + 1


def test_how_often_follows_the_time_there_is(gpu):
    runs: list[int] = []
    driver_time = SimpleNamespace(ms=1.0)
    gpu.time_of = lambda: driver_time.ms

    def call() -> None:
        gpu.clock += driver_time.ms
        runs.append(1)

    for ms, wanted in ((1.0, 1 + 5 + 10 + 40), (100.0, 1 + 5 + 1 + 1), (1e-9, 1 + 5 + 1000 + 1000)):
        driver_time.ms = ms
        runs.clear()
        assert timing.on_gpu(call, 0, warmup=10, rep=40) == [pytest.approx(ms, abs=1e-6)]
        assert len(runs) == wanted


def test_graphs_are_torch_s(gpu, monkeypatch):
    recorded: list[str] = []

    class Context:
        cuda_stream = 7

        def __init__(self, *given: object) -> None:
            recorded.append(f"{len(given)}")

        def __enter__(self) -> None:
            recorded.append("in")

        def __exit__(self, *error: object) -> None:
            recorded.append("out")

    class Graph:
        def replay(self) -> None:
            gpu.clock += 50.0
            recorded.append("replay")

    import sys

    for name, value in {
        "stream": Context, "Stream": Context, "graph": Context, "CUDAGraph": Graph,
        "current_stream": Context,
    }.items():  # fmt: skip
        setattr(sys.modules["torch"].cuda, name, value)
    gpu.time_of = lambda: 2.0
    calls: list[int] = []

    def call() -> None:
        calls.append(1)
        gpu.clock += 2.0

    assert timing.on_gpu(call, 0, rep=100, by_graph=True) == [50.0 / 5]
    assert recorded.count("replay") == 11
    assert len(calls) == 1 + 5 + 5
    monkeypatch.delitem(sys.modules, "torch")
    with pytest.raises(LaunchError, match="timing by CUDA graphs needs torch"):
        timing.on_gpu(call, 0, by_graph=True)


def test_a_do_bench_may_give_one_number():
    times = iter([3.0, 1.0, 2.0])
    tuned = tuner(do_bench=lambda call, quantiles: next(times))
    tuned[grid](np.zeros(128, np.float32), 128)
    assert tuned.configs_timings[CONFIGS[1]] == (1.0, 1.0, 1.0)
    assert tuned.best_config is CONFIGS[1]


def test_what_cannot_be_compiled_is_left_out_and_says_why(gpu, capsys, monkeypatch):
    monkeypatch.setattr(gpu, "max_threads", 1024)
    gpu.time_of = lambda: 1.0
    monkeypatch.setenv("WEFT_PRINT_AUTOTUNING", "1")
    tuned = weft.autotune(CONFIGS, key=["n"], rep=1)(weft.jit(refused_above_64.fn))
    tuned[(1,)](Tensor(), 1024)
    said = capsys.readouterr().out
    assert "refused_above_64 for 1024, torch.float32: 3 configurations in " in said
    assert "← taken" in said
    assert "a block of more than 64" in said
    (failed,) = (trial for trial in tuned.trials if trial.reason)
    assert failed.config is CONFIGS[2]
    assert isinstance(failed.error, CompilationError)
    assert tuned.configs_timings[CONFIGS[2]] == (float("inf"),) * 3


def test_too_many_registers_is_left_out(gpu):
    gpu.max_threads = 64
    configs = [weft.Config({"BLOCK": 64}, num_warps=warps) for warps in (2, 4)]
    gpu.time_of = lambda: 1.0
    tuned = weft.autotune(configs, key=["n"], rep=1)(weft.jit(fill.fn))
    tuned[grid](Tensor(), 64)
    assert tuned.best_config is configs[0]
    assert "128 threads of 32 registers" in tuned.trials[1].reason


def test_a_mistake_in_the_launch_is_no_reason_to_go_on(gpu):
    with pytest.raises(LaunchError, match="must be on one device"):
        weft.autotune(CONFIGS, key=["n"])(weft.jit(fill.fn))[(1,)]((Tensor(), np.zeros(3)), 8)


def test_results_are_kept_for_other_processes(gpu, monkeypatch, capsys):
    tuner(cache_results=True)[grid](Tensor(), 1024)
    before = len(gpu.launches)
    again = tuner(cache_results=True)
    monkeypatch.setenv("WEFT_PRINT_AUTOTUNING", "1")
    again[grid](Tensor(), 1024)
    assert len(gpu.launches) == before + 1, "nothing is measured"
    assert again.best_config is CONFIGS[1]
    assert again.configs_timings[CONFIGS[0]] == (4.0, 4.0, 4.0)
    assert "3 configurations from the disk" in capsys.readouterr().out
    gpu.time_of = lambda: 1.0
    again[grid](Tensor(), 2048)
    assert len(gpu.launches) > before + 5, "another key is measured"
    before = len(gpu.launches)
    tuner()[grid](Tensor(), 1024)
    assert len(gpu.launches) > before + 5, "cache_results=False measures"


def test_the_environment_keeps_all_results(gpu, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_AUTOTUNING", "1")
    tuner()[grid](Tensor(), 1024)
    before = len(gpu.launches)
    tuner()[grid](Tensor(), 1024)
    assert len(gpu.launches) == before + 1


def test_reasons_are_kept_too_and_hooks_are_not(gpu, monkeypatch):
    gpu.time_of = lambda: 1.0

    def tuned(configs):
        made = weft.autotune(configs, key=["n"], rep=1, cache_results=True)
        return made(weft.jit(refused_above_64.fn))

    tuned(CONFIGS)[(1,)](Tensor(), 8)
    again = tuned(CONFIGS)
    again[(1,)](Tensor(), 8)
    assert "a block of more than 64" in again.trials[2].reason
    hooked = [weft.Config({"BLOCK": n}, pre_hook=lambda named: None) for n in (16, 32)]
    for _ in range(2):
        before = len(gpu.launches)
        tuned(hooked)[(1,)](Tensor(), 8)
        assert len(gpu.launches) > before + 5
    with pytest.raises(CompilationError, match="a block of more than 64"):
        tuned([CONFIGS[2]] * 2)[(1,)](Tensor(), 8)


def test_reasons_from_the_disk_are_an_error_where_nothing_can_be_compiled():
    trial = trials.Trial(CONFIGS[0], reason="too large")
    with pytest.raises(CodegenError, match="no configuration of autotune can be compiled"):
        trials.chosen([trial])


def test_two_threads_measure_once(gpu):
    tuned = tuner()
    threads = [threading.Thread(target=lambda: tuned[grid](Tensor(), 1024)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([launch for launch in gpu.launches if launch.grid == (32, 1, 1)]) < 20


class Torch:
    """A tensor that copies itself as torch's do."""

    def __init__(self, value: float) -> None:
        self.value = value

    def zero_(self) -> None:
        self.value = 0.0

    def clone(self) -> Torch:
        return Torch(self.value)

    def copy_(self, other: Torch) -> None:
        self.value = other.value


def test_arrays_of_any_library_are_cleared_and_put_back():
    tensor, array = Torch(3.0), np.full(4, 3.0, np.float32)
    for each, values in (
        (tensor, lambda: tensor.value),
        (Dlpack(array), array.max),
        (array, array.max),
    ):
        saved = copied(each, "x")
        clear(each, "x")
        assert values() == 0
        put_back(each, saved, "x")
        assert values() == 3
    with pytest.raises(LaunchError, match="parameter x is no array that could be reset"):
        clear(3, "x")
    with pytest.raises(LaunchError, match="parameter x is not in the memory"):
        copied(CudaArray(array), "x")


def test_a_progress_bar_is_shown_when_it_takes_long(monkeypatch):
    import io

    import rich.console

    shown = io.StringIO()
    console = rich.console.Console
    monkeypatch.setattr(trials, "_PATIENCE_S", -1.0)
    monkeypatch.setattr(
        rich.console,
        "Console",
        lambda **given: console(file=shown, force_terminal=True, width=100),
    )
    assert list(trials.watched("fill", CONFIGS)) == CONFIGS
    assert "tuning fill" in shown.getvalue()
    shown.truncate(0)
    monkeypatch.setattr(trials, "_PATIENCE_S", 60.0)
    assert list(trials.watched("fill", CONFIGS)) == CONFIGS
    assert "tuning" not in shown.getvalue()
