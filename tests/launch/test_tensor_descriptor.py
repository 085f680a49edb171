"""Tensor descriptors of the host: what the driver is asked for, what a launch passes and brings."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft import TensorDescriptor
from weft.errors import LaunchError
from weft.launch.drivers.cuda import tensor_map as cuda_tensor_map
from weft.launch.drivers.cuda.tensor_map import tensor_map


class Encoder:
    """The driver's function, which remembers what it was asked and writes its number of calls."""

    def __init__(self, code: int = 0) -> None:
        self.code, self.asked = code, []

    def __call__(self, place: Any, kind: int, rank: int, base: Any, *rest: Any) -> int:
        assert place.value % 64 == 0
        lists = [list(each)[:rank] for each in rest[:4]]
        self.asked.append((kind, rank, base.value, *lists, *rest[4:]))
        ctypes.memset(place.value, len(self.asked), 128)
        return self.code


@pytest.fixture
def encoder(monkeypatch) -> Encoder:
    made = Encoder()
    monkeypatch.setattr(cuda_tensor_map, "_encode", lambda: made)
    return made


@pytest.fixture
def gpu(monkeypatch, tmp_path) -> FakeCuda:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    return FakeCuda(monkeypatch, capability=90)


@weft.jit
def by_host(source, target, scale):
    target.store([0, 8], source.load([4, 0]) * scale)


@weft.jit
def by_kernel(x, y, n):
    source = tl.make_tensor_descriptor(x, [n, 64], [64, 1], [16, 64])
    target = tl.make_tensor_descriptor(y, [n, 64], [64, 1], [16, 64])
    target.store([0, 0], source.load([tl.program_id(0) * 16, 0]))


def test_the_copy_engine_is_given_what_the_driver_wrote(gpu, encoder):
    x = TensorDescriptor(Tensor(address=256), [100, 96], [96, 1], [32, 64], "nan")
    y = TensorDescriptor(Tensor(address=512), [100, 256], [256, 1], [32, 64])
    for _ in range(2):
        weft.jit(by_host.fn)[(1,)](x, y, 2.5)
    launch = gpu.launches[-1]
    assert launch.read(["128s", "i", "i", "q", "q"] * 2 + ["f"]) == (
        b"\x01" * 128, 100, 96, 96, 1, b"\x02" * 128, 100, 256, 256, 1, 2.5
    )  # fmt: skip
    boxes = [[32, 32], [1, 1], 0, 3, 2]  # two boxes a tile: 128 bytes of f32 are 32
    assert encoder.asked == [  # once each: the second launch has them
        (7, 2, 256, [96, 100], [384], *boxes, 1),
        (7, 2, 512, [256, 100], [1024], *boxes, 0),
    ]


def test_floats_are_rounded_for_tensor_cores_if_asked(gpu, encoder):
    x = TensorDescriptor.from_tensor(Described((64, 32)), [32, 16], round_f32_to_tf32=True)
    weft.jit(by_host.fn)[(1,)](x, x, 1.5)
    (asked,) = encoder.asked
    assert asked[0] == 11
    assert asked[3] == [32, 64]


class Described(Tensor):
    """A tensor that knows its shape."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__()
        self.shape = shape

    def stride(self) -> tuple[int, ...]:
        return self.shape[1], 1


def test_a_kernel_that_makes_descriptors_is_given_memory_for_them(gpu):
    kernel = weft.jit(by_kernel.fn)
    for _ in range(2):  # in full, and then by what the launch looks like
        kernel[(3, 2)](Tensor(), Tensor(), 64)
        assert gpu.launches[-1].read("PPiP") == (1 << 20, 1 << 20, 64, 1 << 30)
    size = 3 * 2 * 256
    assert gpu.asked == [("allocate", size, 0), ("free", 1 << 30, 0)] * 2


def test_memory_of_torch_is_taken_where_there_is_torch(gpu, monkeypatch):
    import sys

    asked: list[object] = []

    class Memory:
        def data_ptr(self) -> int:
            return 4096

        def record_stream(self, stream: object) -> None:
            asked.append(stream)

    def empty(size: int, *, dtype: str, device: str) -> Memory:
        asked.append((size, dtype, device))
        return Memory()

    torch = sys.modules["torch"]
    monkeypatch.setattr(torch, "empty", empty, raising=False)
    monkeypatch.setattr(torch, "uint8", "u8", raising=False)
    monkeypatch.setattr(torch.cuda, "ExternalStream", lambda s, device: (s, device), raising=False)
    program = weft.jit(by_kernel.fn)[(2,)](Tensor(), Tensor(), 64)
    assert asked == [(512, "u8", "cuda:0")]
    program[(1,)](Tensor(), Tensor(), 64, stream=77)
    assert asked[1:] == [(256, "u8", "cuda:0"), (77, 0)]
    assert gpu.launches[-1].read("PPiP")[-1] == 4096


def test_memory_of_an_allocator_is_taken_where_one_is_set(gpu):
    gpu.streams[0] = 77
    asked: list[tuple[int, int, int | None]] = []

    def allocate(size: int, alignment: int, stream: int | None) -> Tensor:
        asked.append((size, alignment, stream))
        return Tensor(address=4096 * len(asked))

    weft.set_allocator(allocate)
    try:
        kernel = weft.jit(by_kernel.fn)
        for n in (1, 2):  # in full, and then by what the launch looks like
            kernel[(3, 2)](Tensor(), Tensor(), 64)
            assert gpu.launches[-1].read("PPiP")[-1] == 4096 * n
        assert asked == [(3 * 2 * 256, 128, 77)] * 2
        weft.set_allocator(lambda size, alignment, stream: None)
        with pytest.raises(LaunchError, match="set_allocator gives no memory"):
            kernel[(1,)](Tensor(), Tensor(), 64)
        assert gpu.asked == []
    finally:
        weft.set_allocator(None)
    kernel[(1,)](Tensor(), Tensor(), 64)
    assert gpu.launches[-1].read("PPiP")[-1] == 1 << 30, "the driver's pool, again"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([8, 8], [8, 1], [4]), "one to five sizes"),
        (([8] * 6, [8] * 5 + [1], [4] * 6), "one to five sizes"),
        (([8, 8], [1, 8], [4, 4]), "last dimension must be contiguous"),
        (([8, 8], [8, 1], [4, 4], "ones"), "no such padding"),
    ],
)
def test_what_no_descriptor_is_of(given, message):
    with pytest.raises(LaunchError, match=message):
        TensorDescriptor(np.zeros((8, 8), np.float32), *given)


def test_arrays_that_say_no_strides():
    array = SimpleNamespace(shape=(8, 8), strides=None)
    with pytest.raises(LaunchError, match="an array without strides"):
        TensorDescriptor.from_tensor(array, [4, 4])
    assert TensorDescriptor.from_tensor(np.zeros((8, 4), np.int16), [4, 4]).strides == [4, 1]


@pytest.mark.parametrize(
    ("address", "strides", "message"),
    [
        (8, (64, 1), "rows must begin at multiples of 16 bytes"),
        (256, (60, 1), "rows must begin at multiples of 16 bytes"),
        (256, (1, 64), "last dimension must be contiguous"),
    ],
)
def test_what_the_copy_engine_does_not_address(encoder, address, strides, message):
    with pytest.raises(LaunchError, match=message):
        tensor_map(address, "f16", (64, 64), strides, (32, 32), 64, False)
    assert not encoder.asked


def test_what_the_driver_refuses(monkeypatch):
    monkeypatch.setattr(cuda_tensor_map, "_encode", lambda: Encoder(code=1))
    with pytest.raises(LaunchError, match="the CUDA driver refuses a tensor descriptor"):
        tensor_map(256, "f16", (64, 0), (64, 1), (32, 32), 64, False)


def test_kernels_run_on_the_cpu_by_descriptor():
    x = np.arange(64 * 32, dtype=np.float32).reshape(64, 32)
    y = np.zeros_like(x)
    source, target = (TensorDescriptor.from_tensor(each, [16, 8]) for each in (x, y))
    by_host[(1,)](source, target, 2.0)
    np.testing.assert_array_equal(y[:16, 8:16], 2 * x[4:20, :8])
