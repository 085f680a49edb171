"""What a launch moves and computes, and the least time for it."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.launch.interception import intercept_launches
from weft.targets.boards import Board
from weft.testing import launch_recorder
from weft.testing.launch_cost import LaunchCost, launch_cost, lower_bound
from weft.testing.launch_recorder import LaunchRecorder


@weft.jit
def add(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i) + tl.load(y + i))


@weft.jit
def square(x, y):
    i = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(x + i)
    tl.store(y + i, tl.dot(a, a))


def record(kernel, grid, *args, **kwargs):
    recorder = LaunchRecorder(gpu=None)
    with intercept_launches(recorder):
        kernel[grid](*args, **kwargs)
    return recorder.launches[0]


def test_bytes_and_updated_arrays():
    x, y = np.ones(64, np.float32), np.ones(64, np.float32)
    cost = launch_cost(record(add, (4,), x, y, BLOCK=16))
    assert (cost.bytes_read, cost.bytes_written, cost.bytes_moved) == (512, 256, 768)
    assert (cost.updated, cost.counted_programs, cost.programs) == (("y",), 4, 4)


def test_operations_of_dots():
    x, y = np.ones((16, 16), np.float16), np.zeros((16, 16), np.float32)
    assert launch_cost(record(square, (3,), x, y)).operations == {"f16": 3 * 2 * 16**3}


def test_large_launches_are_sampled(monkeypatch):
    x, y = np.ones(4096, np.float32), np.ones(4096, np.float32)
    launch = record(add, (256,), x, y, BLOCK=16)
    monkeypatch.setattr(launch_recorder, "_MAX_PROGRAMS", 100)
    cost = launch_cost(launch)
    assert (cost.counted_programs, cost.programs) == (64, 256)
    assert cost.bytes_moved == 3 * x.nbytes, "sampled arrays count in full"


def test_lower_bound_is_the_larger_of_memory_and_dot_time():
    board = Board("A", ("A",), 1000, "test", f16_giga=1000)
    memory = lower_bound(LaunchCost(10**9, 0, {"f16": 1e6}, 1, 1, ()), board)
    assert (memory.milliseconds, memory.limiter) == (pytest.approx(1.0), "memory")
    dot = lower_bound(LaunchCost(1, 0, {"f8": 1e9, "f64": 1e30}, 1, 1, ()), board)
    assert (dot.milliseconds, dot.limiter) == (pytest.approx(1.0), "f8"), "f8 computes as f16"
