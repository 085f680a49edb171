"""Tensor descriptors made on the host."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import weft
from tests.launch.fake_cuda import FakeCuda, Tensor, TensorMapEncoder
from weft import TensorDescriptor
from weft.errors import DescriptorError, LaunchError
from weft.launch.drivers.cuda import tensor_map


@pytest.fixture
def encoder(monkeypatch) -> TensorMapEncoder:
    encoder = TensorMapEncoder()
    monkeypatch.setattr(tensor_map, "_driver_function", lambda: encoder)
    return encoder


@pytest.fixture
def gpu(monkeypatch, tmp_path) -> FakeCuda:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    return FakeCuda(monkeypatch, capability=90)


@weft.jit
def by_host(source, target, scale):
    target.store([0, 8], source.load([4, 0]) * scale)


def test_kernels_receive_tensor_maps(gpu, encoder):
    x = TensorDescriptor(Tensor(address=256), [100, 96], [96, 1], [32, 64], "nan")
    y = TensorDescriptor(Tensor(address=512), [100, 256], [256, 1], [32, 64])
    for _ in range(2):
        weft.jit(by_host.fn)[(1,)](x, y, 2.5)
    launch = gpu.launches[-1]
    assert launch.read(["128s", "i", "i", "q", "q"] * 2 + ["f"]) == (
        b"\x01" * 128, 100, 96, 96, 1, b"\x02" * 128, 100, 256, 256, 1, 2.5
    )  # fmt: skip
    boxes = [
        [32, 32],
        [1, 1],
        0,
        3,
        2,
    ]  # two boxes per tile: 128 bytes hold 32 floats
    assert encoder.requests == [  # once each: the second launch reuses them
        (7, 2, 256, [96, 100], [384], *boxes, 1),
        (7, 2, 512, [256, 100], [1024], *boxes, 0),
    ]


def test_rounding_to_tf32_selects_the_tf32_type(gpu, encoder):
    x = TensorDescriptor.from_tensor(Described((64, 32)), [32, 16], round_f32_to_tf32=True)
    weft.jit(by_host.fn)[(1,)](x, x, 1.5)
    (request,) = encoder.requests
    assert request[0] == 11
    assert request[3] == [32, 64]


class Described(Tensor):
    """A tensor that knows its shape."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__()
        self.shape = shape

    def stride(self) -> tuple[int, ...]:
        return self.shape[1], 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([8, 8], [8, 1], [4]), "rank mismatch"),
        (([8] * 6, [8] * 5 + [1], [4] * 6), "rank of a tensor descriptor is not 1 to 5"),
        (([8, 8], [1, 8], [4, 4]), "Last dimension of a tensor descriptor must be contiguous"),
        (([8, 8], [8, 1], [4, 4], "ones"), "Illegal value for padding"),
        (([8, 8], [8, 1], [4, 3]), "Shape element 1 must be a power of 2"),
        (([0, 8], [8, 1], [4, 4]), "shape must be positive"),
        (([8, 7], [7, 1], [4, 4]), "strides must be 16-byte aligned"),
    ],
)
def test_malformed_descriptors_are_an_error(given, message):
    for cls in (DescriptorError, LaunchError, ValueError, AssertionError):
        with pytest.raises(cls, match=message):
            TensorDescriptor(np.zeros((8, 8), np.float32), *given)


def test_arrays_without_strides_are_an_error():
    array = SimpleNamespace(shape=(8, 8), strides=None)
    with pytest.raises(LaunchError, match="needs an array with strides"):
        TensorDescriptor.from_tensor(array, [4, 4])  # pyright: ignore[reportArgumentType]
    assert TensorDescriptor.from_tensor(np.zeros((8, 8), np.int16), [4, 4]).strides == [8, 1]


def test_cpu_kernel_with_descriptors():
    x = np.arange(64 * 32, dtype=np.float32).reshape(64, 32)
    y = np.zeros_like(x)
    source, target = (TensorDescriptor.from_tensor(each, [16, 8]) for each in (x, y))
    by_host[(1,)](source, target, 2.0)
    np.testing.assert_array_equal(y[:16, 8:16], 2 * x[4:20, :8])
