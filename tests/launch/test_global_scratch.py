"""Global scratch memory for kernels that create tensor descriptors."""

from __future__ import annotations

import sys

import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft.errors import LaunchError


@pytest.fixture
def gpu(monkeypatch, tmp_path) -> FakeCuda:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    return FakeCuda(monkeypatch, capability=90)


@weft.jit
def by_kernel(x, y, n):
    source = tl.make_tensor_descriptor(x, [n, 64], [64, 1], [16, 64])
    target = tl.make_tensor_descriptor(y, [n, 64], [64, 1], [16, 64])
    target.store([0, 0], source.load([tl.program_id(0) * 16, 0]))


def test_memory_comes_from_the_driver_in_stream_order(gpu):
    kernel = weft.jit(by_kernel.fn)
    for _ in range(2):  # on the full path, then from the launch cache
        kernel[(3, 2)](Tensor(), Tensor(), 64)
        assert gpu.launches[-1].read("PPiP") == (1 << 20, 1 << 20, 64, 1 << 30)
    size = 3 * 2 * 256
    assert gpu.requests == [("allocate", size, 0), ("free", 1 << 30, 0)] * 2


def test_memory_comes_from_torch_if_it_is_imported(gpu, monkeypatch):
    requests: list[object] = []

    class Memory:
        def data_ptr(self) -> int:
            return 4096

        def record_stream(self, stream: object) -> None:
            requests.append(stream)

    def empty(size: int, *, dtype: str, device: str) -> Memory:
        requests.append((size, dtype, device))
        return Memory()

    torch = sys.modules["torch"]
    monkeypatch.setattr(torch, "empty", empty, raising=False)
    monkeypatch.setattr(torch, "uint8", "u8", raising=False)
    monkeypatch.setattr(torch.cuda, "ExternalStream", lambda s, device: (s, device), raising=False)
    program = weft.jit(by_kernel.fn)[(2,)](Tensor(), Tensor(), 64)
    assert requests == [(512, "u8", "cuda:0")]
    program[(1,)](Tensor(), Tensor(), 64, stream=77)
    assert requests[1:] == [(256, "u8", "cuda:0"), (77, 0)]
    assert gpu.launches[-1].read("PPiP")[-1] == 4096


def test_memory_comes_from_the_allocator_if_one_is_set(gpu):
    gpu.streams[0] = 77
    requests: list[tuple[int, int, int | None]] = []

    def allocate(size: int, alignment: int, stream: int | None) -> Tensor:
        requests.append((size, alignment, stream))
        return Tensor(address=4096 * len(requests))

    weft.set_allocator(allocate)
    try:
        kernel = weft.jit(by_kernel.fn)
        for n in (1, 2):  # on the full path, then from the launch cache
            kernel[(3, 2)](Tensor(), Tensor(), 64)
            assert gpu.launches[-1].read("PPiP")[-1] == 4096 * n
        assert requests == [(3 * 2 * 256, 128, 77)] * 2
        weft.set_allocator(lambda size, alignment, stream: None)
        with pytest.raises(LaunchError, match="set_allocator returned no memory"):
            kernel[(1,)](Tensor(), Tensor(), 64)
        assert gpu.requests == []
    finally:
        weft.set_allocator(None)
    kernel[(1,)](Tensor(), Tensor(), 64)
    assert gpu.launches[-1].read("PPiP")[-1] == 1 << 30, "the driver's pool again"
