"""The launch cache finds the kernel of a repeated launch, and of no other."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Parameter, Tensor
from weft import knobs
from weft.compiler.fingerprint import CapturedGlobals
from weft.kernel.launch_cache import LaunchCache

SCALE: tl.constexpr = tl.constexpr(3)


@weft.jit
def kernel(x_ptr, n, scale, BLOCK: tl.constexpr, STEP: tl.constexpr = 2):  # pyright: ignore[reportArgumentType]
    """Take one argument of each kind."""
    tl.store(x_ptr, SCALE)


class CachedKernel:
    """A launch cache of kernels that record what they are launched with."""

    def __init__(self, monkeypatch) -> None:
        self.gpu = FakeCuda(monkeypatch, devices=2)
        self.full_path_calls, self.launched_values = [], []
        captured_globals = CapturedGlobals(kernel)
        assert captured_globals.key
        assert knobs.CompileSettings.current()  # as the full path reads them
        self.cache = LaunchCache(kernel, captured_globals, self.full_path, kernel.pre_run_hooks)
        self.add(Tensor(), 100, 0.5, BLOCK=128)

    def full_path(self, grid, args, kwargs):
        self.full_path_calls.append((grid, args, kwargs))

    def add(self, *args, **kwargs) -> None:
        loaded = SimpleNamespace(launch_values=lambda *values: self.launched_values.append(values))
        self.cache.add(args, kwargs, loaded)  # pyright: ignore

    def launch(self, grid, *args, **kwargs) -> str:
        before = len(self.launched_values), len(self.full_path_calls)
        self.cache.launch(grid, *args, **kwargs)
        fast = len(self.launched_values) - before[0]
        full = len(self.full_path_calls) - before[1]
        return {(1, 0): "fast path", (0, 1): "full path"}[fast, full]


@pytest.fixture
def cached(monkeypatch) -> CachedKernel:
    return CachedKernel(monkeypatch)


def test_repeated_launch_takes_the_fast_path(cached):
    cached.gpu.streams[0] = 9
    assert cached.launch((4,), Tensor(address=128), 200, 1.5, BLOCK=128) == "fast path"
    assert cached.launched_values == [(4, 1, 1, 9, 128, 200, 1.5, None, None)]
    assert (
        cached.launch((4, 5, 6), n=200, x_ptr=Tensor(), scale=1.0, BLOCK=128, STEP=2) == "fast path"
    )
    assert cached.launched_values[-1][:3] == (4, 5, 6)


def test_grid_function_receives_all_arguments(cached):
    def grid(meta):
        assert list(meta) == ["x_ptr", "n", "scale", "BLOCK", "STEP"]
        return (meta["n"] // meta["BLOCK"], meta["STEP"])

    assert cached.launch(grid, Tensor(), 1290, 0.5, BLOCK=128) == "fast path"
    assert cached.launched_values[-1][:3] == (10, 2, 1)


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((Tensor(address=72), 200, 0.5), {"BLOCK": 128}),  # another alignment
        ((Tensor("f16"), 200, 0.5), {"BLOCK": 128}),  # another element type
        ((Tensor(device=1), 200, 0.5), {"BLOCK": 128}),  # on another GPU
        ((Tensor(device=-1), 200, 0.5), {"BLOCK": 128}),  # on the host
        ((Tensor(), 1, 0.5), {"BLOCK": 128}),  # 1 is a constant
        ((Tensor(), 160, 0.5), {"BLOCK": 128}),  # divisible by 16
        ((Tensor(), 1 << 40, 0.5), {"BLOCK": 128}),  # 64 bits
        ((Tensor(), 1 << 70, 0.5), {"BLOCK": 128}),  # more than that
        ((Tensor(), True, 0.5), {"BLOCK": 128}),  # no integer
        ((Tensor(), 200, None), {"BLOCK": 128}),
        ((Tensor(), 200, "text"), {"BLOCK": 128}),
        ((Tensor(), 200, 0.5), {"BLOCK": 64}),  # another constant
        ((Tensor(), 200, 0.5), {"BLOCK": 128.0}),  # equal, but of another type
        ((Tensor(), 200, 0.5), {"BLOCK": [128]}),  # unhashable
        ((Tensor(), 200, 0.5, 128, 2, 3), {}),  # too many
        ((Tensor(), 200), {"BLOCK": 128}),  # one is missing
        ((Tensor(), 200, 0.5), {"BLOCK": 128, "num_warps": 8}),  # an option
        ((Tensor(), 200, 0.5), {"BLOCK": 128, "num_warps": [8]}),
    ],
)
def test_other_arguments_take_the_full_path(cached, args, kwargs):
    assert cached.launch((1,), *args, **kwargs) == "full path"
    (_, args_, kwargs_) = cached.full_path_calls[-1]
    if len(args) < 5:
        names = ("x_ptr", "n", "scale")
        assert kwargs_ == {"STEP": 2, **dict(zip(names, args, strict=False)), **kwargs}
    else:
        assert args_ == args


@pytest.mark.parametrize("grid", [(0,), (-1,), (), (1, 1, 1, 1), 4, (1.0,), [1], (1, True), "x"])
def test_unusual_grids_take_the_full_path(cached, grid):
    assert cached.launch(grid, Tensor(), 200, 0.5, BLOCK=128) == "full path"
    assert cached.launch(lambda meta: grid, Tensor(), 200, 0.5, BLOCK=128) == "full path"


def test_torch_parameters_are_tensors(cached):
    assert cached.launch((1,), Parameter(), 200, 0.5, BLOCK=128) == "fast path"


def test_options_are_part_of_the_key(cached):
    cached.add(Tensor(), 100, 0.5, BLOCK=128, num_warps=8)
    assert cached.launch((1,), Tensor(), 100, 0.5, BLOCK=128, num_warps=8) == "fast path"
    assert cached.launch((1,), Tensor(), 100, 0.5, BLOCK=128, num_warps=4) == "full path"


def test_constants_that_are_equal_in_python_differ(cached):
    for constant in (0.0, (1, 2)):
        cached.add(Tensor(), 100, 0.5, BLOCK=constant)
        assert cached.launch((1,), Tensor(), 100, 0.5, BLOCK=constant) == "fast path"
    for other in (-0.0, (1.0, 2), (True, 2), 0):
        assert cached.launch((1,), Tensor(), 100, 0.5, BLOCK=other) == "full path"


def test_rebound_globals_and_hooks_take_the_full_path(cached, monkeypatch):
    call = ((1,), Tensor(), 200, 0.5)
    monkeypatch.setattr(kernel, "pre_run_hooks", [])
    with monkeypatch.context() as changed:
        changed.setitem(globals(), "SCALE", tl.constexpr(5))
        assert cached.launch(*call, BLOCK=128) == "full path"
    assert cached.launch(*call, BLOCK=128) == "fast path"
    for hooks in (knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook):
        hooks.add(print)
        assert cached.launch(*call, BLOCK=128) == "full path"
        hooks.remove(print)
    cached.cache.run_hooks.append(print)
    assert cached.launch(*call, BLOCK=128) == "full path"
    cached.cache.run_hooks.clear()
    assert cached.launch(*call, BLOCK=128) == "fast path"


def test_a_rebound_global_concerns_every_cached_launch(cached, monkeypatch):
    cached.add(Tensor(), 100, 0.5, BLOCK=64)
    blocks = [((1,), Tensor(), 200, 0.5, block) for block in (128, 64)]
    assert [cached.launch(*call) for call in blocks] == ["fast path"] * 2
    monkeypatch.setitem(globals(), "SCALE", tl.constexpr(5))
    assert cached.launch(*blocks[0]) == "full path"
    assert cached.cache.captured_globals.key  # which the full path reads
    assert cached.launch(*blocks[1]) == "full path", "it was compiled for the old global"
