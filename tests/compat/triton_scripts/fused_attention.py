"""Attention by tensor descriptors: configurations that are pruned, hooks that set block shapes."""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

DEVICE = triton.runtime.driver.active.get_active_torch_device()
ON_GPU = triton.runtime.driver.active.get_current_target().backend == "cuda"


def set_blocks(nargs):
    if not isinstance(nargs["q"], TensorDescriptor):
        return
    head = nargs["HEAD"]
    nargs["q"].block_shape = nargs["o"].block_shape = [nargs["BLOCK_M"], head]
    nargs["k"].block_shape = nargs["v"].block_shape = [nargs["BLOCK_N"], head]


def prune(configs, named_args, **kwargs):
    length = kwargs["LENGTH"]
    return [each for each in configs if each.kwargs["BLOCK_M"] <= length]


CONFIGS = [
    triton.Config({"BLOCK_M": m, "BLOCK_N": n}, num_stages=s, num_warps=w, pre_hook=set_blocks)
    for m, n, s, w in ((32, 32, 2, 4), (64, 32, 2, 4), (256, 64, 2, 8))
]


@triton.jit
def described(value, shape, strides, block: tl.constexpr):
    if isinstance(value, tl.tensor_descriptor):
        return value
    else:
        return tl.make_tensor_descriptor(value, shape, strides, block)


@triton.jit
def walk(
    acc, total, top, q, k, v, first, row, lo, hi, scale,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, MASKED: tl.constexpr,
    warp_specialize: tl.constexpr,
):  # fmt: skip
    rows, columns = row * BLOCK_M + tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N)
    for start in tl.range(lo, hi, BLOCK_N, warp_specialize=warp_specialize):
        start = tl.multiple_of(start, BLOCK_N)
        scores = tl.dot(q, k.load([first + start, 0]).T) * scale
        if MASKED:
            scores += tl.where(rows[:, None] >= start + columns[None, :], 0, -1.0e6)
        now = tl.maximum(top, tl.max(scores, 1))
        weights, shrink = tl.math.exp2(scores - now[:, None]), tl.math.exp2(top - now)
        total = total * shrink + tl.sum(weights, 1)
        acc = acc * shrink[:, None]
        acc = tl.dot(weights.to(q.dtype), v.load([first + start, 0]), acc)
        top = now
    return acc, total, top


@triton.autotune(
    configs=CONFIGS,
    key=["LENGTH", "HEAD", "warp_specialize"],
    prune_configs_by={"early_config_prune": prune},
)
@triton.jit
def attend(
    q, k, v, o, sm_scale, count,
    LENGTH: tl.constexpr, HEAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr, warp_specialize: tl.constexpr,
):  # fmt: skip
    tl.static_assert(BLOCK_N <= HEAD)
    row, head = tl.program_id(0), tl.program_id(1)
    rows = count * LENGTH
    q = described(q, [rows, HEAD], [HEAD, 1], [BLOCK_M, HEAD])
    k = described(k, [rows, HEAD], [HEAD, 1], [BLOCK_N, HEAD])
    v = described(v, [rows, HEAD], [HEAD, 1], [BLOCK_N, HEAD])
    o = described(o, [rows, HEAD], [HEAD, 1], [BLOCK_M, HEAD])
    first = head * LENGTH
    acc = tl.zeros([BLOCK_M, HEAD], dtype=tl.float32)
    total = tl.zeros([BLOCK_M], dtype=tl.float32)
    top = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    scale = sm_scale * 1.44269504
    mine = q.load([first + row * BLOCK_M, 0])
    end = row * BLOCK_M if CAUSAL else LENGTH
    acc, total, top = walk(
        acc, total, top, mine, k, v, first, row, 0, end, scale,
        BLOCK_M, BLOCK_N, False, warp_specialize,
    )  # fmt: skip
    if CAUSAL:
        acc, total, top = walk(
            acc, total, top, mine, k, v, first, row, end, end + BLOCK_M, scale,
            BLOCK_M, BLOCK_N, True, warp_specialize,
        )  # fmt: skip
    o.store([first + row * BLOCK_M, 0], (acc / total[:, None]).to(mine.dtype))


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, causal, by_host):
        heads, length, head = q.shape
        o = torch.empty_like(q)
        flat = [each.view(heads * length, head) for each in (q, k, v, o)]
        if by_host:
            flat = [TensorDescriptor(x, x.shape, x.stride(), [1, head]) for x in flat]

        def alloc(size: int, align: int, _):
            return torch.empty(size, dtype=torch.int8, device=DEVICE)

        triton.set_allocator(alloc)
        grid = lambda META: (triton.cdiv(length, META["BLOCK_M"]), heads, 1)  # noqa: E731
        attend[grid](
            *flat, head**-0.5, heads, LENGTH=length, HEAD=head, CAUSAL=causal, warp_specialize=False
        )
        return o


torch.manual_seed(1)
for causal in (False, True):
    for by_host in (False, True):
        q, k, v = (torch.randn(2, 128, 32, device=DEVICE, dtype=torch.float16) for _ in range(3))
        result = Attention.apply(q, k, v, causal, by_host)
        expected = torch.nn.functional.scaled_dot_product_attention(
            q.float(), k.float(), v.float(), is_causal=causal
        )
        torch.testing.assert_close(result.float(), expected, atol=1e-2, rtol=0)
assert len(attend.configs_timings) == 2, "the one that is too large was pruned"
print("attention is right")
