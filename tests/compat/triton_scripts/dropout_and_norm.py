"""Random numbers, libdevice, an autograd function of two kernels, and atomics under a lock."""

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def seeded_dropout(x_ptr, output_ptr, n_elements, p, seed, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    keep = tl.rand(seed, offsets) > p
    tl.store(output_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


@triton.jit
def asin_kernel(x_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    tl.store(y_ptr + offsets, libdevice.asin(tl.load(x_ptr + offsets, mask=mask)), mask=mask)


@triton.jit
def square(X, Y, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < N)
    tl.store(Y + at, x * x, mask=at < N)


@triton.jit
def square_backward(X, DY, DX, Sum, Lock, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < N
    gradient = 2 * tl.load(X + at, mask=mask, other=0.0) * tl.load(DY + at, mask=mask, other=0.0)
    tl.store(DX + at, gradient, mask=mask)
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    tl.store(Sum, tl.load(Sum) + tl.sum(gradient))
    tl.debug_barrier()
    tl.atomic_xchg(Lock, 0)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.empty_like(x)
        square[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
        ctx.save_for_backward(x)
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        dx = torch.empty_like(x)
        total = torch.zeros(1, device=x.device)
        lock = torch.zeros(1, dtype=torch.int32, device=x.device)
        grid = (triton.cdiv(x.numel(), 64),)
        square_backward[grid](x, dy.contiguous(), dx, total, lock, x.numel(), BLOCK=64)
        assert torch.allclose(total, dx.sum(), rtol=1e-4)
        return dx


x = torch.randn(1000, device=DEVICE)
first, second, third = (torch.empty_like(x) for _ in range(3))
for output, seed in ((first, 123), (second, 123), (third, 512)):
    seeded_dropout[(triton.cdiv(1000, 1024),)](x, output, 1000, 0.5, seed, BLOCK_SIZE=1024)
assert torch.equal(first, second)
assert not torch.equal(first, third)
is_kept = first != 0
assert 0.4 < is_kept.float().mean() < 0.6
assert torch.allclose(first[is_kept], 2 * x[is_kept])

small = torch.rand(98, device=DEVICE)
result = torch.zeros_like(small)
asin_kernel[(1,)](small, result, 98, BLOCK_SIZE=128)
assert torch.allclose(result, torch.asin(small), atol=1e-6)

x.requires_grad_(True)
y = Square.apply(x)
y.backward(torch.ones_like(y), retain_graph=True)
assert torch.allclose(x.grad, 2 * x.detach())
time = triton.testing.do_bench(
    lambda: y.backward(torch.ones_like(y), retain_graph=True), 1, 1, grad_to_none=[x]
)
assert time > 0
print("gradients are right")
