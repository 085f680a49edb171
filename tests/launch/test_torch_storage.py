"""Kernels on the CPU device may load pointers to torch tensors from memory."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from weft.errors import OutOfBoundsError

torch = pytest.importorskip("torch")


@weft.jit
def follow(addresses, y, at):
    x = tl.load(addresses).to(tl.pointer_type(tl.float32))
    tl.store(y, tl.load(x + at))


def test_storage_is_found_by_address():
    x, y = torch.arange(8, dtype=torch.float32), torch.zeros(1)
    follow[(1,)](torch.tensor([x[2:].data_ptr()]), y, 3)
    assert y.item() == 5.0
    with pytest.raises(OutOfBoundsError, match=r"outside of array the tensor at 0x"):
        follow[(1,)](torch.tensor([x.data_ptr()]), y, 8)
    with pytest.raises(OutOfBoundsError, match="belongs to no array"):
        follow[(1,)](torch.tensor([4096]), y, 0)
