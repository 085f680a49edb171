"""Loops for warp specialization: products, attention, epilogues, grouped tiles, pointers."""

from __future__ import annotations

import weft
import weft.language as tl

HOPPER = ("cuda:90",)
BLACKWELL = ("cuda:100",)
BOTH = (*HOPPER, *BLACKWELL)


@weft.jit
def product(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """One tile of a product: the loop over K is specialized."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=True, num_stages=STAGES):
        acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
    c.store([m, n], acc.to(tl.float16))


@weft.jit
def persistent_product(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr,
    FLATTEN: tl.constexpr, PARTS: tl.constexpr,
):  # fmt: skip
    """Tiles of one product; the epilogue stores a tile as a whole or in halves."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN // PARTS])
    columns = tl.cdiv(N, BN)
    for tile in tl.range(
        tl.program_id(0),
        tl.cdiv(M, BM) * columns,
        PROGRAMS,
        flatten=FLATTEN,
        warp_specialize=True,
    ):
        m, n = tile // columns * BM, tile % columns * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
        if PARTS == 2:
            halves = tl.permute(tl.reshape(acc, (BM, 2, BN // 2)), (0, 2, 1))
            left, right = tl.split(halves)
            c.store([m, n], left.to(tl.float16))
            c.store([m, n + BN // 2], right.to(tl.float16))
        else:
            c.store([m, n], acc.to(tl.float16))


@weft.jit
def biased_product(
    a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    """Tiles of a product with a bias and an activation, stored through pointers."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    columns = tl.cdiv(N, BN)
    for tile in tl.range(
        tl.program_id(0), tl.cdiv(M, BM) * columns, PROGRAMS, warp_specialize=True
    ):
        m, n = tile // columns * BM, tile % columns * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
        rows, cols = m + tl.arange(0, BM), n + tl.arange(0, BN)
        bias = tl.load(bias_ptr + cols, mask=cols < N, other=0.0)
        value = tl.maximum(acc + bias[None, :], 0.0)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        tl.store(c_ptr + rows[:, None] * N + cols[None, :], value.to(tl.float16), mask=mask)


@weft.jit
def grouped_product(
    a_ptr, b_ptr, c_ptr, G, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr,
    FLATTEN: tl.constexpr,
):  # fmt: skip
    """A product for each group; the loop makes the descriptors of its group."""
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    for tile in tl.range(
        tl.program_id(0), G * rows * columns, PROGRAMS, flatten=FLATTEN, warp_specialize=True
    ):
        group = tile // (rows * columns)
        at = tile % (rows * columns)
        a = tl.make_tensor_descriptor(a_ptr + group * M * K, [M, K], [K, 1], [BM, BK])
        b = tl.make_tensor_descriptor(b_ptr + group * N * K, [N, K], [K, 1], [BN, BK])
        m, n = at // columns * BM, at % columns * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
        c = tl.make_tensor_descriptor(c_ptr + group * M * N, [M, N], [N, 1], [BM, BN])
        c.store([m, n], acc.to(tl.float16))


@weft.jit
def attention(
    q_ptr, k_ptr, v_ptr, o_ptr, N, scale,
    BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """The forward pass of attention, one block of queries."""
    q_desc = tl.make_tensor_descriptor(q_ptr, [N, D], [D, 1], [BM, D])
    k_desc = tl.make_tensor_descriptor(k_ptr, [N, D], [D, 1], [BN, D])
    v_desc = tl.make_tensor_descriptor(v_ptr, [N, D], [D, 1], [BN, D])
    o_desc = tl.make_tensor_descriptor(o_ptr, [N, D], [D, 1], [BM, D])
    row = tl.program_id(0) * BM
    q = q_desc.load([row, 0])
    peak = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in tl.range(0, N, BN, warp_specialize=True, num_stages=STAGES):
        k = k_desc.load([start, 0])
        s = tl.dot(q, k.T) * scale
        new_peak = tl.maximum(peak, tl.max(s, 1))
        p = tl.math.exp2(s - new_peak[:, None])
        alpha = tl.math.exp2(peak - new_peak)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = v_desc.load([start, 0])
        acc = tl.dot(p.to(tl.float16), v, acc)
        peak = new_peak
    o_desc.store([row, 0], (acc / total[:, None]).to(tl.float16))


@weft.jit
def causal_attention(
    q_ptr, k_ptr, v_ptr, o_ptr, N, scale,
    BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    """Attention to earlier positions: a mask in the loop."""
    q_desc = tl.make_tensor_descriptor(q_ptr, [N, D], [D, 1], [BM, D])
    k_desc = tl.make_tensor_descriptor(k_ptr, [N, D], [D, 1], [BN, D])
    v_desc = tl.make_tensor_descriptor(v_ptr, [N, D], [D, 1], [BN, D])
    o_desc = tl.make_tensor_descriptor(o_ptr, [N, D], [D, 1], [BM, D])
    row = tl.program_id(0) * BM
    rows = row + tl.arange(0, BM)
    q = q_desc.load([row, 0])
    peak = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in tl.range(0, row + BM, BN, warp_specialize=True):
        k = k_desc.load([start, 0])
        s = tl.dot(q, k.T) * scale
        columns = start + tl.arange(0, BN)
        s = tl.where(rows[:, None] >= columns[None, :], s, -1.0e6)
        new_peak = tl.maximum(peak, tl.max(s, 1))
        p = tl.math.exp2(s - new_peak[:, None])
        alpha = tl.math.exp2(peak - new_peak)
        total = total * alpha + tl.sum(p, 1)
        v = v_desc.load([start, 0])
        acc = tl.dot(p.to(tl.float16), v, acc * alpha[:, None])
        peak = new_peak
    o_desc.store([row, 0], (acc / total[:, None]).to(tl.float16))


@weft.jit
def persistent_attention(
    q_ptr, k_ptr, v_ptr, o_ptr, N, HEADS, scale,
    BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    """Attention for blocks of queries of several heads."""
    q_desc = tl.make_tensor_descriptor(q_ptr, [HEADS * N, D], [D, 1], [BM, D])
    k_desc = tl.make_tensor_descriptor(k_ptr, [HEADS * N, D], [D, 1], [BN, D])
    v_desc = tl.make_tensor_descriptor(v_ptr, [HEADS * N, D], [D, 1], [BN, D])
    o_desc = tl.make_tensor_descriptor(o_ptr, [HEADS * N, D], [D, 1], [BM, D])
    blocks = tl.cdiv(N, BM)
    for tile in tl.range(tl.program_id(0), blocks * HEADS, PROGRAMS, warp_specialize=True):
        first = tile // blocks * N
        row = first + tile % blocks * BM
        q = q_desc.load([row, 0])
        peak = tl.full((BM,), float("-inf"), tl.float32)
        total = tl.zeros((BM,), tl.float32)
        acc = tl.zeros((BM, D), tl.float32)
        for start in range(0, N, BN):
            k = k_desc.load([first + start, 0])
            s = tl.dot(q, k.T) * scale
            new_peak = tl.maximum(peak, tl.max(s, 1))
            p = tl.math.exp2(s - new_peak[:, None])
            alpha = tl.math.exp2(peak - new_peak)
            total = total * alpha + tl.sum(p, 1)
            v = v_desc.load([first + start, 0])
            acc = tl.dot(p.to(tl.float16), v, acc * alpha[:, None])
            peak = new_peak
        o_desc.store([row, 0], (acc / total[:, None]).to(tl.float16))


@weft.jit
def product_of_pointers(
    a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """A specialized loop whose loads go through pointers."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    steps = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=True):
        a = tl.load(a_ptr + rows[:, None] * K + (k + steps)[None, :])
        b = tl.load(b_ptr + (k + steps)[:, None] * N + columns[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc)


@weft.jit
def scaled_operand(
    a_ptr, b_ptr, s_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """The left operand is scaled in registers before the product."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=True):
        scale = tl.load(s_ptr + k // BK)
        x = (a.load([m, k]).to(tl.float32) * scale).to(tl.float16)
        acc = tl.dot(x, b.load([n, k]).T, acc)
    c.store([m, n], acc.to(tl.float16))


@weft.jit
def rescaled_sum(
    a_ptr, b_ptr, s_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Each step's product is scaled before it is added, so the accumulator is read each time."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    s = tl.make_tensor_descriptor(s_ptr, [N, K], [K, 1], [BM, BN])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=True):
        acc += tl.dot(a.load([m, k]), b.load([n, k]).T) * s.load([m, k])
    c.store([m, n], acc.to(tl.float16))


@weft.jit
def branched_product(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, EVERY: tl.constexpr,
):  # fmt: skip
    """The sum is stored, and begins anew, in some iterations."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=True):
        acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
        if k % EVERY == EVERY - BK:
            c.store([m, n], acc.to(tl.float16))
            acc = tl.zeros((BM, BN), tl.float32)
    c.store([m, n], acc.to(tl.float16))


@weft.jit
def gathered_product(
    a_ptr, b_ptr, i_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """The rows of the left operand are gathered through a descriptor."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [1, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    index = tl.load(i_ptr + m + tl.arange(0, BM))
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=True):
        acc = tl.dot(a.gather(index, k), b.load([n, k]).T, acc)
    c.store([m, n], acc.to(tl.float16))


@weft.jit
def shared_operand(
    a_ptr, b_ptr, c_ptr, d_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """One operand feeds two products, and a sum in registers."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    d = tl.make_tensor_descriptor(d_ptr, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    other = tl.zeros((BM, BN), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=True):
        x = a.load([m, k])
        acc = tl.dot(x, b.load([n, k]).T, acc)
        other = tl.dot(x, d.load([n, k]).T, other)
        total += tl.sum(x.to(tl.float32), 1)
    c.store([m, n], (acc * other + total[:, None]).to(tl.float16))


@weft.jit
def copied_tiles(x_ptr, y_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """Loads and stores without a product."""
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BM, BN])
    y = tl.make_tensor_descriptor(y_ptr, [M, N], [N, 1], [BM, BN])
    row = tl.program_id(0) * BM
    for n in tl.range(0, N, BN, warp_specialize=True):
        y.store([row, n], x.load([row, n]) * 2.0)


@weft.jit
def two_results(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A sum over the rows of each step's product, beside the product."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    peak = tl.zeros((BM,), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=True):
        step = tl.dot(a.load([m, k]), b.load([n, k]).T)
        peak = tl.maximum(peak, tl.max(step, 1))
    tl.store(c_ptr + (m + tl.arange(0, BM)) * N + n, peak)


_GEMM = "*fp16:16, *fp16:16, *fp16:16, i32, i32:16, i32:16"
_FOUR = "*fp16:16, *fp16:16, *fp32:16, *fp16:16, i32, i32:16, i32:16"
_GROUPED = "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32:16, i32:16"
_POINTERS = "*fp16:16, *fp16:16, *fp32:16, i32, i32:16, i32:16"
_ATTENTION = "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, fp32"

CASES = (
    (product, f"{_GEMM}, 128, 128, 64, 3", {}, {}, BOTH),
    (product, f"{_GEMM}, 128, 64, 128, 2", {}, {}, BLACKWELL),
    (product, f"{_GEMM}, 64, 128, 128, 2", {}, {}, HOPPER),
    (product, f"{_GEMM}, 128, 256, 64, 4", {}, {"num_warps": 8}, BLACKWELL),
    (product, f"{_GEMM}, 128, 256, 64, 4", {}, {}, HOPPER),
    (product, f"{_GEMM}, 64, 256, 64, 3", {}, {}, HOPPER),
    (product, f"{_GEMM}, 128, 128, 64, 3", {}, {"num_warps": 8}, HOPPER),
    (product, f"{_GEMM}, 128, 128, 64, 1", {}, {}, HOPPER),
    (product, "*fp8e4nv:16, *fp8e4nv:16, *fp16:16, i32, i32:16, i32:16, 128, 128, 128, 3", {}, {}, HOPPER),
    (persistent_product, f"{_GEMM}, 128, 128, 64, 132, constexpr, 1", {"FLATTEN": False}, {}, BOTH),
    (persistent_product, f"{_GEMM}, 128, 128, 64, 132, constexpr, 1", {"FLATTEN": True}, {}, BOTH),
    (persistent_product, f"{_GEMM}, 128, 256, 64, 148, constexpr, 2", {"FLATTEN": True}, {"num_warps": 8}, BLACKWELL),
    (persistent_product, f"{_GEMM}, 128, 256, 64, 132, constexpr, 2", {"FLATTEN": True}, {}, HOPPER),
    (persistent_product, f"{_GEMM}, 128, 128, 64, 132, constexpr, 2", {"FLATTEN": False}, {"num_stages": 4}, BOTH),
    (persistent_product, f"{_GEMM}, 64, 128, 64, 132, constexpr, 1", {"FLATTEN": False}, {"num_stages": 2}, HOPPER),
    (biased_product, f"{_FOUR}, 128, 128, 64, 132", {}, {}, BOTH),
    (grouped_product, f"{_GROUPED}, 128, 128, 64, 148, constexpr", {"FLATTEN": False}, {}, BLACKWELL),
    (grouped_product, f"{_GROUPED}, 128, 128, 64, 148, constexpr", {"FLATTEN": True}, {}, BLACKWELL),
    (attention, f"{_ATTENTION}, 128, 128, 64, 3", {}, {}, BOTH),
    (attention, f"{_ATTENTION}, 128, 64, 128, 2", {}, {}, BOTH),
    (attention, f"{_ATTENTION}, 64, 64, 64, 2", {}, {}, HOPPER),
    (causal_attention, f"{_ATTENTION}, 128, 64, 64", {}, {}, BOTH),
    (persistent_attention, "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, i32, fp32, 128, 64, 64, 132", {}, {}, BOTH),
    (product_of_pointers, f"{_POINTERS}, 128, 128, 64", {}, {}, BOTH),
    (product_of_pointers, f"{_POINTERS}, 64, 128, 64", {}, {"num_stages": 4}, HOPPER),
    (scaled_operand, f"{_FOUR}, 128, 128, 64", {}, {}, BOTH),
    (rescaled_sum, f"{_FOUR}, 128, 64, 64", {}, {}, BLACKWELL),
    (branched_product, f"{_GEMM}, 128, 128, 64, 512", {}, {}, BOTH),
    (gathered_product, "*fp16:16, *fp16:16, *i32:16, *fp16:16, i32, i32:16, i32:16, 128, 128, 64", {}, {}, BLACKWELL),
    (shared_operand, "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, i32:16, i32:16, 128, 64, 64", {}, {}, BOTH),
    (copied_tiles, "*fp32:16, *fp32:16, i32, i32:16, 64, 64", {}, {}, BOTH),
    (two_results, f"{_POINTERS}, 128, 128, 64", {}, {}, HOPPER),
)  # fmt: skip
