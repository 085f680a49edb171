"""Launches that were seen before are found again, and no others."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Parameter, Tensor
from weft import knobs
from weft.compiler.fingerprint import Captured
from weft.kernel.launch_cache import Dispatch

SCALE: tl.constexpr = tl.constexpr(3)


@weft.jit
def kernel(x_ptr, n, scale, BLOCK: tl.constexpr, STEP: tl.constexpr = 2):
    """Take one argument of each kind."""
    tl.store(x_ptr, SCALE)


class Seen:
    """A dispatch over programs that only remember what they were launched with."""

    def __init__(self, monkeypatch) -> None:
        self.gpu = FakeCuda(monkeypatch, devices=2)
        self.full, self.direct = [], []
        captured = Captured(kernel)
        assert captured.key
        self.dispatch = Dispatch(kernel, captured, self.in_full, kernel.pre_run_hooks)
        self.learn(Tensor(), 100, 0.5, BLOCK=128)

    def in_full(self, grid, args, kwargs):
        self.full.append((grid, args, kwargs))

    def learn(self, *args, **kwargs) -> None:
        program = SimpleNamespace(direct=lambda *given: self.direct.append(given))
        self.dispatch.remember(args, kwargs, program)  # pyright: ignore

    def launch(self, grid, *args, **kwargs) -> str:
        before = len(self.direct), len(self.full)
        self.dispatch.launch(grid, *args, **kwargs)
        direct, full = len(self.direct) - before[0], len(self.full) - before[1]
        return {(1, 0): "again", (0, 1): "in full"}[direct, full]


@pytest.fixture
def seen(monkeypatch) -> Seen:
    return Seen(monkeypatch)


def test_the_same_kinds_of_arguments_launch_with_their_values(seen):
    seen.gpu.streams[0] = 9
    assert seen.launch((4,), Tensor(address=128), 200, 1.5, BLOCK=128) == "again"
    assert seen.direct == [(4, 1, 1, 9, 128, 200, 1.5, None, None)]
    assert seen.launch((4, 5, 6), n=200, x_ptr=Tensor(), scale=1.0, BLOCK=128, STEP=2) == "again"
    assert seen.direct[-1][:3] == (4, 5, 6)


def test_a_grid_of_the_arguments_sees_them_all(seen):
    def grid(meta):
        assert list(meta) == ["x_ptr", "n", "scale", "BLOCK", "STEP"]
        return (meta["n"] // meta["BLOCK"], meta["STEP"])

    assert seen.launch(grid, Tensor(), 1290, 0.5, BLOCK=128) == "again"
    assert seen.direct[-1][:3] == (10, 2, 1)


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
        ((Tensor(), 200, 0.5), {"BLOCK": [128]}),  # no key
        ((Tensor(), 200, 0.5, 128, 2, 3), {}),  # too many
        ((Tensor(), 200), {"BLOCK": 128}),  # one is missing
        ((Tensor(), 200, 0.5), {"BLOCK": 128, "num_warps": 8}),  # an option
        ((Tensor(), 200, 0.5), {"BLOCK": 128, "num_warps": [8]}),
    ],
)
def test_anything_else_is_launched_in_full(seen, args, kwargs):
    assert seen.launch((1,), *args, **kwargs) == "in full"
    (_, given, named) = seen.full[-1]
    if len(args) < 5:
        names = ("x_ptr", "n", "scale")
        assert named == {"STEP": 2, **dict(zip(names, args, strict=False)), **kwargs}
    else:
        assert given == args


@pytest.mark.parametrize("grid", [(0,), (-1,), (), (1, 1, 1, 1), 4, (1.0,), [1], (1, True), "x"])
def test_other_grids_are_launched_in_full(seen, grid):
    assert seen.launch(grid, Tensor(), 200, 0.5, BLOCK=128) == "in full"
    assert seen.launch(lambda meta: grid, Tensor(), 200, 0.5, BLOCK=128) == "in full"


def test_a_parameter_of_a_layer_is_a_tensor(seen):
    assert seen.launch((1,), Parameter(), 200, 0.5, BLOCK=128) == "again"


def test_options_are_part_of_the_key(seen):
    seen.learn(Tensor(), 100, 0.5, BLOCK=128, num_warps=8)
    assert seen.launch((1,), Tensor(), 100, 0.5, BLOCK=128, num_warps=8) == "again"
    assert seen.launch((1,), Tensor(), 100, 0.5, BLOCK=128, num_warps=4) == "in full"


def test_constants_that_python_calls_equal_differ(seen):
    for constant in (0.0, (1, 2)):
        seen.learn(Tensor(), 100, 0.5, BLOCK=constant)
        assert seen.launch((1,), Tensor(), 100, 0.5, BLOCK=constant) == "again"
    for other in (-0.0, (1.0, 2), (True, 2), 0):
        assert seen.launch((1,), Tensor(), 100, 0.5, BLOCK=other) == "in full"


def test_a_rebound_global_and_hooks_are_seen(seen, monkeypatch):
    call = ((1,), Tensor(), 200, 0.5)
    monkeypatch.setattr(kernel, "pre_run_hooks", [])
    with monkeypatch.context() as changed:
        changed.setitem(globals(), "SCALE", tl.constexpr(5))
        assert seen.launch(*call, BLOCK=128) == "in full"
    assert seen.launch(*call, BLOCK=128) == "again"
    for hooks in (knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook):
        hooks.add(print)
        assert seen.launch(*call, BLOCK=128) == "in full"
        hooks.remove(print)
    seen.dispatch.run_hooks.append(print)
    assert seen.launch(*call, BLOCK=128) == "in full"
    seen.dispatch.run_hooks.clear()
    assert seen.launch(*call, BLOCK=128) == "again"
