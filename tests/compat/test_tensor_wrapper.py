"""Tensors with other element types, and tensors without memory."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda
from weft.compat.tensor_wrapper import MockTensor, TensorWrapper, reinterpret
from weft.errors import LaunchError

torch = pytest.importorskip("torch")


@weft.jit
def widen(x, y):
    i = tl.arange(0, 4)
    tl.store(y + i, tl.load(x + i).to(tl.float32))


def test_bytes_as_floats():
    values = np.array([0.5, -1.5, 3, 448], ml_dtypes.float8_e4m3fn)
    x, y = torch.from_numpy(values.view(np.int8)), torch.zeros(4)
    wrapped = reinterpret(x, tl.float8e4nv)
    widen[(1,)](wrapped, y)
    assert y.tolist() == [0.5, -1.5, 3.0, 448.0]
    assert isinstance(wrapped, TensorWrapper)
    assert (wrapped.stride(0), wrapped.numel(), wrapped.element_size()) == (1, 4, 1)
    assert reinterpret(wrapped, torch.int8) is x
    assert reinterpret(wrapped, tl.int8).base is x
    copy = wrapped.clone()
    copy.copy_(wrapped.new_empty(4).to("cpu").cpu())
    with pytest.raises(LaunchError, match="Cannot reinterpret a int"):
        reinterpret(5, tl.int8)


def test_mocks_for_warmup(monkeypatch, tmp_path):
    program = widen.warmup(MockTensor(torch.float16), torch.float32, grid=(1,))
    assert str(program.signature) == "*fp16:16, *fp32:16"
    assert MockTensor.wrap_dtype(torch.int8).dtype is torch.int8  # pyright: ignore[reportAttributeAccessIssue]
    assert MockTensor.wrap_dtype(5) == 5
    assert MockTensor(torch.int8, (2, 3)).stride() == (3, 1)
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    FakeCuda(monkeypatch)
    kernel = weft.jit(widen.fn)
    program = kernel.warmup(MockTensor(torch.float16), MockTensor(torch.float32), grid=(1,))
    assert program.metadata.target == "cuda:90", "the mock is on the current GPU"
