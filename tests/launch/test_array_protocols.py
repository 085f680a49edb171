"""Arrays that only a protocol opens: where they are, and what kernels do with them."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import CudaArray, FakeCuda
from weft.errors import LaunchError
from weft.launch.array_protocols import Device, is_foreign_array, viewed


class Dlpack:
    """An array that only says where it is by DLPack."""

    def __init__(self, array: np.ndarray, kind: int | None = None) -> None:
        self.array, self.kind, self.streams = array, kind, []

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0) if self.kind is None else (self.kind, 3)

    def __dlpack__(self, *, stream: int | None = None) -> object:
        self.streams.append(stream)
        return self.array.__dlpack__()


@weft.jit
def double(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@pytest.mark.parametrize(
    "value", [np.zeros(3), np.float32(1), 3, 0.5, "text", None, (1, 2), ml_dtypes.bfloat16(1)]
)
def test_what_has_names_of_its_own_is_not_foreign(value):
    assert not is_foreign_array(value)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float16", "float32", "bool"])
def test_dlpack_says_it_all(dtype):
    array = np.zeros((4, 6), dtype)[1:, ::2]
    found = viewed(Dlpack(array), "x")
    assert found.data_ptr() == array.__array_interface__["data"][0]
    assert (found.dtype, found.shape, found.stride()) == (dtype, (3, 3), (6, 2))
    assert str(found.device) == "cpu"


def test_a_kernel_runs_on_an_array_of_dlpack():
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    double[(1,)](Dlpack(x), Dlpack(y), 8, BLOCK=8)
    np.testing.assert_array_equal(y, 2 * x)


def test_dlpack_on_a_gpu_is_told_of_the_stream(monkeypatch):
    gpu = FakeCuda(monkeypatch, devices=4)
    from weft.launch.devices import opened

    array = Dlpack(np.zeros(4, np.float32), kind=2)
    assert opened({"x": array})["x"].device == Device("cuda", 3)
    gpu.streams[3] = 77
    opened({"x": (array, 1)})
    assert array.streams == [1, 77], "1 is the default stream"


def test_dlpack_on_pinned_memory_counts_as_any_gpu_s():
    assert viewed(Dlpack(np.zeros(4), kind=3), "x").is_pinned()


def test_dlpack_that_has_no_meaning_here():
    with pytest.raises(LaunchError, match="parameter x is on a device") as caught:
        viewed(Dlpack(np.zeros(3), kind=7), "x")
    assert "DLPack device 7:3" in str(caught.value)
    with pytest.raises(LaunchError, match="parameter x is an array of a type that") as caught:
        viewed(Dlpack(np.zeros(3, np.complex64)), "x")
    assert "DLPack type 5, 64 bits, 1 lanes" in str(caught.value)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_])
def test_the_interface_of_cuda_says_it_all(dtype):
    array = np.zeros((4, 6), dtype)
    found = viewed(CudaArray(array, 2, stream=5), "x")
    assert found.data_ptr() == array.ctypes.data
    assert (found.dtype, found.shape, found.stride()) == (array.dtype, (4, 6), (6, 1))
    assert (found.device, found.stream) == (Device("cuda", 2), 5)
    assert viewed(CudaArray(array[:, ::2]), "x").stride() == (6, 2)


def test_an_element_type_that_numpy_does_not_know_is_the_array_s_own():
    array = CudaArray(np.zeros(4, ml_dtypes.bfloat16))
    array.dtype = array.array.dtype
    assert viewed(array, "x").dtype == ml_dtypes.bfloat16


def test_the_device_is_that_of_the_address_where_the_array_does_not_say(monkeypatch):
    FakeCuda(monkeypatch, devices=9)
    array = CudaArray(np.zeros(4, np.float32))
    array.device = None
    (where,) = {array.array.ctypes.data >> 40}
    assert viewed(array, "x").device.index == where


def test_a_mask_is_refused():
    class Masked(CudaArray):
        @property
        def __cuda_array_interface__(self):
            return CudaArray.__cuda_array_interface__.fget(self) | {"mask": self}  # pyright: ignore

    with pytest.raises(LaunchError, match="parameter x is an array with a mask"):
        viewed(Masked(np.zeros(3)), "x")
