"""`weft.testing.simulate` runs launches in the simulator of a chip."""

from __future__ import annotations

import re

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.errors import LaunchError, OutOfBoundsError, UnknownTargetError
from weft.simulator import RaceError
from weft.testing import simulate, simulation

CHIPS = ["cuda:90", "hip:gfx942"]


@weft.jit
def shift(x, y, n, by, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) + by, mask=i < n)


@pytest.mark.parametrize("chip", CHIPS)
def test_launches_write_to_the_arrays(chip):
    x, y = np.arange(300, dtype=np.float32), np.zeros(300, np.float32)
    with simulate(chip) as run:
        shift[(3,)](x, y, 300, 2.5, BLOCK=128)
        shift[(3,)](x, y, 300, 3.5, BLOCK=128, num_warps=2)
    assert (y == x + 3.5).all()
    assert [(each.kernel, each.grid) for each in run.launches] == [("shift", (3, 1, 1))] * 2


@pytest.mark.parametrize("chip", CHIPS)
def test_arrays_that_share_memory(chip):
    x = np.arange(128, dtype=np.float32)
    with simulate(chip):
        shift[(1,)](x, x, 128, 1.0, BLOCK=128)
        shift[(1,)](x[:64], x[64:], 64, 1.0, BLOCK=64)
    assert (x[:64] == np.arange(64) + 1).all()
    assert (x[64:] == np.arange(64) + 2).all()


@weft.jit
def transpose(x, y, stride_x, stride_y, n: tl.uint32, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    tl.store(y + i * stride_y + j, tl.load(x + j * stride_x + i) + (n > 5).to(tl.int32))


def test_strided_arrays_and_unsigned_numbers():
    memory = np.arange(32 * 40, dtype=np.int32).reshape(32, 40)
    y = np.zeros((32, 32), np.int32)
    with simulate("cuda:90"):
        transpose[(1,)](memory[:, 3:35], y, 40, 32, 0xFFFFFFFF, N=32)
    assert (y == memory[:, 3:35].T + 1).all()


@weft.jit
def copy_tile(source, target):
    target.store([0, 0], source.load([8, 16]))


@pytest.mark.parametrize("chip", ["cuda:80", *CHIPS])
def test_descriptors(chip):
    x, y = np.arange(64 * 64, dtype=np.float16).reshape(64, 64), np.zeros((16, 32), np.float16)
    described = [weft.TensorDescriptor.from_tensor(each, [16, 32]) for each in (x, y)]
    with simulate(chip):
        copy_tile[(1,)](*described)
    assert (y == x[8:24, 16:48]).all()


@weft.jit
def multiply(x, y, out, K, M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr):
    rows, columns = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    total = tl.zeros((M, N), tl.float32)
    for k in range(0, K, BLOCK):
        a = tl.load(x + rows * K + k + tl.arange(0, BLOCK)[None, :])
        b = tl.load(y + (k + tl.arange(0, BLOCK)[:, None]) * N + columns)
        total = tl.dot(a, b, total)
    tl.store(out + rows * N + columns, total)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("chip", ["cuda:70", "cuda:75"])
def test_dots_of_chips_before_ampere(chip, dtype):
    draw = np.random.default_rng(0)
    x, y = (draw.integers(-3, 4, shape).astype(dtype) for shape in ((32, 64), (64, 32)))
    out = np.zeros((32, 32), np.float32)
    with simulate(chip):
        multiply[(1,)](x, y, out, 64, 32, 32, 32)
    np.testing.assert_array_equal(out, x.astype(np.float32) @ y.astype(np.float32))


@weft.jit
def through_shared_memory(x, y):
    i = tl.arange(0, 32)
    at = i[:, None] * 32 + i[None, :]
    tl.store(y + at, tl.trans(tl.load(x + at)))


def test_a_race_names_source_lines(monkeypatch):
    class WithoutBarriers:
        def __init__(self, llvm):
            self.llvm = llvm

        def __getattr__(self, name):
            return getattr(self.llvm, name)

        def text_with_locations(self):
            text = self.llvm.text_with_locations()
            changed = re.sub(r"(?m)^.*barrier\.(cta\.)?sync.*\(.*\).*$", "", text)
            changed = re.sub(r"(?m)^(?!declare).*@llvm\.nvvm\.barrier.*$", "", changed)
            assert changed != text
            return changed

    lower = simulation.lower_ttgir
    monkeypatch.setattr(simulation, "lower_ttgir", lambda *args: WithoutBarriers(lower(*args)))
    x = np.zeros((32, 32), np.float32)
    with simulate("cuda:90"), pytest.raises(RaceError) as caught:
        through_shared_memory[(1,)](x, x.copy())
    assert caught.value.location is not None
    assert caught.value.location.file == __file__


def test_errors():
    x = np.zeros(16, np.float32)
    with simulate("cuda:90"), pytest.raises(OutOfBoundsError):
        shift[(1,)](x, x, 4096, 1.0, BLOCK=4096)
    with pytest.raises(LaunchError, match="the simulator runs the code of GPUs"):
        simulate("cpu").__enter__()
    with pytest.raises(UnknownTargetError):
        simulate("cuda:1").__enter__()


@weft.jit
def says(n):
    tl.device_print("n", n)


def test_printed_lines(capsys):
    with simulate("cuda:90"):
        says[(1,)](7, num_warps=1)
    assert "n: 7" in capsys.readouterr().out


def test_counters_see_the_alignment_that_a_gpu_allocates():
    x, y = np.zeros(1024 + 8, np.float32), np.zeros(1024, np.float32)
    with simulate("cuda:90", counters=True) as run:
        shift[(1,)](x, y, 1024, 1.0, BLOCK=128, num_warps=1)
        shift[(1,)](x[4:], y, 1024, 1.0, BLOCK=128, num_warps=1)
    whole, part = (each.report.counters for each in run.launches)
    assert whole is not None
    assert part is not None
    assert whole.total("global load").sectors == 16
    assert part.total("global load").sectors == 17  # 16 bytes after the start of a sector


def test_launches_are_counted_only_when_asked():
    x = np.zeros(128, np.float32)
    with simulate("cuda:90") as run:
        shift[(1,)](x, x, 128, 1.0, BLOCK=128)
    assert run.launches[0].report.counters is None
