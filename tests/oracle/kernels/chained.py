"""Dots whose operands come from other dots, and the operations between: one idea per kernel."""

from __future__ import annotations

import weft
import weft.language as tl


@weft.jit
def attention_step(
    q_ptr, k_ptr, v_ptr, o_ptr, length, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr
):
    """Scores, softmax by running maximum, weighted sum: the head dot and the tail dot in a loop."""
    m, n, d = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :])
    top = tl.full((M,), -float("inf"), tl.float32)
    total = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    for first in tl.range(0, length, N):
        k = tl.load(k_ptr + (first + n)[None, :] * D + d[:, None])
        s = tl.dot(q, k)
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        shrink = tl.exp2(top - new)
        total = total * shrink + tl.sum(p, 1)
        v = tl.load(v_ptr + (first + n)[:, None] * D + d[None, :])
        acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None])
        top = new
    acc = acc / total[:, None]
    tl.store(o_ptr + m[:, None] * D + d[None, :], acc.to(o_ptr.dtype.element_ty))


@weft.jit
def attention_backward(
    q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dk_ptr, dv_ptr, dq_ptr, length,
    M: tl.constexpr, N: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    """Five dots in a loop, two of transposes, two accumulators, one atomic sum."""
    n, d, m = tl.program_id(0) * N + tl.arange(0, N), tl.arange(0, D), tl.arange(0, M)
    k = tl.load(k_ptr + n[:, None] * D + d[None, :])
    v = tl.load(v_ptr + n[:, None] * D + d[None, :])
    dk, dv = tl.zeros((N, D), tl.float32), tl.zeros((N, D), tl.float32)
    for first in range(0, length, M):
        rows = first + m
        q = tl.load(q_ptr + rows[:, None] * D + d[None, :])
        do = tl.load(do_ptr + rows[:, None] * D + d[None, :])
        lse = tl.load(lse_ptr + rows)
        delta = tl.load(delta_ptr + rows)
        p = tl.exp2(tl.dot(q, tl.trans(k)) - lse[:, None])
        dv += tl.dot(tl.trans(p.to(do.dtype)), do)
        ds = p * (tl.dot(do, tl.trans(v)) - delta[:, None])
        dk += tl.dot(tl.trans(ds.to(q.dtype)), q)
        tl.atomic_add(dq_ptr + rows[:, None] * D + d[None, :], tl.dot(ds.to(k.dtype), k))
    tl.store(dk_ptr + n[:, None] * D + d[None, :], dk.to(dk_ptr.dtype.element_ty))
    tl.store(dv_ptr + n[:, None] * D + d[None, :], dv.to(dv_ptr.dtype.element_ty))


@weft.jit
def linear_attention(q_ptr, k_ptr, v_ptr, o_ptr, length, C: tl.constexpr, D: tl.constexpr):
    """A state carried as a product: the dot's result is the next turn's operand."""
    c, d = tl.arange(0, C), tl.arange(0, D)
    causal = c[:, None] >= c[None, :]
    state = tl.zeros((D, D), tl.float32)
    for first in range(0, length, C):
        at = (first + c)[:, None] * D + d[None, :]
        q, k, v = tl.load(q_ptr + at), tl.load(k_ptr + at), tl.load(v_ptr + at)
        s = tl.where(causal, tl.dot(q, tl.trans(k)), 0.0)
        o = tl.dot(s.to(v.dtype), v) + tl.dot(q, state.to(q.dtype))
        state += tl.dot(tl.trans(k), v)
        tl.store(o_ptr + at, o.to(o_ptr.dtype.element_ty))


@weft.jit
def gated_pair(x_ptr, gate_ptr, up_ptr, out_ptr, K, M: tl.constexpr, N: tl.constexpr):
    """Two dots share an operand, and their results are multiplied: SwiGLU."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, 32)
    gate, up = tl.zeros((M, N), tl.float32), tl.zeros((M, N), tl.float32)
    for first in range(0, K, 32):
        x = tl.load(x_ptr + m[:, None] * K + (first + k)[None, :])
        at = (first + k)[:, None] * N + n[None, :]
        gate = tl.dot(x, tl.load(gate_ptr + at), gate)
        up = tl.dot(x, tl.load(up_ptr + at), up)
    out = gate * tl.sigmoid(gate) * up
    tl.store(out_ptr + m[:, None] * N + n[None, :], out.to(out_ptr.dtype.element_ty))


@weft.jit
def low_rank(
    x_ptr, w_ptr, a_ptr, b_ptr, out_ptr, K, M: tl.constexpr, N: tl.constexpr, R: tl.constexpr
):
    """A product and a product of products are added: LoRA."""
    m, n, k, r = tl.arange(0, M), tl.arange(0, N), tl.arange(0, 64), tl.arange(0, R)
    acc, small = tl.zeros((M, N), tl.float32), tl.zeros((M, R), tl.float32)
    for first in range(0, K, 64):
        x = tl.load(x_ptr + m[:, None] * K + (first + k)[None, :])
        acc = tl.dot(x, tl.load(w_ptr + (first + k)[:, None] * N + n[None, :]), acc)
        small = tl.dot(x, tl.load(a_ptr + (first + k)[:, None] * R + r[None, :]), small)
    b = tl.load(b_ptr + r[:, None] * N + n[None, :])
    acc = tl.dot(small.to(b.dtype), b, acc)
    tl.store(out_ptr + m[:, None] * N + n[None, :], acc.to(out_ptr.dtype.element_ty))


@weft.jit
def dot_of_loaded_once(x_ptr, w_ptr, out_ptr, rows, N: tl.constexpr):
    """An operand is loaded in front of the loop and stays; only the other changes."""
    n = tl.arange(0, N)
    w = tl.load(w_ptr + n[:, None] * N + n[None, :])
    for first in range(0, rows, N):
        at = (first + n)[:, None] * N + n[None, :]
        tl.store(out_ptr + at, tl.dot(tl.load(x_ptr + at), w).to(tl.float16))


_FLASH = "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16"
_BACK = ", ".join(["*{0}:16"] * 4 + ["*fp32:16"] * 2 + ["*{0}:16"] * 2 + ["*fp32:16, i32:16"])

CASES = (
    (attention_step, f"{_FLASH}, 128, 64, 128", {}, {"num_warps": 8}),
    (attention_step, f"{_FLASH}, 64, 32, 64", {}, {"num_warps": 4, "num_stages": 2}),
    (attention_step, f"{_FLASH}, 16, 16, 32", {}, {"num_warps": 1}),
    (attention_backward, f"{_BACK.format('fp16')}, 32, 64, 64", {}, {}),
    (attention_backward, f"{_BACK.format('bf16')}, 64, 128, 64", {}, {"num_warps": 8}),
    (linear_attention, "*bf16:16, *bf16:16, *bf16:16, *bf16:16, i32:16, 64, 64", {}, {}),
    (gated_pair, "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, 64, 64", {}, {}),
    (low_rank, "*bf16:16, *bf16:16, *bf16:16, *bf16:16, *bf16:16, i32:16, 64, 128, 16", {}, {}),
    (dot_of_loaded_once, "*fp16:16, *fp16:16, *fp16:16, i32:16, 64", {}, {}),
)  # fmt: skip
