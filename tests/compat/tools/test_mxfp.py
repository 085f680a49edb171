"""Microscaling numbers, compared with the conversions of ml_dtypes."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from weft.compat.tools.mxfp import MXFP4Tensor, MXScaleTensor
from weft.errors import LaunchError

torch = pytest.importorskip("torch")

VALUES = np.concatenate(
    [np.linspace(-7, 7, 1121), [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, -0.0, 1e30, -1e-30]]
).astype(np.float32)


def test_fp4_rounds_as_ml_dtypes():
    floats = MXFP4Tensor(data=torch.from_numpy(VALUES)).to(torch.float32).numpy()
    expected = VALUES.astype(ml_dtypes.float4_e2m1fn).astype(np.float32)
    np.testing.assert_array_equal(floats, expected)
    np.testing.assert_array_equal(np.signbit(floats), np.signbit(expected))
    odd = torch.tensor([float("nan"), float("inf"), -float("inf")])
    assert MXFP4Tensor(data=odd).to(torch.float16).tolist() == [6.0, 6.0, -6.0]


def test_random_fp4_has_all_codes():
    torch.manual_seed(0)
    tensor = MXFP4Tensor(size=(64, 64)).random()
    assert set(tensor.data.unique().tolist()) == set(range(16))


@pytest.mark.parametrize(("shape", "dim"), [((4, 6), 0), ((4, 6), 1), ((3, 5, 2), 1), ((7,), 0)])
def test_packed_tensors_round_trip(shape, dim):
    tensor = MXFP4Tensor(size=shape).random()
    packed = tensor.to_packed_tensor(dim=dim)
    assert packed.shape[dim] == (shape[dim] + 1) // 2
    first = packed.select(dim, 0)
    assert torch.equal(first & 15, tensor.data.select(dim, 0))
    assert torch.equal(tensor.unpack_packed_tensor(packed, dim, shape), tensor.data)


@pytest.mark.parametrize("dim", [2, -3])
def test_an_axis_must_exist(dim):
    with pytest.raises(AssertionError, match="not within the range of tensor dimensions"):
        MXFP4Tensor(size=(4, 4)).random().to_packed_tensor(dim=dim)


def test_scales_round_down_to_powers_of_two():
    values = torch.tensor([1.0, 1.5, 0.75, 2.0**-126, 3e38, 0.0, -1.0, float("nan"), float("inf")])
    tensor = MXScaleTensor(values)
    assert tensor.data.tolist() == [127, 127, 126, 1, 254, 255, 255, 255, 255]
    floats = tensor.to(torch.float32)
    expected = tensor.data.numpy().view(ml_dtypes.float8_e8m0fnu).astype(np.float32)
    np.testing.assert_array_equal(floats.numpy(), expected)


def test_random_scales_are_in_range():
    torch.manual_seed(0)
    tensor = MXScaleTensor(size=(1000,)).random(low=0.5, high=4)
    assert set(tensor.data.tolist()) == {126, 127, 128, 129}
    with pytest.raises(LaunchError, match="Low must be less than or equal to high"):
        MXScaleTensor(size=3).random(low=4, high=2)
    with pytest.raises(LaunchError, match="Either parameter data or size must be provided"):
        MXFP4Tensor()
