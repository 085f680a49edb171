"""Arrays of other libraries, seen as numpy without a copy."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.kernel.test_specialization import Tensor
from weft.errors import LaunchError
from weft.launch.arrays import as_numpy, numpy_dtype


def test_the_same_bytes():
    array = np.arange(24, dtype=np.float32).reshape(4, 6)
    for view in (array, array.T, array[1:3, ::2]):
        seen = as_numpy(Tensor(view, "torch.float32"), "x")
        np.testing.assert_array_equal(seen, view)
        assert np.shares_memory(seen, array)
    as_numpy(Tensor(array, "torch.float32"), "x")[0, 0] = 7
    assert array[0, 0] == 7


def test_bfloat16_where_numpy_has_none():
    bits = np.array([0x3F80, 0x4000], np.int16)
    seen = as_numpy(Tensor(bits, "torch.bfloat16"), "x")
    assert seen.dtype == ml_dtypes.bfloat16
    assert seen.tolist() == [1.0, 2.0]


def test_empty():
    assert as_numpy(Tensor(np.zeros((0, 3), np.int8), "torch.int8"), "x").shape == (0, 3)


def test_another_device():
    with pytest.raises(LaunchError) as caught:
        as_numpy(Tensor(np.zeros(3, np.int8), "torch.int8", device="cuda:0"), "weights")
    text = str(caught.value)
    assert "parameter weights is not in the memory of the embedded CPU device" in text
    assert "found: an array on cuda:0" in text
    assert "weights.cpu()" in text


def test_no_numpy_type():
    with pytest.raises(LaunchError, match="no numpy dtype"):
        numpy_dtype("fp8e4b15")
