"""Arrays of any library as numpy views."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.kernel.test_specialization import Tensor
from weft.errors import LaunchError
from weft.launch.arrays import as_numpy, numpy_dtype


def test_views_share_the_memory():
    array = np.arange(24, dtype=np.float32).reshape(4, 6)
    for source in (array, array.T, array[1:3, ::2]):
        view = as_numpy(Tensor(source, "torch.float32"), "x")
        np.testing.assert_array_equal(view, source)
        assert np.shares_memory(view, array)
    as_numpy(Tensor(array, "torch.float32"), "x")[0, 0] = 7
    assert array[0, 0] == 7


def test_bfloat16_is_viewed_with_ml_dtypes():
    bits = np.array([0x3F80, 0x4000], np.int16)
    view = as_numpy(Tensor(bits, "torch.bfloat16"), "x")
    assert view.dtype == ml_dtypes.bfloat16
    assert view.tolist() == [1.0, 2.0]


def test_empty_array():
    assert as_numpy(Tensor(np.zeros((0, 3), np.int8), "torch.int8"), "x").shape == (0, 3)


def test_array_on_another_device_is_an_error():
    with pytest.raises(LaunchError) as caught:
        as_numpy(Tensor(np.zeros(3, np.int8), "torch.int8", device="cuda:0"), "weights")
    text = str(caught.value)
    assert "Pointer argument weights cannot be accessed from the CPU device" in text
    assert "found: an array on cuda:0" in text
    assert "weights.cpu()" in text


def test_element_type_without_dtype_is_an_error():
    with pytest.raises(LaunchError, match="numpy has no dtype for fp8e4b15"):
        numpy_dtype("fp8e4b15")
