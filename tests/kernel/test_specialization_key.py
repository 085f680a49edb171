"""Specialization keys of arguments that are neither tensors nor plain numbers."""

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
from weft.kernel import specialization_key
from weft.kernel.specialization_key import argument_key
from weft.launch.drivers.cuda import tensor_map
from weft.launch.tensor_descriptor import TensorDescriptor


class Pair(NamedTuple):
    """Two numbers."""

    low: int
    high: int


class Dlpack:
    """An array on a GPU that has only DLPack."""

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
def add_pair(pair, y):
    tl.store(y, (pair[0] + pair[1]).to(tl.float32))


@weft.jit
def copy_one(x, y):
    tl.store(y, tl.load(x))


@weft.jit
def add_narrow(
    y,
    value: tl.bfloat16,  # pyright: ignore[reportInvalidTypeForm]
    half: tl.float16,  # pyright: ignore[reportInvalidTypeForm]
    byte: tl.int8,  # pyright: ignore[reportInvalidTypeForm]
    word: tl.uint32,  # pyright: ignore[reportInvalidTypeForm]
):
    tl.store(y, value + half + byte + word)


@weft.jit
def store_number(n, y):
    tl.store(y, n)


@pytest.fixture
def gpu(monkeypatch, tmp_path) -> FakeCuda:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))

    def encode(output, data_type, rank, address, sizes, strides, box, *rest) -> int:
        words = (output.value, address.value, *sizes, *box)
        struct.pack_into(f"{len(words)}Q", buffer_at(output.value), 0, *words)
        return 0

    monkeypatch.setattr(tensor_map, "_driver_function", lambda: encode)
    return FakeCuda(monkeypatch, devices=2)


def buffer_at(address: int) -> memoryview:
    import ctypes

    return memoryview((ctypes.c_char * 128).from_address(address)).cast("B")


class Relaunch:
    """A kernel that was launched once, and the launches that the launch cache serves."""

    def __init__(self, gpu: FakeCuda, kernel: weft.JITFunction, *args: object) -> None:
        self.gpu, self.kernel, self.full_path_count = gpu, weft.jit(kernel.fn), 0
        full_path = self.kernel._launch_cache.full_path

        def counted(*arguments: Any) -> Any:
            self.full_path_count += 1
            return full_path(*arguments)

        self.kernel._launch_cache.full_path = counted
        self.kernel[(1,)](*args)

    def __call__(self, *args: object) -> bool:
        before = self.full_path_count
        self.kernel[(1,)](*args)
        return self.full_path_count == before

    def read(self, formats: str) -> tuple[Any, ...]:
        return self.gpu.launches[-1].read(formats)


def descriptor(address: int = 1 << 20, rows: int = 64, tile: int = 32, **more: Any) -> Any:
    tensor = Tensor("torch.float16", address=address, device=more.pop("device", 0))
    return TensorDescriptor(tensor, [rows, 64], [64, 1], [tile, 32], **more)


def test_descriptors(gpu):
    relaunch = Relaunch(gpu, copies, descriptor(), descriptor())
    assert relaunch(descriptor(1 << 21, 96), descriptor())
    first, *rest = relaunch.gpu.launches[-1].parameters[:6]
    assert struct.unpack_from("6Q", first)[1:] == (1 << 21, 64, 96, 32, 32)
    assert [struct.unpack_from(f, data)[0] for f, data in zip("iiqq", rest, strict=False)] == [
        96, 64, 64, 1,
    ]  # fmt: skip
    source = descriptor()
    assert relaunch(source, descriptor())
    source.base, source.shape = Tensor("torch.float16", address=1 << 22), [32, 64]
    assert relaunch(source, descriptor())
    assert struct.unpack_from("4Q", gpu.launches[-1].parameters[0])[1:] == (1 << 22, 64, 32)
    assert not relaunch(descriptor(tile=64), descriptor(tile=64))
    assert len(relaunch.kernel.cache) == 2


def test_descriptors_that_tma_cannot_address_are_an_error(gpu):
    relaunch = Relaunch(gpu, copies, descriptor(), descriptor())
    with pytest.raises(LaunchError, match="base of a tensor descriptor must be 16-byte aligned"):
        relaunch(descriptor(8), descriptor())
    with pytest.raises(LaunchError, match="the arrays are on several devices"):
        relaunch(descriptor(device=1), descriptor())


def test_descriptors_of_arrays_of_other_libraries(gpu):
    array = np.zeros((64, 64), np.float16)
    source, target = (TensorDescriptor.from_tensor(CudaArray(array), [32, 32]) for _ in range(2))  # pyright: ignore[reportArgumentType]
    assert source.strides == [64, 1]
    relaunch = Relaunch(gpu, copies, source, target)
    assert relaunch(source, target)
    launch = gpu.launches[-1]
    assert struct.unpack_from("4Q", launch.parameters[0])[1] == array.ctypes.data


def test_tuples(gpu):
    y = Tensor(address=160)
    relaunch = Relaunch(gpu, add_pair, (100, 5), y)
    assert relaunch((103, 7), y)
    assert relaunch.read("iiP") == (103, 7, 160)
    assert not relaunch((1, 7), y)
    assert relaunch.read("iP") == (7, 160)
    assert relaunch((1, 9), y)
    assert not relaunch((103, (1 << 40) + 3), y)
    assert relaunch((5, (1 << 40) + 1), y)
    assert relaunch.read("iqP") == (5, (1 << 40) + 1, 160)
    assert not relaunch(Pair(5, 7), y), "a named tuple is another type"
    assert relaunch(Pair(5, 9), y)
    assert not relaunch((0.5, 2.5), y)
    assert relaunch((1.5, 1e39), y)
    assert relaunch.read("ffP") == (1.5, float("inf"), 160)
    with pytest.raises(LaunchError, match="integer needs more than 64 bits"):
        relaunch((1 << 70, 3), y)


@pytest.mark.parametrize("kind", [CudaArray, Dlpack])
def test_arrays_of_other_libraries(gpu, kind: Callable[..., Any]):
    arrays = [np.zeros(8, np.float32) for _ in range(2)]
    y = Tensor(address=160)
    relaunch = Relaunch(gpu, copy_one, kind(arrays[0]), y)
    assert relaunch(kind(arrays[1]), y) == (
        arrays[0].ctypes.data % 16 == arrays[1].ctypes.data % 16
    )
    assert relaunch(kind(arrays[1]), y)
    assert relaunch.read("PP") == (arrays[1].ctypes.data, 160)
    assert not relaunch(kind(arrays[1].astype(np.int32)), y)
    with pytest.raises(LaunchError, match="the arrays are on several devices"):
        relaunch(kind(arrays[1], 1), y)


def test_arrays_that_are_ready_on_another_stream(gpu):
    array, y = np.zeros(8, np.float32), Tensor(address=160)
    relaunch = Relaunch(gpu, copy_one, CudaArray(array), y)
    gpu.requests.clear()
    assert relaunch(CudaArray(array, stream=1), y), "1 is the default stream"
    assert gpu.requests == []
    assert not relaunch(CudaArray(array, stream=12), y)
    assert ("wait", 0) in gpu.requests
    gpu.streams[0] = 12
    assert relaunch(CudaArray(array, stream=12), y)
    assert gpu.launches[-1].stream == 12


def test_arrays_with_data_ptr_and_device(gpu):
    class Plain:
        dtype = np.dtype(np.float32)
        device = SimpleNamespace(type="cuda", index=0)

        def __init__(self, place: int) -> None:
            self.place = place

        def data_ptr(self) -> int:
            return self.place

    y = Tensor(address=160)
    relaunch = Relaunch(gpu, copy_one, Plain(320), y)
    assert relaunch(Plain(640), y)
    assert relaunch.read("PP") == (640, 160)
    assert not relaunch(Plain(648), y)


def test_narrow_numbers(gpu):
    y = Tensor(address=160)
    relaunch = Relaunch(gpu, add_narrow, y, 1.0, 1.0, 5, 5)
    assert relaunch(y, 1.5, 1e6, -127, (1 << 32) - 1)
    assert relaunch.read("PHebI") == (160, 0x3FC0, float("inf"), -127, (1 << 32) - 1)
    assert not relaunch(y, 1.5, 0.5, np.int64(7), 5)
    assert relaunch(y, 1.5, 0.5, np.int64(9), 5)
    for byte, word in ((128, 5), (np.int64(-129), 5), (5, -1), (5, 1 << 32)):
        with pytest.raises(LaunchError, match="does not fit its annotation"):
            relaunch(y, 1.0, 1.0, byte, word)
    assert not relaunch(y, 3, 1.0, 5, 5), "an int for a bf16"
    assert relaunch(y, 5, 1.0, 7, 7)
    assert relaunch.read("PHebI") == (160, 0x40A0, 1.0, 7, 7)


def test_numpy_scalars_and_64_bit_integers(gpu):
    y = Tensor(address=160)
    relaunch = Relaunch(gpu, store_number, np.int64(5), y)
    assert relaunch(np.int32(7), y)
    assert relaunch.read("iP") == (7, 160)
    assert not relaunch(np.int64(1), y)
    assert relaunch(np.int32(1), y)
    assert relaunch.read("P") == (160,)
    assert not relaunch(np.float32(0.5), y)
    assert relaunch(np.float64(0.25), y)
    assert relaunch.read("fP") == (0.25, 160)
    assert not relaunch((1 << 64) - 1, y)
    assert relaunch((1 << 64) - 3, y)
    assert relaunch.read("QP") == ((1 << 64) - 3, 160)


def test_arguments_without_a_key(gpu, monkeypatch):
    class Broken:
        dtype = np.dtype(np.float32)

        def data_ptr(self) -> int:
            raise ValueError

    assert argument_key("text", 0) is None
    assert argument_key(1 << 70, 0) is None
    assert argument_key((1, "text"), 0) is None
    assert argument_key(Broken(), 0) is None
    assert argument_key(np.zeros(3), 0) is None
    assert argument_key(Tensor(device=1), 0) is None
    monkeypatch.setattr(specialization_key, "_MAX_CLASSES", 0)
    assert argument_key(5, 0) == ((False, False), 5)
