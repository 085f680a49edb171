"""Attention as packages write it: caches by pages, split keys, windows, backward, linear forms."""

from __future__ import annotations

import weft
import weft.language as tl


@weft.jit
def online_softmax(scores, top, total, acc):
    """Fold a tile of scores into the running maximum, sum and accumulator."""
    new = tl.maximum(top, tl.max(scores, 1))
    p = tl.math.exp2(scores - new[:, None])
    shrink = tl.math.exp2(top - new)
    return p, new, total * shrink + tl.sum(p, 1), acc * shrink[:, None]


@weft.jit
def paged_decode(
    q_ptr, k_cache, v_cache, table_ptr, length_ptr, out_ptr, scale, table_stride, heads,
    PAGE: tl.constexpr, GROUP: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    """One query per sequence; its keys are in pages that a table lists."""
    sequence, head = tl.program_id(0), tl.program_id(1)
    group, d, slot = tl.arange(0, GROUP), tl.arange(0, D), tl.arange(0, PAGE)
    q = tl.load(q_ptr + ((sequence * heads + head) * GROUP + group[:, None]) * D + d[None, :])
    length = tl.load(length_ptr + sequence)
    top = tl.full((GROUP,), -float("inf"), tl.float32)
    total = tl.zeros((GROUP,), tl.float32)
    acc = tl.zeros((GROUP, D), tl.float32)
    for page in range(0, tl.cdiv(length, PAGE)):
        block = tl.load(table_ptr + sequence * table_stride + page).to(tl.int64)
        base = (block * heads + head) * PAGE * D
        keys = page * PAGE + slot
        k = tl.load(k_cache + base + slot[None, :] * D + d[:, None])
        s = tl.where(keys[None, :] < length, tl.dot(q, k) * scale, -float("inf"))
        p, top, total, acc = online_softmax(s, top, total, acc)
        v = tl.load(v_cache + base + slot[:, None] * D + d[None, :])
        acc = tl.dot(p.to(v.dtype), v, acc)
    at = ((sequence * heads + head) * GROUP + group[:, None]) * D + d[None, :]
    tl.store(out_ptr + at, (acc / total[:, None]).to(out_ptr.dtype.element_ty))


@weft.jit
def paged_decode_vector(
    q_ptr, k_cache, v_cache, table_ptr, length_ptr, out_ptr, scale, table_stride,
    PAGE: tl.constexpr, D: tl.constexpr, PAGES: tl.constexpr,
):  # fmt: skip
    """The same without dots: sums of products, the table's loads staged."""
    sequence = tl.program_id(0)
    d, slot = tl.arange(0, D), tl.arange(0, PAGE)
    q = tl.load(q_ptr + sequence * D + d).to(tl.float32)
    length = tl.load(length_ptr + sequence)
    top, total = -float("inf"), 0.0
    acc = tl.zeros((D,), tl.float32)
    for page in tl.range(0, PAGES, num_stages=3):
        block = tl.load(table_ptr + sequence * table_stride + page)
        inside = page * PAGE + slot < length
        at = (block * PAGE + slot[:, None]) * D + d[None, :]
        k = tl.load(k_cache + at, mask=inside[:, None], other=0.0).to(tl.float32)
        s = tl.where(inside, tl.sum(q[None, :] * k, 1) * scale, -float("inf"))
        new = tl.maximum(top, tl.max(s, 0))
        p = tl.exp(s - new)
        shrink = tl.exp(top - new)
        v = tl.load(v_cache + at, mask=inside[:, None], other=0.0).to(tl.float32)
        acc = acc * shrink + tl.sum(p[:, None] * v, 0)
        total = total * shrink + tl.sum(p, 0)
        top = new
    tl.store(out_ptr + sequence * D + d, (acc / total).to(out_ptr.dtype.element_ty))


@weft.jit
def flash_forward(
    q_ptr, k_ptr, v_ptr, o_ptr, lse_ptr, length, stride_head, stride_row, scale,
    M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, WINDOW: tl.constexpr,
):  # fmt: skip
    """Causal attention in a sliding window, with the logarithm of the sums."""
    start, head = tl.program_id(0) * M, tl.program_id(1)
    base = head.to(tl.int64) * stride_head
    m, n, d = start + tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    q = tl.load(q_ptr + base + m[:, None] * stride_row + d[None, :], mask=m[:, None] < length)
    q = (q * (scale * 1.44269504)).to(q_ptr.dtype.element_ty)
    top = tl.full((M,), -float("inf"), tl.float32)
    total = tl.full((M,), 1.0, tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    first = tl.maximum(0, start - WINDOW) // N * N
    for begin in range(first, tl.minimum(start + M, length), N):
        begin = tl.multiple_of(begin, N)
        keys = begin + n
        k = tl.load(
            k_ptr + base + keys[None, :] * stride_row + d[:, None], mask=keys[None, :] < length
        )
        in_window = (keys[None, :] <= m[:, None]) & (m[:, None] - keys[None, :] < WINDOW)
        s = tl.where(in_window, tl.dot(q, k), -1.0e6)
        p, top, total, acc = online_softmax(s, top, total, acc)
        v = tl.load(
            v_ptr + base + keys[:, None] * stride_row + d[None, :], mask=keys[:, None] < length
        )
        acc = tl.dot(p.to(v.dtype), v, acc)
    tl.store(lse_ptr + head * length + m, top + tl.math.log2(total), mask=m < length)
    at = base + m[:, None] * stride_row + d[None, :]
    tl.store(
        o_ptr + at, (acc / total[:, None]).to(o_ptr.dtype.element_ty), mask=m[:, None] < length
    )


@weft.jit
def flash_block_pointers(
    q_ptr, k_ptr, v_ptr, o_ptr, length, scale,
    M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """Attention by block pointers, in two loops: before the diagonal and on it."""
    start, base = tl.program_id(0) * M, tl.program_id(1) * length * D
    q_block = tl.make_block_ptr(q_ptr + base, (length, D), (D, 1), (start, 0), (M, D), (1, 0))
    o_block = tl.make_block_ptr(o_ptr + base, (length, D), (D, 1), (start, 0), (M, D), (1, 0))
    k_block = tl.make_block_ptr(k_ptr + base, (D, length), (1, D), (0, 0), (D, N), (0, 1))
    v_block = tl.make_block_ptr(v_ptr + base, (length, D), (D, 1), (0, 0), (N, D), (1, 0))
    rows, columns = start + tl.arange(0, M), tl.arange(0, N)
    q = tl.load(q_block)
    top = tl.full((M,), -float("inf"), tl.float32)
    total = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    until = start if CAUSAL else length
    for _ in range(0, until, N):
        s = tl.dot(q, tl.load(k_block)) * scale
        p, top, total, acc = online_softmax(s, top, total, acc)
        acc = tl.dot(p.to(tl.float16), tl.load(v_block), acc)
        k_block = tl.advance(k_block, (0, N))
        v_block = tl.advance(v_block, (N, 0))
    if CAUSAL:
        for begin in range(start, start + M, N):
            s = tl.dot(q, tl.load(k_block)) * scale
            s = tl.where(rows[:, None] >= (begin + columns)[None, :], s, -float("inf"))
            p, top, total, acc = online_softmax(s, top, total, acc)
            acc = tl.dot(p.to(tl.float16), tl.load(v_block), acc)
            k_block = tl.advance(k_block, (0, N))
            v_block = tl.advance(v_block, (N, 0))
    tl.store(o_block, (acc / total[:, None]).to(tl.float16))


@weft.jit
def flash_descriptors(
    q_ptr, k_ptr, v_ptr, o_ptr, length, scale, tiles,
    M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """Attention by descriptors, tiles of queries taken in turn by persistent programs."""
    q_desc = tl.make_tensor_descriptor(q_ptr, [length, D], [D, 1], [M, D])
    k_desc = tl.make_tensor_descriptor(k_ptr, [length, D], [D, 1], [N, D])
    v_desc = tl.make_tensor_descriptor(v_ptr, [length, D], [D, 1], [N, D])
    o_desc = tl.make_tensor_descriptor(o_ptr, [length, D], [D, 1], [M, D])
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0)):
        q = q_desc.load([tile * M, 0])
        top = tl.full((M,), -float("inf"), tl.float32)
        total = tl.zeros((M,), tl.float32)
        acc = tl.zeros((M, D), tl.float32)
        for begin in tl.range(0, length, N, num_stages=STAGES):
            s = tl.dot(q, k_desc.load([begin, 0]).T) * scale
            p, top, total, acc = online_softmax(s, top, total, acc)
            acc = tl.dot(p.to(tl.float16), v_desc.load([begin, 0]), acc)
        o_desc.store([tile * M, 0], (acc / total[:, None]).to(tl.float16))


@weft.jit
def flash_backward_dq(
    q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dq_ptr, length, scale,
    M: tl.constexpr, N: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    """The gradient of queries: a causal loop, then the diagonal."""
    start = tl.program_id(0) * M
    m, n, d = start + tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    at = m[:, None] * D + d[None, :]
    q, do = tl.load(q_ptr + at), tl.load(do_ptr + at)
    lse, delta = tl.load(lse_ptr + m), tl.load(delta_ptr + m)
    dq = tl.zeros((M, D), tl.float32)
    for begin in range(0, start + M, N):
        keys = begin + n
        k = tl.load(k_ptr + keys[None, :] * D + d[:, None])
        v = tl.load(v_ptr + keys[None, :] * D + d[:, None])
        s = tl.dot(q, k)
        p = tl.math.exp2(s * scale - lse[:, None])
        p = tl.where(m[:, None] >= keys[None, :], p, 0.0)
        dp = tl.dot(do, v)
        ds = (p * (dp - delta[:, None])).to(k.dtype)
        dq = tl.dot(ds, tl.trans(k), dq)
    tl.store(dq_ptr + at, (dq * scale).to(dq_ptr.dtype.element_ty))


@weft.jit
def flash_backward_dkv(
    q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dk_ptr, dv_ptr, length, scale,
    M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, SPLIT: tl.constexpr,
):  # fmt: skip
    """The gradients of keys and values; masked tiles first, then the others in a second loop."""
    start = tl.program_id(0) * N
    n, m, d = start + tl.arange(0, N), tl.arange(0, M), tl.arange(0, D)
    at = n[:, None] * D + d[None, :]
    k, v = tl.load(k_ptr + at), tl.load(v_ptr + at)
    dk, dv = tl.zeros((N, D), tl.float32), tl.zeros((N, D), tl.float32)
    for step in tl.static_range(2):
        first = start if step == 0 else start + SPLIT
        last = start + SPLIT if step == 0 else length
        for begin in range(first, last, M):
            rows = begin + m
            q_t = tl.load(q_ptr + rows[None, :] * D + d[:, None])
            lse = tl.load(lse_ptr + rows)
            p_t = tl.math.exp2(tl.dot(k, q_t) - lse[None, :])
            if step == 0:
                p_t = tl.where(rows[None, :] >= n[:, None], p_t, 0.0)
            do = tl.load(do_ptr + rows[:, None] * D + d[None, :])
            dv += tl.dot(p_t.to(tl.float16), do)
            delta = tl.load(delta_ptr + rows)
            dp_t = tl.dot(v, tl.trans(do)).to(tl.float32)
            ds_t = (p_t * (dp_t - delta[None, :])).to(tl.float16)
            dk += tl.dot(ds_t, tl.trans(q_t))
    tl.store(dv_ptr + at, dv)
    tl.store(dk_ptr + at, dk * scale)


@weft.jit
def split_decode(
    q_ptr, k_ptr, v_ptr, part_ptr, lse_ptr, length, per_split, scale,
    GROUP: tl.constexpr, N: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    """Flash decoding: one program per part of the keys."""
    head, split = tl.program_id(0), tl.program_id(1)
    g, n, d = tl.arange(0, GROUP), tl.arange(0, N), tl.arange(0, D)
    q = tl.load(q_ptr + (head * GROUP + g)[:, None] * D + d[None, :])
    first = split * per_split
    last = tl.minimum(first + per_split, length)
    top = tl.full((GROUP,), -float("inf"), tl.float32)
    total = tl.zeros((GROUP,), tl.float32)
    acc = tl.zeros((GROUP, D), tl.float32)
    k_ptrs = k_ptr + head * length * D + (first + n)[None, :] * D + d[:, None]
    v_ptrs = v_ptr + head * length * D + (first + n)[:, None] * D + d[None, :]
    for begin in range(first, last, N):
        inside = begin + n < last
        k = tl.load(k_ptrs, mask=inside[None, :], other=0.0)
        v = tl.load(v_ptrs, mask=inside[:, None], other=0.0)
        s = tl.where(inside[None, :], tl.dot(q, k) * scale, -float("inf"))
        p, top, total, acc = online_softmax(s, top, total, acc)
        acc = tl.dot(p.to(v.dtype), v, acc)
        k_ptrs += N * D
        v_ptrs += N * D
    at = ((head * tl.num_programs(1) + split) * GROUP + g)[:, None] * D + d[None, :]
    tl.store(part_ptr + at, acc / total[:, None])
    tl.store(lse_ptr + (head * tl.num_programs(1) + split) * GROUP + g, top + tl.log2(total))


@weft.jit
def combine_splits(part_ptr, lse_ptr, out_ptr, splits, GROUP: tl.constexpr, D: tl.constexpr):
    """Combine the parts of flash decoding by their logarithms of sums."""
    head = tl.program_id(0)
    g, d = tl.arange(0, GROUP), tl.arange(0, D)
    top = tl.full((GROUP,), -float("inf"), tl.float32)
    total = tl.zeros((GROUP,), tl.float32)
    acc = tl.zeros((GROUP, D), tl.float32)
    for split in tl.range(0, splits, num_stages=2):
        row = (head * splits + split) * GROUP + g
        lse = tl.load(lse_ptr + row)
        part = tl.load(part_ptr + row[:, None] * D + d[None, :])
        new = tl.maximum(top, lse)
        old, weight = tl.exp2(top - new), tl.exp2(lse - new)
        acc = acc * old[:, None] + part * weight[:, None]
        total = total * old + weight
        top = new
    tl.store(
        out_ptr + (head * GROUP + g)[:, None] * D + d[None, :],
        (acc / total[:, None]).to(tl.bfloat16),
    )


@weft.jit
def latent_decode(
    q_ptr, q_rope_ptr, kv_ptr, rope_ptr, index_ptr, out_ptr, length, scale,
    HEADS: tl.constexpr, N: tl.constexpr, D: tl.constexpr, R: tl.constexpr,
):  # fmt: skip
    """Latent attention: keys are the values with rotated parts beside them, by an index."""
    sequence = tl.program_id(0)
    h, n, d, r = tl.arange(0, HEADS), tl.arange(0, N), tl.arange(0, D), tl.arange(0, R)
    q = tl.load(q_ptr + (sequence * HEADS + h)[:, None] * D + d[None, :])
    q_rope = tl.load(q_rope_ptr + (sequence * HEADS + h)[:, None] * R + r[None, :])
    top = tl.full((HEADS,), -float("inf"), tl.float32)
    total = tl.zeros((HEADS,), tl.float32)
    acc = tl.zeros((HEADS, D), tl.float32)
    for begin in range(0, length, N):
        inside = begin + n < length
        token = tl.load(index_ptr + sequence * length + begin + n, mask=inside, other=0)
        kv = tl.load(kv_ptr + token[:, None] * D + d[None, :], mask=inside[:, None], other=0.0)
        rope = tl.load(rope_ptr + token[None, :] * R + r[:, None], mask=inside[None, :], other=0.0)
        s = tl.dot(q, tl.trans(kv))
        s = tl.dot(q_rope, rope, s) * scale
        s = tl.where(inside[None, :], s, -float("inf"))
        p, top, total, acc = online_softmax(s, top, total, acc)
        acc = tl.dot(p.to(kv.dtype), kv, acc)
    tl.store(
        out_ptr + (sequence * HEADS + h)[:, None] * D + d[None, :],
        (acc / total[:, None]).to(tl.bfloat16),
    )


@weft.jit
def biased_attention(
    q_ptr, k_ptr, v_ptr, bias_ptr, mask_ptr, o_ptr, length, scale, cap,
    M: tl.constexpr, N: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    """A bias for each score, a cap by tanh, and tiles that a list of blocks skips."""
    tile = tl.program_id(0)
    m, n, d = tile * M + tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :])
    top = tl.full((M,), -1e30, tl.float32)
    total = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    for block in range(0, tl.cdiv(length, N)):
        if tl.load(mask_ptr + tile * tl.cdiv(length, N) + block) != 0:
            keys = block * N + n
            k = tl.load(k_ptr + keys[None, :] * D + d[:, None])
            bias = tl.load(bias_ptr + m[:, None] * length + keys[None, :]).to(tl.float32)
            s = tl.dot(q, k) * scale
            s = cap * (2 * tl.sigmoid(2 * s / cap) - 1) + bias
            p, top, total, acc = online_softmax(s, top, total, acc)
            v = tl.load(v_ptr + keys[:, None] * D + d[None, :])
            acc = tl.dot(p.to(v.dtype), v, acc)
    tl.store(o_ptr + m[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))


@weft.jit
def fp8_attention(
    q_ptr, k_ptr, v_ptr, q_scale_ptr, k_scale_ptr, o_ptr, length,
    M: tl.constexpr, N: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    """8-bit queries and keys with a scale for each block, values of 16 bits."""
    tile = tl.program_id(0)
    m, n, d = tile * M + tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :])
    q_scale = tl.load(q_scale_ptr + tile)
    top = tl.full((M,), -float("inf"), tl.float32)
    total = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    k_ptrs = k_ptr + n[None, :] * D + d[:, None]
    v_ptrs = v_ptr + n[:, None] * D + d[None, :]
    for block in range(0, length // N):
        k = tl.load(k_ptrs)
        k_scale = tl.load(k_scale_ptr + block)
        s = tl.dot(q, k).to(tl.float32) * (q_scale * k_scale)
        p, top, total, acc = online_softmax(s, top, total, acc)
        v = tl.load(v_ptrs)
        acc += tl.dot(p.to(tl.float16), v, out_dtype=tl.float16)
        k_ptrs += N * D
        v_ptrs += N * D
    tl.store(o_ptr + m[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))


@weft.jit
def retention_chunk(
    q_ptr, k_ptr, v_ptr, g_ptr, h_ptr, o_ptr, length, C: tl.constexpr, D: tl.constexpr
):
    """Gated linear attention by chunks: a state that decays, stored for each chunk."""
    c, d = tl.arange(0, C), tl.arange(0, D)
    state = tl.zeros((D, D), tl.float32)
    for chunk in range(0, tl.cdiv(length, C)):
        at = (chunk * C + c)[:, None] * D + d[None, :]
        tl.store(h_ptr + chunk * D * D + d[:, None] * D + d[None, :], state.to(tl.bfloat16))
        g = tl.load(g_ptr + chunk * C + c)
        last = tl.load(g_ptr + chunk * C + C - 1)
        q, k, v = tl.load(q_ptr + at), tl.load(k_ptr + at), tl.load(v_ptr + at)
        s = tl.dot(q, tl.trans(k)) * tl.exp(g[:, None] - g[None, :])
        s = tl.where(c[:, None] >= c[None, :], s, 0.0)
        o = tl.dot((q * tl.exp(g)[:, None]).to(q.dtype), state.to(q.dtype))
        o = tl.dot(s.to(v.dtype), v, o)
        k = (k * tl.exp(last - g)[:, None]).to(k.dtype)
        state = state * tl.exp(last) + tl.dot(tl.trans(k), v)
        tl.store(o_ptr + at, o.to(tl.bfloat16))


@weft.jit
def delta_rule(
    k_ptr, v_ptr, w_ptr, u_ptr, h_ptr, length, C: tl.constexpr, D: tl.constexpr, BV: tl.constexpr
):
    """The delta rule's state by chunks, by block pointers: values lose what the state predicts."""
    column = tl.program_id(0) * BV
    state = tl.zeros((D, BV), tl.float32)
    for chunk in range(0, tl.cdiv(length, C)):
        h_block = tl.make_block_ptr(
            h_ptr + chunk * D * D, (D, D), (D, 1), (0, column), (D, BV), (1, 0)
        )
        tl.store(h_block, state.to(tl.bfloat16), boundary_check=(0, 1))
        k_block = tl.make_block_ptr(k_ptr, (D, length), (1, D), (0, chunk * C), (D, C), (0, 1))
        w_block = tl.make_block_ptr(w_ptr, (length, D), (D, 1), (chunk * C, 0), (C, D), (1, 0))
        v_block = tl.make_block_ptr(
            v_ptr, (length, D), (D, 1), (chunk * C, column), (C, BV), (1, 0)
        )
        u_block = tl.make_block_ptr(
            u_ptr, (length, D), (D, 1), (chunk * C, column), (C, BV), (1, 0)
        )
        k = tl.load(k_block, boundary_check=(0, 1))
        w = tl.load(w_block, boundary_check=(0, 1))
        v = tl.load(v_block, boundary_check=(0, 1)).to(tl.float32)
        v -= tl.dot(w, state.to(w.dtype))
        tl.store(u_block, v.to(tl.bfloat16), boundary_check=(0, 1))
        state += tl.dot(k, v.to(k.dtype))


_QKVO = "*fp16:16, *fp16:16, *fp16:16, *fp16:16"
_BACK = "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16"
_BF4 = "*bf16:16, *bf16:16, *bf16:16, *bf16:16"
CUDA_TMA = ("cuda:90", "cuda:100")
FP8 = ("cuda:90", "cuda:100")

CASES = (
    (paged_decode, "*bf16:16, *bf16:16, *bf16:16, *i32:16, *i32:16, *bf16:16, fp32, i32:16, i32, 16, 16, 128", {}, {}),
    (paged_decode, "*fp16:16, *fp16:16, *fp16:16, *i32:16, *i32:16, *fp16:16, fp32, i32:16, i32:16, 64, 16, 64", {}, {"num_stages": 4}),
    (paged_decode_vector, "*fp16:16, *fp16:16, *fp16:16, *i32:16, *i32:16, *fp16:16, fp32, i32:16, 16, 64, 32", {}, {}),
    (flash_forward, f"{_QKVO}, *fp32:16, i32, i32:16, i32:16, fp32, 128, 64, 64, 256", {}, {}),
    (flash_forward, f"{_BF4}, *fp32:16, i32:16, i32:16, i32:16, fp32, 64, 128, 128, 1024", {}, {"num_warps": 8}),
    (flash_block_pointers, f"{_QKVO}, i32:16, fp32, 128, 64, 64, constexpr", {"CAUSAL": True}, {"num_stages": 4}),
    (flash_block_pointers, f"{_QKVO}, i32:16, fp32, 128, 32, 128, constexpr", {"CAUSAL": False}, {"num_warps": 8}),
    (flash_descriptors, f"{_QKVO}, i32:16, fp32, i32, 128, 64, 64, 3", {}, {"num_warps": 8}, CUDA_TMA),
    (flash_descriptors, f"{_QKVO}, i32:16, fp32, i32, 64, 64, 128, 2", {}, {}, CUDA_TMA),
    (flash_backward_dq, f"{_BACK}, *fp16:16, i32:16, fp32, 64, 64, 64", {}, {}),
    (flash_backward_dq, f"{_BACK}, *fp16:16, i32:16, fp32, 128, 32, 128", {}, {"num_warps": 8, "num_stages": 2}),
    (flash_backward_dkv, f"{_BACK}, *fp32:16, *fp32:16, i32:16, fp32, 32, 64, 64, 64", {}, {}),
    (flash_backward_dkv, f"{_BACK}, *fp32:16, *fp32:16, i32:16, fp32, 64, 128, 128, 128", {}, {"num_warps": 8, "num_stages": 2}),
    (split_decode, "*bf16:16, *bf16:16, *bf16:16, *fp32:16, *fp32:16, i32, i32:16, fp32, 16, 64, 128", {}, {}),
    (combine_splits, "*fp32:16, *fp32:16, *bf16:16, i32, 16, 128", {}, {}),
    (latent_decode, "*bf16:16, *bf16:16, *bf16:16, *bf16:16, *i32:16, *bf16:16, i32, fp32, 16, 32, 256, 64", {}, {}),
    (biased_attention, "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *i8:16, *fp16:16, i32:16, fp32, fp32, 64, 64, 64", {}, {}),
    (fp8_attention, "*fp8e4nv:16, *fp8e4nv:16, *fp16:16, *fp32:16, *fp32:16, *fp16:16, i32:16, 128, 64, 64", {}, {"num_stages": 4}, FP8),
    (retention_chunk, "*bf16:16, *bf16:16, *bf16:16, *fp32:16, *bf16:16, *bf16:16, i32:16, 64, 64", {}, {}),
    (delta_rule, "*bf16:16, *bf16:16, *bf16:16, *bf16:16, *bf16:16, i32, 64, 64, 32", {}, {}),
    (delta_rule, "*bf16:16, *bf16:16, *bf16:16, *bf16:16, *bf16:16, i32:16, 32, 128, 64", {}, {"num_warps": 2, "num_stages": 2}),
)  # fmt: skip
