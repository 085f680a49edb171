"""Microscaling numbers: beside ml_dtypes' own conversions, and packed both ways."""

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


def test_floats_of_4_bits_are_rounded_as_ml_dtypes_rounds():
    found = MXFP4Tensor(data=torch.from_numpy(VALUES)).to(torch.float32).numpy()
    wanted = VALUES.astype(ml_dtypes.float4_e2m1fn).astype(np.float32)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))
    odd = torch.tensor([float("nan"), float("inf"), -float("inf")])
    assert MXFP4Tensor(data=odd).to(torch.float16).tolist() == [6.0, 6.0, -6.0]


def test_all_codes_are_taken():
    torch.manual_seed(0)
    made = MXFP4Tensor(size=(64, 64)).random()
    assert set(made.data.unique().tolist()) == set(range(16))


@pytest.mark.parametrize(("shape", "dim"), [((4, 6), 0), ((4, 6), 1), ((3, 5, 2), 1), ((7,), 0)])
def test_pairs_lie_in_bytes_and_come_back(shape, dim):
    made = MXFP4Tensor(size=shape).random()
    packed = made.to_packed_tensor(dim=dim)
    assert packed.shape[dim] == (shape[dim] + 1) // 2
    first = packed.select(dim, 0)
    assert torch.equal(first & 15, made.data.select(dim, 0))
    assert torch.equal(made.unpack_packed_tensor(packed, dim, shape), made.data)


def test_scales_are_powers_of_two_rounded_down():
    values = torch.tensor([1.0, 1.5, 0.75, 2.0**-126, 3e38, 0.0, -1.0, float("nan"), float("inf")])
    made = MXScaleTensor(values)
    assert made.data.tolist() == [127, 127, 126, 1, 254, 255, 255, 255, 255]
    floats = made.to(torch.float32)
    wanted = made.data.numpy().view(ml_dtypes.float8_e8m0fnu).astype(np.float32)
    np.testing.assert_array_equal(floats.numpy(), wanted)


def test_scales_at_random_lie_between():
    torch.manual_seed(0)
    made = MXScaleTensor(size=(1000,)).random(low=0.5, high=4)
    assert set(made.data.tolist()) == {126, 127, 128, 129}
    with pytest.raises(LaunchError, match="scales from low to high"):
        MXScaleTensor(size=3).random(low=4, high=2)
    with pytest.raises(LaunchError, match="made of data, or of a size"):
        MXFP4Tensor()
