"""Launches that were seen before are found again, and no others."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

import weft
import weft.language as tl
from weft.runtime.dispatch import Dispatch


@weft.jit
def kernel(x_ptr, n, scale, BLOCK: tl.constexpr, STEP: tl.constexpr = 2):
    """Take one argument of each kind."""


class Tensor:
    """A tensor on a GPU."""

    def __init__(self, address: int, dtype: str = "f32", device: int = 0) -> None:
        self.address, self.dtype, self.device = address, dtype, device

    def data_ptr(self) -> int:
        return self.address

    def get_device(self) -> int:
        return self.device


@pytest.fixture
def dispatch(monkeypatch) -> Dispatch:
    torch = SimpleNamespace(
        Tensor=Tensor,
        cuda=SimpleNamespace(is_available=lambda: True),
        _C=SimpleNamespace(_cuda_getDevice=lambda: 0),
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    made = Dispatch(kernel)
    made.remember((Tensor(64), 100, 0.5), {"BLOCK": 128}, "program")  # pyright: ignore
    return made


def found(dispatch: Dispatch, *args: object, **kwargs: object) -> object:
    hit = dispatch.find(args, kwargs)
    return None if hit is None else (hit[0], hit[1], hit[2])


def test_the_same_kinds_of_arguments_find_the_program_with_their_values(dispatch):
    assert found(dispatch, Tensor(128), 200, 1.5, BLOCK=128) == (
        "program",
        (128, 200, 1.5, None, None),
        0,
    )


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((Tensor(72), 200, 0.5), {"BLOCK": 128}),  # another alignment
        ((Tensor(64, "f16"), 200, 0.5), {"BLOCK": 128}),  # another element type
        ((Tensor(64, device=1), 200, 0.5), {"BLOCK": 128}),  # on another GPU
        ((Tensor(64), 1, 0.5), {"BLOCK": 128}),  # 1 is a constant
        ((Tensor(64), 160, 0.5), {"BLOCK": 128}),  # divisible by 16
        ((Tensor(64), 1 << 40, 0.5), {"BLOCK": 128}),  # 64 bits
        ((Tensor(64), 1 << 70, 0.5), {"BLOCK": 128}),  # more than that
        ((Tensor(64), True, 0.5), {"BLOCK": 128}),  # no integer
        ((Tensor(64), 200, None), {"BLOCK": 128}),
        ((Tensor(64), 200, "text"), {"BLOCK": 128}),
        ((Tensor(64), 200, 0.5), {"BLOCK": 64}),  # another constant
        ((Tensor(64), 200, 0.5), {"BLOCK": 128.0}),  # equal, but of another type
        ((Tensor(64), 200, 0.5), {"BLOCK": [128]}),  # no key
        ((Tensor(64), 200, 0.5, 128), {}),  # another form of the call
        ((Tensor(64), 200, 0.5), {"BLOCK": 128, "num_warps": 8}),  # an option
    ],
)
def test_anything_else_is_bound_in_full(dispatch, args, kwargs):
    assert found(dispatch, *args, **kwargs) is None


def test_options_are_part_of_the_key(dispatch):
    call = (Tensor(64), 100, 0.5), {"BLOCK": 128, "num_warps": 8}
    dispatch.remember(*call, "eight")
    assert found(dispatch, *call[0], **call[1])[0] == "eight"  # pyright: ignore
    assert found(dispatch, *call[0], BLOCK=128, num_warps=4) is None
