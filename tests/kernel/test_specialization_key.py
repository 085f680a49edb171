"""Arguments that are neither tensors nor plain numbers: launched again as quickly, and rightly."""

from __future__ import annotations

import struct
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import CudaArray, FakeCuda, Tensor
from weft.errors import LaunchError
from weft.kernel import specialization_key as forms
from weft.kernel.specialization_key import form
from weft.launch.drivers.cuda import tensor_map as cuda_tensor_map
from weft.launch.tensor_descriptor import TensorDescriptor


class Pair(NamedTuple):
    """Two numbers."""

    low: int
    high: int


class Dlpack:
    """An array on a GPU that only says where it is by DLPack."""

    def __init__(self, array: np.ndarray, device: int = 0) -> None:
        self.array, self.device_number = array, device

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self.device_number

    def __dlpack__(self, *, stream: int | None = None) -> object:
        return self.array.__dlpack__()


@weft.jit
def copies(x, y):
    y.store([0, 0], x.load([0, 0]))


@weft.jit
def of_pair(pair, y):
    tl.store(y, (pair[0] + pair[1]).to(tl.float32))


@weft.jit
def of_one(x, y):
    tl.store(y, tl.load(x))


@weft.jit
def of_narrow(
    y,
    value: tl.bfloat16,  # pyright: ignore[reportInvalidTypeForm]
    half: tl.float16,  # pyright: ignore[reportInvalidTypeForm]
    byte: tl.int8,  # pyright: ignore[reportInvalidTypeForm]
    word: tl.uint32,  # pyright: ignore[reportInvalidTypeForm]
):
    tl.store(y, value + half + byte + word)


@weft.jit
def of_number(n, y):
    tl.store(y, n)


@pytest.fixture
def gpu(monkeypatch, tmp_path) -> FakeCuda:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))

    def encode(to, element, rank, address, sizes, strides, box, *rest) -> int:
        room = (to.value, address.value, *sizes, *box)
        struct.pack_into(f"{len(room)}Q", buffer_at(to.value), 0, *room)
        return 0

    monkeypatch.setattr(cuda_tensor_map, "_encode", lambda: encode)
    return FakeCuda(monkeypatch, devices=2)


def buffer_at(address: int) -> memoryview:
    import ctypes

    return memoryview((ctypes.c_char * 128).from_address(address)).cast("B")


class Again:
    """Launches of a kernel of which one was made: which of them are made in full."""

    def __init__(self, gpu: FakeCuda, kernel: weft.JITFunction, *args: object) -> None:
        self.gpu, self.kernel, self.in_full = gpu, weft.jit(kernel.fn), 0
        full = self.kernel._dispatch.in_full

        def counted(*given: Any) -> Any:
            self.in_full += 1
            return full(*given)

        self.kernel._dispatch.in_full = counted
        self.kernel[(1,)](*args)

    def __call__(self, *args: object) -> bool:
        before = self.in_full
        self.kernel[(1,)](*args)
        return self.in_full == before

    def read(self, formats: str) -> tuple[Any, ...]:
        return self.gpu.launches[-1].read(formats)


def described(address: int = 1 << 20, rows: int = 64, tile: int = 32, **more: Any) -> Any:
    tensor = Tensor("torch.float16", address=address, device=more.pop("device", 0))
    return TensorDescriptor(tensor, [rows, 64], [64, 1], [tile, 32], **more)


def test_descriptors(gpu):
    again = Again(gpu, copies, described(), described())
    assert again(described(1 << 21, 96), described())
    first, *rest = again.gpu.launches[-1].parameters[:6]
    assert struct.unpack_from("6Q", first)[1:] == (1 << 21, 64, 96, 32, 32)
    assert [struct.unpack_from(f, data)[0] for f, data in zip("iiqq", rest, strict=False)] == [
        96, 64, 64, 1,
    ]  # fmt: skip
    source = described()
    assert again(source, described())
    source.base, source.shape = Tensor("torch.float16", address=1 << 22), [32, 64]
    assert again(source, described())
    assert struct.unpack_from("4Q", gpu.launches[-1].parameters[0])[1:] == (1 << 22, 64, 32)
    assert not again(described(tile=64), described(tile=64))
    assert len(again.kernel.cache) == 2


def test_a_descriptor_that_the_copy_engine_refuses_is_told(gpu):
    again = Again(gpu, copies, described(), described())
    with pytest.raises(LaunchError, match="multiples of 16 bytes"):
        again(described(8), described())
    with pytest.raises(LaunchError, match="must be on one device"):
        again(described(device=1), described())


def test_a_descriptor_of_another_library_s_array(gpu):
    array = np.zeros((64, 64), np.float16)
    source, target = (TensorDescriptor.from_tensor(CudaArray(array), [32, 32]) for _ in range(2))
    assert source.strides == [64, 1]
    again = Again(gpu, copies, source, target)
    assert again(source, target)
    launch = gpu.launches[-1]
    assert struct.unpack_from("4Q", launch.parameters[0])[1] == array.ctypes.data


def test_tuples(gpu):
    y = Tensor(address=160)
    again = Again(gpu, of_pair, (100, 5), y)
    assert again((103, 7), y)
    assert again.read("iiP") == (103, 7, 160)
    assert not again((1, 7), y)
    assert again.read("iP") == (7, 160)
    assert again((1, 9), y)
    assert not again((103, (1 << 40) + 3), y)
    assert again((5, (1 << 40) + 1), y)
    assert again.read("iqP") == (5, (1 << 40) + 1, 160)
    assert not again(Pair(5, 7), y), "its items have names"
    assert again(Pair(5, 9), y)
    assert not again((0.5, 2.5), y)
    assert again((1.5, 1e39), y)
    assert again.read("ffP") == (1.5, float("inf"), 160)
    with pytest.raises(LaunchError, match="needs more than 64 bits"):
        again((1 << 70, 3), y)


@pytest.mark.parametrize("kind", [CudaArray, Dlpack])
def test_arrays_of_other_libraries(gpu, kind: Callable[..., Any]):
    arrays = [np.zeros(8, np.float32) for _ in range(2)]
    y = Tensor(address=160)
    again = Again(gpu, of_one, kind(arrays[0]), y)
    assert again(kind(arrays[1]), y) == (arrays[0].ctypes.data % 16 == arrays[1].ctypes.data % 16)
    assert again(kind(arrays[1]), y)
    assert again.read("PP") == (arrays[1].ctypes.data, 160)
    assert not again(kind(arrays[1].astype(np.int32)), y)
    with pytest.raises(LaunchError, match="must be on one device"):
        again(kind(arrays[1], 1), y)


def test_arrays_that_are_ready_on_another_stream_are_waited_for(gpu):
    array, y = np.zeros(8, np.float32), Tensor(address=160)
    again = Again(gpu, of_one, CudaArray(array), y)
    gpu.asked.clear()
    assert again(CudaArray(array, stream=1), y), "1 is the default stream"
    assert gpu.asked == []
    assert not again(CudaArray(array, stream=12), y)
    assert ("wait", 0) in gpu.asked
    gpu.streams[0] = 12
    assert again(CudaArray(array, stream=12), y)
    assert gpu.launches[-1].stream == 12


def test_arrays_of_classes_that_say_where_they_are(gpu):
    class Plain:
        dtype = np.dtype(np.float32)
        device = SimpleNamespace(type="cuda", index=0)

        def __init__(self, place: int) -> None:
            self.place = place

        def data_ptr(self) -> int:
            return self.place

    y = Tensor(address=160)
    again = Again(gpu, of_one, Plain(320), y)
    assert again(Plain(640), y)
    assert again.read("PP") == (640, 160)
    assert not again(Plain(648), y)


def test_narrow_floats_and_bounds(gpu):
    y = Tensor(address=160)
    again = Again(gpu, of_narrow, y, 1.0, 1.0, 5, 5)
    assert again(y, 1.5, 1e6, -127, (1 << 32) - 1)
    assert again.read("PHebI") == (160, 0x3FC0, float("inf"), -127, (1 << 32) - 1)
    assert not again(y, 1.5, 0.5, np.int64(7), 5)
    assert again(y, 1.5, 0.5, np.int64(9), 5)
    for byte, word in ((128, 5), (np.int64(-129), 5), (5, -1), (5, 1 << 32)):
        with pytest.raises(LaunchError, match="is declared"):
            again(y, 1.0, 1.0, byte, word)
    assert not again(y, 3, 1.0, 5, 5), "an int for a bf16"
    assert again(y, 5, 1.0, 7, 7)
    assert again.read("PHebI") == (160, 0x40A0, 1.0, 7, 7)


def test_numbers_of_numpy_s_and_of_64_bits(gpu):
    y = Tensor(address=160)
    again = Again(gpu, of_number, np.int64(5), y)
    assert again(np.int32(7), y)
    assert again.read("iP") == (7, 160)
    assert not again(np.int64(1), y)
    assert again(np.int32(1), y)
    assert again.read("P") == (160,)
    assert not again(np.float32(0.5), y)
    assert again(np.float64(0.25), y)
    assert again.read("fP") == (0.25, 160)
    assert not again((1 << 64) - 1, y)
    assert again((1 << 64) - 3, y)
    assert again.read("QP") == ((1 << 64) - 3, 160)


def test_what_has_no_form(gpu, monkeypatch):
    class Broken:
        dtype = np.dtype(np.float32)

        def data_ptr(self) -> int:
            raise ValueError

    assert form("text", 0) is None
    assert form(1 << 70, 0) is None
    assert form((1, "text"), 0) is None
    assert form(Broken(), 0) is None
    assert form(np.zeros(3), 0) is None
    assert form(Tensor(device=1), 0) is None
    monkeypatch.setattr(forms, "_MOST_CLASSES", 0)
    assert form(5, 0) == ((False, False), 5)
