"""Kernels on the CPU device may load pointers to arrays that are no arguments from memory."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.errors import OutOfBoundsError


@weft.jit
def follow(addresses, y, at):
    x = tl.load(addresses).to(tl.pointer_type(tl.float32))
    tl.store(y, tl.load(x + at))


def _pointers(*arrays):
    return np.array([array.ctypes.data for array in arrays], np.int64)


def test_numpy_array_of_a_local_variable():
    x, y = np.arange(8, dtype=np.float32), np.zeros(1, np.float32)
    follow[(1,)](_pointers(x[2:]), y, 3)
    assert y[0] == 5.0
    with pytest.raises(OutOfBoundsError, match=r"outside of array the tensor at 0x"):
        follow[(1,)](_pointers(x), y, 8)
    with pytest.raises(OutOfBoundsError, match="belongs to no array"):
        follow[(1,)](np.array([4096]), y, 0)


class _Owner:
    def __init__(self, array):
        self.array = array


@weft.jit
def follow_all(table, y, n, BLOCK: tl.constexpr):
    group, i = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(table + group).to(tl.pointer_type(tl.float32))
    tl.store(y + group * BLOCK + i, tl.load(x + i, mask=i < n))


def test_numpy_arrays_of_containers():
    arrays = [np.full(16, number, np.float32) for number in range(4)]
    by_name = {"a": arrays.pop()}
    owner = _Owner(arrays.pop())
    y = np.zeros((4, 16), np.float32)
    follow_all[(4,)](_pointers(*arrays, owner.array, by_name["a"]), y, 16, BLOCK=16)
    assert (y == np.arange(4)[:, None]).all()


def test_torch_storage():
    torch = pytest.importorskip("torch")
    x, y = torch.arange(8, dtype=torch.float32), torch.zeros(1)
    follow[(1,)](torch.tensor([x[2:].data_ptr()]), y, 3)
    assert y.item() == 5.0
    with pytest.raises(OutOfBoundsError, match=r"outside of array the tensor at 0x"):
        follow[(1,)](torch.tensor([x.data_ptr()]), y, 8)
    with pytest.raises(OutOfBoundsError, match="belongs to no array"):
        follow[(1,)](torch.tensor([4096]), y, 0)


def test_torch_tensors_without_memory():
    torch = pytest.importorskip("torch")
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fake = torch.empty(1 << 40)
    sparse = torch.eye(2).to_sparse()
    assert fake.device.type == sparse.device.type == "cpu"
    x, y = torch.arange(8, dtype=torch.float32), torch.zeros(1)
    follow[(1,)](torch.tensor([x.data_ptr()]), y, 3)
    assert y.item() == 3.0
    with pytest.raises(OutOfBoundsError, match="belongs to no array"):
        follow[(1,)](torch.tensor([4096]), y, 0)
