"""Copy the arrays of arguments between devices."""

from __future__ import annotations

import importlib
import sys
from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

from weft import TensorDescriptor
from weft.errors import LaunchError
from weft.testing.argument_arrays import (
    copy_back,
    copy_to_gpu,
    copy_to_host,
    map_arrays,
    named_arrays,
)


def test_arrays_in_tuples_and_descriptors_are_listed_and_replaced():
    x, y = np.zeros((4, 8)), np.ones(3)
    arguments = {"pair": (x, 7), "desc": TensorDescriptor.from_tensor(x, [2, 4]), "y": y, "n": 3}
    assert [name for name, _ in named_arrays(arguments)] == ["pair[0]", "desc", "y"]
    replaced = {name: map_arrays(np.ones_like, value) for name, value in arguments.items()}
    assert all((array == 1).all() for _, array in named_arrays(replaced))  # pyright: ignore[reportAttributeAccessIssue]
    assert (x == 0).all()
    assert replaced["n"] == 3


def test_a_copy_of_a_gpu_tensor_lives_until_it_is_read():
    class OnGpu:
        """A tensor whose copy on the host owns its memory."""

        device = SimpleNamespace(type="cuda", index=0)
        dtype = "torch.float32"

        def data_ptr(self) -> int:
            return 0

        def cpu(self) -> OnHost:
            return OnHost()

    class OnHost:
        dtype, shape = "torch.float32", (4,)

        def __init__(self) -> None:
            self.array = np.arange(4, dtype=np.float32)

        def data_ptr(self) -> int:
            return self.array.ctypes.data

        def __del__(self) -> None:
            self.array[...] = -1

    assert copy_to_host(OnGpu()).tolist() == [0, 1, 2, 3]


class FakeTorch:
    """The part of torch that copies an array to a GPU."""

    bfloat16 = "torch.bfloat16"

    def __init__(self, array: np.ndarray | None = None) -> None:
        self.array, self.copies = array, []

    def from_numpy(self, array: np.ndarray) -> FakeTorch:
        return FakeTorch(array)

    def to(self, device: str, copy: bool) -> FakeTorch:
        assert (device, copy) == ("cuda:0", True)
        return self

    def view(self, dtype: str) -> tuple[np.ndarray | None, str]:
        return self.array, dtype


def test_arrays_of_ml_dtypes_are_copied_as_integers(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", FakeTorch())
    plain = copy_to_gpu(np.zeros(3, np.float32), 0)
    assert plain.array.dtype == np.float32  # pyright: ignore[reportAttributeAccessIssue]
    bits, dtype = copy_to_gpu(np.zeros(3, ml_dtypes.bfloat16), 0)  # pyright: ignore[reportGeneralTypeIssues]
    assert (bits.dtype, dtype) == (np.uint16, "torch.bfloat16")


def test_copies_to_a_gpu_need_torch_and_contiguous_arrays(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", FakeTorch())
    with pytest.raises(LaunchError, match="only contiguous arrays can be copied to a GPU"):
        copy_to_gpu(np.zeros((4, 4))[:, ::2], 0)
    import_module = importlib.import_module

    def without_torch(name: str, *rest: str):
        if name == "torch":
            raise ImportError
        return import_module(name, *rest)

    monkeypatch.setattr(importlib, "import_module", without_torch)
    with pytest.raises(LaunchError, match="a measurement on a GPU needs torch"):
        copy_to_gpu(np.zeros(3), 0)


def test_copy_back():
    source, target = np.ones(4), np.zeros(4)
    copy_back((source, 7), (target, 7))
    assert (target == 1).all()
    copy_back(source, source)
