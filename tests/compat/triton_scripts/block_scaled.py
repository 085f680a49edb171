"""Products of numbers with a scale for each block: mxfp4 and mxfp8 from triton.tools.mxfp."""

import torch
import triton
import triton.language as tl
from triton.tools.mxfp import MXFP4Tensor, MXScaleTensor

DEVICE = triton.runtime.driver.active.get_active_torch_device()
BLOCK = 32


@triton.jit
def scaled(
    a, a_scale, b, b_scale, c, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, FORMAT: tl.constexpr,
):  # fmt: skip
    PACKED: tl.constexpr = 2 if FORMAT == "e2m1" else 1
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    column = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K // PACKED)
    group = tl.arange(0, BLOCK_K // 32)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in tl.range(0, K, BLOCK_K):
        left = tl.load(a + row[:, None] * (K // PACKED) + start // PACKED + k[None, :])
        right = tl.load(b + column[None, :] * (K // PACKED) + start // PACKED + k[:, None])
        left_scale = tl.load(a_scale + row[:, None] * (K // 32) + start // 32 + group[None, :])
        right_scale = tl.load(b_scale + column[:, None] * (K // 32) + start // 32 + group[None, :])
        acc = tl.dot_scaled(left, left_scale, FORMAT, right, right_scale, FORMAT, acc)
    tl.store(c + row[:, None] * N + column[None, :], acc)


def unfold(scale):
    return MXScaleTensor(scale).to(torch.float32).repeat_interleave(BLOCK, dim=1)


torch.manual_seed(0)
M, N, K = 64, 32, 128
for kind in ("e2m1", "e4m3"):
    numbers = [MXFP4Tensor(size=(rows, K), device=DEVICE).random() for rows in (M, N)]
    exact = [each.to(torch.float32) for each in numbers]
    if kind == "e2m1":
        a, b = (each.to_packed_tensor(dim=1) for each in numbers)
    else:
        a, b = (each.to(torch.float8_e4m3fn) for each in exact)
    scales = [torch.rand((rows, K // BLOCK), device=DEVICE) + 1e-8 for rows in (M, N)]
    a_scale, b_scale = (MXScaleTensor(each).data for each in scales)
    c = torch.empty((M, N), device=DEVICE)
    scaled[(M // 32, N // 32)](
        a, a_scale, b, b_scale, c, M, N, K, BLOCK_M=32, BLOCK_N=32, BLOCK_K=64, FORMAT=kind
    )
    expected = (exact[0] * unfold(scales[0])) @ (exact[1] * unfold(scales[1])).T
    torch.testing.assert_close(c, expected, atol=1e-3, rtol=1e-3)
print("scaled products are right")
