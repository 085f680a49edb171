"""A persistent product with launch metadata, under the profiler."""

import sys

import torch
import triton
import triton.language as tl
import triton.profiler as proton
import triton.profiler.viewer as proton_viewer
from triton.tools.tensor_descriptor import TensorDescriptor

DEVICE = triton.runtime.driver.active.get_active_torch_device()
NAME = sys.argv[1]


def metadata(grid, kernel, args):
    m, n, k = args["M"], args["N"], args["K"]
    size = args["c"].base.element_size()
    return {
        "name": f"{kernel.name} [M={m}, N={n}, K={k}]",
        f"flops{size * 8}": 2.0 * m * n * k,
        "bytes": size * (m * n + n * k + m * k),
    }


def set_blocks(nargs):
    m, n, k = (nargs[f"BLOCK_{axis}"] for axis in "MNK")
    nargs["a"].block_shape, nargs["b"].block_shape = [m, k], [n, k]
    nargs["c"].block_shape = [m, n]


@triton.jit
def tile_of(tile, per_group, rows, GROUP: tl.constexpr):
    group = tile // per_group
    height = min(rows - group * GROUP, GROUP)
    return group * GROUP + tile % height, tile % per_group // height


@triton.autotune(
    configs=[
        triton.Config(
            {"BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": k, "GROUP": 8},
            num_stages=2, num_warps=4, pre_hook=set_blocks,
        )
        for k in (32, 64)
    ],
    key=["M", "N", "K"],
)  # fmt: skip
@triton.jit(launch_metadata=metadata)
def persistent(
    a, b, c, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
    NUM_SMS: tl.constexpr, WARP_SPECIALIZE: tl.constexpr,
):  # fmt: skip
    rows, columns, steps = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), tl.cdiv(K, BLOCK_K)
    for tile in tl.range(
        tl.program_id(0), rows * columns, NUM_SMS, flatten=True, warp_specialize=WARP_SPECIALIZE
    ):
        row, column = tile_of(tile, GROUP * columns, rows, GROUP)
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for step in range(steps):
            left = a.load([row * BLOCK_M, step * BLOCK_K])
            right = b.load([column * BLOCK_N, step * BLOCK_K])
            acc = tl.dot(left, right.T, acc)
        c.store([row * BLOCK_M, column * BLOCK_N], acc.to(tl.float16))


def product(a, b):
    (m, k), n = a.shape, b.shape[0]
    c = torch.empty((m, n), device=DEVICE, dtype=a.dtype)
    described = [TensorDescriptor(x, x.shape, x.stride(), [1, 1]) for x in (a, b, c)]
    sms = min(8, triton.cdiv(m, 32) * triton.cdiv(n, 32))
    grid = lambda META: (sms,)  # noqa: E731
    persistent[grid](*described, m, n, k, NUM_SMS=sms, WARP_SPECIALIZE=False)
    return c


torch.manual_seed(0)
a, b = (torch.randn((n, 128), device=DEVICE, dtype=torch.float16) for n in (96, 64))
torch.testing.assert_close(product(a, b).float(), a.float() @ b.float().T, atol=5e-1, rtol=1e-2)
proton.start(NAME, hook="triton")
proton.deactivate()
product(a, b)
proton.activate(0)
with proton.scope("torch", {"flops16": 2.0 * 96 * 64 * 128}):
    torch.matmul(a, b.T)
for _ in range(3):
    product(a, b)
proton.deactivate(0)
proton.finalize()
tree, metrics = proton_viewer.parse(["gflop16/s", "time/ms"], f"{NAME}.hatchet")
proton_viewer.print_tree(tree, metrics)
print("persistent products are right")
