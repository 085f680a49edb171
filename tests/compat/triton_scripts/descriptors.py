"""Tensor descriptors of the host and of the kernel, an allocator, knobs, persistent programs."""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

DEVICE = triton.runtime.driver.active.get_active_torch_device()


def alloc_fn(size: int, alignment: int, stream: int | None):
    return torch.empty(size, device=DEVICE, dtype=torch.int8)


triton.set_allocator(alloc_fn)


@triton.jit
def transpose_host(source, target, BLOCK: tl.constexpr):
    row, column = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    target.store([column, row], source.load([row, column]).T)


@triton.jit
def scale_device(pointer, M, N, NUM: tl.constexpr, BLOCK: tl.constexpr):
    tensor = tl.make_tensor_descriptor(
        pointer, shape=[M, N], strides=[N, 1], block_shape=[BLOCK, BLOCK]
    )
    tiles = tl.cdiv(M, BLOCK) * tl.cdiv(N, BLOCK)
    for tile in tl.range(tl.program_id(0), tiles, NUM, flatten=True):
        place = [tile // tl.cdiv(N, BLOCK) * BLOCK, tile % tl.cdiv(N, BLOCK) * BLOCK]
        tensor.store(place, tensor.load(place) * 2)


x = torch.randn(64, 96, device=DEVICE)
y = torch.empty(96, 64, device=DEVICE)
source = TensorDescriptor.from_tensor(x, [32, 32])
target = TensorDescriptor(y, shape=y.shape, strides=y.stride(), block_shape=[32, 32])
transpose_host[(2, 3)](source, target, BLOCK=32)
assert torch.equal(y, x.T)

twice = x * 2
scale_device[(2,)](x, 64, 96, NUM=2, BLOCK=32)
assert torch.equal(x, twice)
assert isinstance(triton.knobs.autotuning.print, bool)
assert triton.runtime.driver.active.get_current_device() == 0
print("descriptors are right")
