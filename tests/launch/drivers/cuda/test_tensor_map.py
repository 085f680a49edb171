"""Tensor maps that the CUDA driver encodes."""

from __future__ import annotations

import pytest

from tests.launch.fake_cuda import TensorMapEncoder
from weft.errors import LaunchError
from weft.launch.drivers.cuda import tensor_map
from weft.launch.drivers.cuda.tensor_map import encode_tensor_map


@pytest.fixture
def encoder(monkeypatch) -> TensorMapEncoder:
    encoder = TensorMapEncoder()
    monkeypatch.setattr(tensor_map, "_driver_function", lambda: encoder)
    return encoder


def test_dimensions_are_passed_fastest_first(encoder):
    encoded = encode_tensor_map(256, "f16", (100, 96), (128, 1), (32, 64), 128, True)
    assert encoded == b"\x01" * 128
    assert encoder.requests == [(6, 2, 256, [96, 100], [256], [64, 32], [1, 1], 0, 3, 2, 1)]


@pytest.mark.parametrize(
    ("address", "strides", "message"),
    [
        (8, (64, 1), "base of a tensor descriptor must be 16-byte aligned"),
        (256, (60, 1), "strides of a tensor descriptor must be 16-byte aligned"),
        (256, (1, 64), "Last dimension of a tensor descriptor must be contiguous"),
    ],
)
def test_tensors_that_tma_cannot_address(encoder, address, strides, message):
    with pytest.raises(LaunchError, match=message):
        encode_tensor_map(address, "f16", (64, 64), strides, (32, 32), 64, False)
    assert not encoder.requests


def test_error_of_the_driver(encoder):
    encoder.code = 1
    with pytest.raises(LaunchError, match="cuTensorMapEncodeTiled failed") as caught:
        encode_tensor_map(256, "f16", (64, 0), (64, 1), (32, 32), 64, False)
    assert "error 1: shape (64, 0)" in str(caught.value)
