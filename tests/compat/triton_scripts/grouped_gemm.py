"""Products of several sizes in one launch: addresses of tensors in memory, a fixed grid."""

import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


def num_sms():
    utils = triton.runtime.driver.active.utils
    return utils.get_device_properties(DEVICE.index or 0)["multiprocessor_count"]


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 32, "NUM_SM": 8}),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 32, "BLOCK_K": 32, "NUM_SM": num_sms()}),
    ],
    key=["group_size"],
)
@triton.jit
def grouped(
    a_ptrs, b_ptrs, c_ptrs, sizes, strides, group_size,
    NUM_SM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    tile = tl.program_id(0)
    end = 0
    for g in range(group_size):
        m, n, k = tl.load(sizes + g * 3), tl.load(sizes + g * 3 + 1), tl.load(sizes + g * 3 + 2)
        across = tl.cdiv(n, BLOCK_N)
        tiles = tl.cdiv(m, BLOCK_M) * across
        while tile >= end and tile < end + tiles:
            lda, ldb, ldc = (
                tl.load(strides + g * 3),
                tl.load(strides + g * 3 + 1),
                tl.load(strides + g * 3 + 2),
            )
            a = tl.load(a_ptrs + g).to(tl.pointer_type(tl.float16))
            b = tl.load(b_ptrs + g).to(tl.pointer_type(tl.float16))
            c = tl.load(c_ptrs + g).to(tl.pointer_type(tl.float16))
            rows = (tile - end) // across * BLOCK_M + tl.arange(0, BLOCK_M)
            columns = (tile - end) % across * BLOCK_N + tl.arange(0, BLOCK_N)
            ks = tl.arange(0, BLOCK_K)
            acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
            for kk in range(0, tl.cdiv(k, BLOCK_K)):
                a = tl.multiple_of(a, 2)
                left = tl.load(
                    a + rows[:, None] * lda + (kk * BLOCK_K + ks)[None, :],
                    mask=(rows[:, None] < m) & ((kk * BLOCK_K + ks)[None, :] < k), other=0.0,
                )  # fmt: skip
                right = tl.load(
                    b + (kk * BLOCK_K + ks)[:, None] * ldb + columns[None, :],
                    mask=((kk * BLOCK_K + ks)[:, None] < k) & (columns[None, :] < n), other=0.0,
                )  # fmt: skip
                acc += tl.dot(left, right)
            inside = (rows[:, None] < m) & (columns[None, :] < n)
            tl.store(c + rows[:, None] * ldc + columns[None, :], acc.to(tl.float16), mask=inside)
            tile += NUM_SM
        end = end + tiles


torch.manual_seed(0)
shapes = ((64, 64, 64), (33, 70, 40), (96, 32, 128))
a = [torch.rand((m, k), device=DEVICE, dtype=torch.float16) for m, n, k in shapes]
b = [torch.rand((k, n), device=DEVICE, dtype=torch.float16) for m, n, k in shapes]
c = [torch.empty((m, n), device=DEVICE, dtype=torch.float16) for m, n, k in shapes]


def addresses(tensors):
    return torch.tensor([each.data_ptr() for each in tensors], device=DEVICE)


strides = [each.stride(0) for group in zip(a, b, c, strict=True) for each in group]
grid = lambda META: (META["NUM_SM"],)  # noqa: E731
grouped[grid](
    addresses(a), addresses(b), addresses(c),
    torch.tensor(shapes, dtype=torch.int32, device=DEVICE).flatten(),
    torch.tensor(strides, dtype=torch.int32, device=DEVICE), len(shapes),
)  # fmt: skip
for left, right, result in zip(a, b, c, strict=True):
    torch.testing.assert_close(result.float(), left.float() @ right.float(), atol=1e-1, rtol=1e-2)
print("grouped products are right")
