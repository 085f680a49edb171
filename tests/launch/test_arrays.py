"""Arrays of any library as numpy views."""

from __future__ import annotations

from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

import weft
import weft.language as tl
from tests.kernel.test_specialization import Tensor
from weft.errors import LaunchError, OutOfBoundsError
from weft.launch.arrays import as_numpy, numpy_dtype


def test_views_share_the_memory():
    array = np.arange(24, dtype=np.float32).reshape(4, 6)
    for source in (array, array.T, array[1:3, ::2], array[::-1], array[2:, ::-2]):
        view = as_numpy(Tensor(source, "torch.float32"), "x")
        np.testing.assert_array_equal(view, source)
        assert np.shares_memory(view, array)
    as_numpy(Tensor(array, "torch.float32"), "x")[0, 0] = 7
    assert array[0, 0] == 7


class _TorchView(Tensor):
    """A view of a torch tensor: the storage has more elements than the view."""

    def __init__(self, array, storage):
        super().__init__(array, "torch.float32")
        self.storage = SimpleNamespace(
            data_ptr=lambda: storage.ctypes.data, nbytes=lambda: storage.nbytes
        )

    def untyped_storage(self):
        return self.storage


@weft.jit
def copy(x, y, START: tl.constexpr, n: tl.constexpr):
    i = tl.arange(0, n)
    tl.store(y + i, tl.load(x + START + i))


def test_a_kernel_may_access_all_of_the_storage_of_a_view():
    whole, y = np.arange(16, dtype=np.float32), np.zeros(8, np.float32)
    view = _TorchView(whole[4:6], whole)
    copy[(1,)](view, y, -4, 8)
    assert y.tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    copy[(1,)](view, y, 4, 8)
    assert y.tolist() == [8, 9, 10, 11, 12, 13, 14, 15]
    with pytest.raises(OutOfBoundsError, match="elements -4 to 11"):
        copy[(1,)](view, y, 8, 8)
    with pytest.raises(OutOfBoundsError, match="elements 0 to 1 "):
        copy[(1,)](Tensor(whole[4:6], "torch.float32"), y, 0, 8)


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
    with pytest.raises(LaunchError, match="numpy has no dtype for fp6e2m3"):
        numpy_dtype("fp6e2m3")


def test_fp8e4b15_is_viewed_as_bytes():
    view = as_numpy(Tensor(np.array([0x38, 0xB8], np.uint8), "fp8e4b15"), "x")
    assert view.tolist() == [0x38, 0xB8]
