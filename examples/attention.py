"""Attention, forward: softmax(Q·Kᵀ · scale) · V without ever holding the score matrix.

One program answers a tile of queries. It walks over the keys a tile at a time and keeps, per
query, three running quantities: the largest score so far m, the sum of exponentials l, and the
weighted sum of values o. A new tile of scores s may raise the largest, so what was summed under
the old one is scaled down first:

    m' = max(m, max s)        p = exp(s − m')        scale_down = exp(m − m')
    l' = l · scale_down + Σ p                o' = o · scale_down + p · V

At the end the answer is o / l: exactly softmax, in one walk, for any number of keys.

The tiles of keys fall in two stages, and the stage is known when the kernel is compiled, so the
first carries no mask at all:

    queries ↓  keys →   ░ ░ ░ ▒ . .     ░ inner: every query of the tile sees every key
                        ░ ░ ░ ░ ▒ .     ▒ edge: crossed by the causal diagonal, or by the end
                        ░ ░ ░ ░ ░ ▒     . never visited

Exponentials are taken to the base 2, which is what the hardware has; log2(e) joins the scale.

Run it: `weft run examples/attention.py`, or `python examples/attention.py`.
"""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np

import weft
import weft.language as tl


@weft.jit
def attend(
    o,
    total,
    largest,
    q,
    k_ptrs,
    v_ptrs,
    first,
    last,
    queries,
    length,
    stride,
    scale,
    BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
    EDGE: tl.constexpr,
):
    """Walk the keys first … last − 1 and return the new (o, total, largest).

    o: (BLOCK_M, HEAD) f32.  total, largest: (BLOCK_M,) f32.  q: (BLOCK_M, HEAD).
    k_ptrs: (HEAD, BLOCK_N) and v_ptrs: (BLOCK_N, HEAD), the tiles of key 0.
    EDGE: whether keys may be hidden from queries, or lie past the end.
    """
    for start in range(first, last, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        if EDGE:
            k = tl.load(k_ptrs + start * stride, mask=keys[None, :] < length, other=0.0)
            v = tl.load(v_ptrs + start * stride, mask=keys[:, None] < length, other=0.0)
        else:
            k = tl.load(k_ptrs + start * stride)
            v = tl.load(v_ptrs + start * stride)
        scores = tl.dot(q, k) * scale
        if EDGE:
            visible = keys[None, :] < length
            if CAUSAL:
                visible = visible & (queries[:, None] >= keys[None, :])
            scores = tl.where(visible, scores, -float("inf"))
        new_largest = tl.maximum(largest, tl.max(scores, axis=1))
        weights = tl.exp2(scores - new_largest[:, None])
        scale_down = tl.exp2(largest - new_largest)
        total = total * scale_down + tl.sum(weights, axis=1)
        o = tl.dot(weights.to(v.dtype), v, o * scale_down[:, None])
        largest = new_largest
    return o, total, largest


@weft.jit
def attention(
    q_ptr,
    k_ptr,
    v_ptr,
    o_ptr,
    length,
    head_stride,
    stride,
    scale,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    HEAD: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    """Write the answers of BLOCK_M queries of one head per program; grid: (query tiles, heads).

    q, k, v, o: (heads, length, HEAD) with packed rows; head_stride and stride count elements from
    head to head and from row to row.  scale: of the scores, log2(e) included.
    """
    tile, head = tl.program_id(0), tl.program_id(1)
    base = head.to(tl.int64) * head_stride
    queries = tile * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, HEAD)
    keys = tl.arange(0, BLOCK_N)
    q_offsets = base + queries[:, None] * stride + dims[None, :]
    k_ptrs = k_ptr + base + keys[None, :] * stride + dims[:, None]
    v_ptrs = v_ptr + base + keys[:, None] * stride + dims[None, :]
    q = tl.load(q_ptr + q_offsets, mask=queries[:, None] < length, other=0.0)

    o = tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    largest = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    end = length
    if CAUSAL:
        end = min(length, (tile + 1) * BLOCK_M)
        inner = tile * BLOCK_M // BLOCK_N * BLOCK_N
    else:
        inner = length // BLOCK_N * BLOCK_N
    o, total, largest = attend(
        o, total, largest, q, k_ptrs, v_ptrs, 0, inner,
        queries, length, stride, scale, BLOCK_N, CAUSAL, EDGE=False,
    )  # fmt: skip
    o, total, largest = attend(
        o, total, largest, q, k_ptrs, v_ptrs, inner, end,
        queries, length, stride, scale, BLOCK_N, CAUSAL, EDGE=True,
    )  # fmt: skip
    o = o / total[:, None]
    tl.store(o_ptr + q_offsets, o.to(o_ptr.dtype.element_ty), mask=queries[:, None] < length)


CASES = (
    (
        attention,
        "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, fp32, "
        "128, 64, 64, constexpr",
        {"CAUSAL": True},
        {},
    ),
    (
        attention,
        "*bf16:16, *bf16:16, *bf16:16, *bf16:16, i32, i32:16, i32:16, fp32, 64, 64, 128, constexpr",
        {"CAUSAL": False},
        {"num_warps": 8},
    ),
    (
        attention,
        "*fp32:16, *fp32:16, *fp32:16, *fp32:16, i32, i32, i32, fp32, 32, 32, 32, constexpr",
        {"CAUSAL": True},
        {"num_warps": 2},
    ),
)


def launch(q, k, v, o, causal, block=(64, 32)):
    """Start one program per query tile and head. Arrays: (heads, length, 2^n), packed."""
    heads, length, head = q.shape
    block_m, block_n = block
    scale = math.log2(math.e) / math.sqrt(head)
    attention[(weft.cdiv(length, block_m), heads)](
        q,
        k,
        v,
        o,
        length,
        length * head,
        head,
        scale,
        BLOCK_M=block_m,
        BLOCK_N=block_n,
        HEAD=head,
        CAUSAL=causal,
    )


def reference(q, k, v, causal):
    """Return the attention of each head as numpy computes it, in f64."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = q @ k.swapaxes(1, 2) / math.sqrt(q.shape[2])
    if causal:
        scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    return weights / weights.sum(axis=2, keepdims=True) @ v


def check(dtype, heads, length, head, causal) -> float:
    """Compare with numpy, and return the largest error as a part of the largest result."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((heads, length, head)).astype(dtype) for _ in range(3))
    o = np.empty_like(q)
    launch(q, k, v, o, causal)
    expected = reference(q, k, v, causal)
    error = np.abs(o.astype(np.float64) - expected).max() / np.abs(expected).max()
    bound = 8 * float(ml_dtypes.finfo(dtype).eps)
    assert error <= bound, (error, bound)
    return float(error)


def main() -> None:
    """Check all types, causal and not, on a length that fills no tile."""
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16):
        for causal in (False, True):
            error = check(dtype, 3, 217, 64, causal)
            kind = "causal" if causal else "full"
            print(
                f"attention  {np.dtype(dtype).name:9} {kind:6} 3 heads × 217 × 64"
                f"  largest error {error:.1e}"
            )


if __name__ == "__main__":
    main()
