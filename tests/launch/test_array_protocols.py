"""Arrays of other libraries, through DLPack and the CUDA array interface."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import CudaArray, FakeCuda
from weft.errors import LaunchError
from weft.launch.argument_views import view_arguments
from weft.launch.array_protocols import Device, is_protocol_array, view_array


class Dlpack:
    """An array that has only DLPack."""

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
def test_numpy_arrays_and_scalars_need_no_protocol(value):
    assert not is_protocol_array(value)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float16", "float32", "bool"])
def test_view_of_a_dlpack_array(dtype):
    array = np.zeros((4, 6), dtype)[1:, ::2]
    view = view_array(Dlpack(array), "x")
    assert view.data_ptr() == array.__array_interface__["data"][0]
    assert (view.dtype, view.shape, view.stride()) == (dtype, (3, 3), (6, 2))
    assert str(view.device) == "cpu"


def test_kernel_runs_on_dlpack_arrays():
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    double[(1,)](Dlpack(x), Dlpack(y), 8, BLOCK=8)
    np.testing.assert_array_equal(y, 2 * x)


def test_dlpack_of_a_gpu_array_gets_the_stream(monkeypatch):
    gpu = FakeCuda(monkeypatch, devices=4)
    array = Dlpack(np.zeros(4, np.float32), kind=2)
    assert view_arguments({"x": array})["x"].device == Device("cuda", 3)  # pyright: ignore[reportAttributeAccessIssue]
    gpu.streams[3] = 77
    view_arguments({"x": (array, 1)})
    assert array.streams == [1, 77], "1 is the default stream"


def test_dlpack_of_pinned_memory():
    assert view_array(Dlpack(np.zeros(4), kind=3), "x").is_pinned()


def test_unsupported_dlpack_arrays_are_an_error():
    with pytest.raises(LaunchError, match="on a device that weft does not support") as caught:
        view_array(Dlpack(np.zeros(3), kind=7), "x")
    assert "DLPack device 7:3" in str(caught.value)
    with pytest.raises(LaunchError, match="element type that kernels do not support") as caught:
        view_array(Dlpack(np.zeros(3, np.complex64)), "x")
    assert "DLPack type 5, 64 bits, 1 lanes" in str(caught.value)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_])
def test_view_of_a_cuda_array_interface(dtype):
    array = np.zeros((4, 6), dtype)
    view = view_array(CudaArray(array, 2, stream=5), "x")  # pyright: ignore[reportArgumentType]
    assert view.data_ptr() == array.ctypes.data
    assert (view.dtype, view.shape, view.stride()) == (array.dtype, (4, 6), (6, 1))
    assert (view.device, view.stream) == (Device("cuda", 2), 5)
    assert view_array(CudaArray(array[:, ::2]), "x").stride() == (6, 2)  # pyright: ignore[reportArgumentType]


def test_element_type_that_numpy_lacks_is_read_from_the_array():
    array = CudaArray(np.zeros(4, ml_dtypes.bfloat16))
    array.dtype = array.array.dtype  # pyright: ignore[reportAttributeAccessIssue]
    assert view_array(array, "x").dtype == ml_dtypes.bfloat16  # pyright: ignore[reportArgumentType]


def test_device_is_that_of_the_address_by_default(monkeypatch):
    FakeCuda(monkeypatch, devices=9)
    array = CudaArray(np.zeros(4, np.float32))
    array.device = None  # pyright: ignore[reportAttributeAccessIssue]
    (index,) = {array.array.ctypes.data >> 40}
    assert view_array(array, "x").device.index == index  # pyright: ignore[reportArgumentType]


def test_masked_arrays_are_an_error():
    class Masked(CudaArray):
        @property
        def __cuda_array_interface__(self):
            return CudaArray.__cuda_array_interface__.fget(self) | {"mask": self}  # pyright: ignore

    with pytest.raises(LaunchError, match="parameter x: masked arrays are not supported"):
        view_array(Masked(np.zeros(3)), "x")
