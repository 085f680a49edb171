"""Results of autotune."""

from __future__ import annotations

import pytest

import weft
from tests.launch.fake_cuda import FakeCuda
from weft.autotuner.trials import Trial, best_config, device_description
from weft.errors import CodegenError, CompilationError


def test_error_if_all_saved_trials_failed():
    trial = Trial(weft.Config({}), reason="too large")
    with pytest.raises(CodegenError, match="no configuration of autotune can be compiled"):
        best_config([trial])


def test_the_fastest_trial_wins():
    trials = [Trial(weft.Config({"BLOCK": n}), (float(time),)) for n, time in ((8, 2), (16, 1))]
    assert best_config(trials) is trials[1].config


def test_a_failed_trial_has_a_reason_in_one_line():
    error = CompilationError("a block\n  of 64", found="128")
    trial = Trial.failed(weft.Config({}), error)
    assert trial.reason == "a block of 64 (128)"
    with pytest.raises(CompilationError):
        best_config([trial])


def test_device_description(monkeypatch):
    assert device_description(None).startswith("cpu, ")
    FakeCuda(monkeypatch)
    assert device_description(0) == "cuda:90, 132 multiprocessors"
