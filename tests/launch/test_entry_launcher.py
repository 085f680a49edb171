"""compiled[grid](…): launch IR that was compiled from a file."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft.errors import LaunchError


@weft.jit
def scaled(x, y, n, by, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * by, mask=i < n)


@pytest.fixture
def gpu(monkeypatch) -> FakeCuda:
    return FakeCuda(monkeypatch, devices=2)


@pytest.fixture
def compiled(tmp_path):
    """TTGIR of the kernel, read from a file."""
    kernel = weft.compile(scaled, signature="*fp32:16, *fp32:16, i32, fp32, 256", target="cuda:90")
    file = tmp_path / "scaled.ttgir"
    file.write_text(kernel.asm["ttgir"])
    return weft.compile(file, target="cuda:90")


def test_the_entry_is_loaded_once_per_gpu_and_launched(gpu, compiled):
    for number in (0, 1, 0):
        x, y = Tensor(device=number, address=160), Tensor(device=number, address=320)
        compiled[7, 2](x, y, 100, 0.5)
    assert len(gpu.loaded) == 2
    launch = gpu.launches[-1]
    assert (launch.grid, launch.block) == ((7, 2, 1), (128, 1, 1))
    assert launch.read("PPif") == (160, 320, 100, 0.5)


def test_an_empty_grid_launches_nothing(gpu, compiled):
    compiled[0](Tensor(), Tensor(), 100, 0.5)
    assert gpu.launches == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Tensor(), Tensor(), 100), "scaled takes 4 arguments but 3 were given"),
        ((1, 2, 100, 0.5), "scaled must be launched on a GPU"),
        ((Tensor(), Tensor(device=1), 100, 0.5), "the arrays are on several devices"),
    ],
)
def test_wrong_arguments_are_an_error(gpu, compiled, arguments, message):
    with pytest.raises(LaunchError, match=message):
        compiled[1](*arguments)


def test_a_gpu_that_is_not_the_target_is_an_error(monkeypatch, compiled):
    FakeCuda(monkeypatch, capability=80)
    with pytest.raises(LaunchError, match="scaled is compiled for cuda:90") as caught:
        compiled[1](Tensor(), Tensor(), 100, 0.5)
    assert "GPU 0 is cuda:80" in str(caught.value)
