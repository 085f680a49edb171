"""Record the launches of a program."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.launch.interception import intercept_launches
from weft.testing import launch_recorder
from weft.testing.launch_recorder import LaunchRecorder, time_launch


@weft.jit
def fill(x, value):
    tl.store(x + tl.arange(0, 8), value)


@weft.jit
def increment(x):
    i = tl.arange(0, 8)
    tl.store(x + i, tl.load(x + i) + 1)


def test_launches_with_the_same_types_and_grid_are_recorded_once():
    recorder = LaunchRecorder(gpu=None)
    x = np.zeros(8, np.float32)
    with intercept_launches(recorder):
        for value in (5, 7, 16):
            fill[(1,)](x, value, num_warps=2)
    assert (x == 16).all(), "the program's own array is updated"
    assert [launch.signature for launch in recorder.launches] == [
        "*fp32:16, i32",
        "*fp32:16, i32:16",
    ]
    assert recorder.launches[0].options == {"num_warps": 2}
    assert (recorder.launches[0].arrays["x"] == 0).all(), "inputs are copied before the launch"


def test_only_the_named_kernel_is_recorded():
    recorder = LaunchRecorder(gpu=None, kernel_name="increment")
    x = np.zeros(8, np.float32)
    with intercept_launches(recorder):
        fill[(1,)](x, 5)
        increment[(1,)](x)
    assert [launch.kernel.name for launch in recorder.launches] == ["increment"]


def test_updated_arrays_are_restored_before_each_timed_run():
    recorder = LaunchRecorder(gpu=None)
    with intercept_launches(recorder):
        increment[(1,)](np.zeros(8, np.float32))
    (launch,) = recorder.launches
    assert time_launch(launch, 2.0, ("x",)) > 0
    assert (launch.values["x"] == 1).all()  # pyright: ignore[reportAttributeAccessIssue]


def test_only_large_launches_run_on_the_gpu(monkeypatch):
    copies: list[str] = []
    monkeypatch.setattr(launch_recorder, "_MAX_PROGRAMS", 2)
    monkeypatch.setattr(
        launch_recorder, "copy_to_gpu", lambda array, gpu: copies.append("to GPU") or array
    )
    monkeypatch.setattr(launch_recorder, "copy_back", lambda source, target: copies.append("back"))
    recorder = LaunchRecorder(gpu=0)
    x = np.zeros(8, np.float32)
    with intercept_launches(recorder):
        fill[(2,)](x, 5)
        assert (x == 5).all()
        assert copies == ["back"] * 2 + ["to GPU"], "the recorded launch has its own arrays"
        copies.clear()
        fill[(3,)](x, 5)
    assert copies == ["to GPU", "back", "back", "to GPU"]


def test_errors_of_a_launch_are_raised():
    with intercept_launches(LaunchRecorder(gpu=None)), pytest.raises(weft.WeftError):
        fill[(1,)](np.zeros(8, np.float32))
