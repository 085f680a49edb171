"""Loops for the software pipeliner: descriptors made in loops, stores in loops, mixed loads."""

from __future__ import annotations

import weft
import weft.language as tl

CUDA = ("cuda:90", "cuda:100")
ANY = ("cuda:80", "cuda:90", "cuda:100", "hip:gfx942", "hip:gfx950", "hip:gfx1201")


@weft.jit
def copy_tiles(x_ptr, y_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr, STAGES: tl.constexpr):
    """Scale rows of tiles, through descriptors made before the loop."""
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BM, BN])
    y = tl.make_tensor_descriptor(y_ptr, [M, N], [N, 1], [BM, BN])
    row = tl.program_id(0) * BM
    for n in tl.range(0, N, BN, num_stages=STAGES):
        y.store([row, n], x.load([row, n]) * 2.0)


@weft.jit
def copy_batches(x_ptr, y_ptr, B, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """A descriptor for each batch, made in the loop."""
    row = tl.program_id(0) * BM
    for b in tl.range(0, B, num_stages=3):
        x = tl.make_tensor_descriptor(x_ptr + b * M * N, [M, N], [N, 1], [BM, BN])
        y = tl.make_tensor_descriptor(y_ptr + b * M * N, [M, N], [N, 1], [BM, BN])
        y.store([row, 0], x.load([row, 0]) + 1.0)


@weft.jit
def grouped_product(
    a_ptr, b_ptr, c_ptr, G, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    """A product for each group; the descriptors change when the group does."""
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), G * rows * columns, PROGRAMS, flatten=True):
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
def persistent_product(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr,
    FLATTEN: tl.constexpr,
):  # fmt: skip
    """Tiles of one product, loaded and stored through descriptors."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    columns = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * columns, PROGRAMS, flatten=FLATTEN):
        m, n = tile // columns * BM, tile % columns * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
        c.store([m, n], acc.to(tl.float16))


@weft.jit
def changing_descriptor(x_ptr, y_ptr, B, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """A descriptor that some iterations make, and others keep."""
    row = tl.program_id(0) * BM
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BM, BN])
    y = tl.make_tensor_descriptor(y_ptr, [M, N], [N, 1], [BM, BN])
    for b in tl.range(0, B, num_stages=3):
        if b % 4 == 0:
            x = tl.make_tensor_descriptor(x_ptr + b * M * N, [M, N], [N, 1], [BM, BN])
        y.store([row, b], x.load([row, b]) + 1.0)


@weft.jit
def gathered_rows(x_ptr, i_ptr, w_ptr, y_ptr, M, N, K, BM: tl.constexpr, BK: tl.constexpr):
    """Rows that an index chooses feed a product; the index is loaded in the loop, too."""
    rows = tl.arange(0, BM)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BM), tl.float32)
    for step in range(0, K, BK):
        index = tl.load(i_ptr + step * BM + rows)
        x = tl.load(x_ptr + index[:, None] * K + step + k[None, :])
        w = tl.load(w_ptr + (step + k)[:, None] * BM + rows[None, :])
        acc = tl.dot(x, w, acc)
    tl.store(y_ptr + rows[:, None] * BM + rows[None, :], acc)


@weft.jit
def scaled_by_scalar(x_ptr, s_ptr, w_ptr, y_ptr, K, BM: tl.constexpr, BK: tl.constexpr):
    """A scalar of each step scales the operand: it is loaded in the loop."""
    rows = tl.arange(0, BM)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BM), tl.float32)
    for step in range(0, K, BK):
        scale = tl.load(s_ptr + step // BK)
        x = tl.load(x_ptr + rows[:, None] * K + step + k[None, :])
        w = tl.load(w_ptr + (step + k)[:, None] * BM + rows[None, :])
        acc = tl.dot((x * scale).to(tl.float16), w, acc)
    tl.store(y_ptr + rows[:, None] * BM + rows[None, :], acc)


@weft.jit
def streamed_sum(x_ptr, m_ptr, y_ptr, N, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """Loads without a dot, masked by a condition of each step, and a store under a condition."""
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in tl.range(0, N, BLOCK, num_stages=STAGES):
        x = tl.load(x_ptr + start + at, mask=start + at < N, other=1.0)
        m = tl.load(m_ptr + start + at)
        total += x * m
        if start % 4096 == 0:
            tl.store(y_ptr + start + at, total)
    tl.store(y_ptr + at, total)


@weft.jit
def two_products(
    q_ptr, k_ptr, v_ptr, o_ptr, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr
):
    """A product of a product, without a softmax, with accumulators of both kinds."""
    rows, columns, d = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    q = tl.load(q_ptr + rows[:, None] * D + d[None, :])
    acc = tl.zeros((BM, D), tl.float32)
    peak = tl.zeros((BM,), tl.float32)
    for start in range(0, N, BN):
        k = tl.load(k_ptr + (start + columns)[None, :] * D + d[:, None])
        s = tl.dot(q, k)
        peak = tl.maximum(peak, tl.max(s, 1))
        v = tl.load(v_ptr + (start + columns)[:, None] * D + d[None, :])
        acc = tl.dot(s.to(tl.float16), v, acc)
    tl.store(o_ptr + rows[:, None] * D + d[None, :], acc / peak[:, None])


_TILES = "*fp16:16, *fp16:16, i32, i32:16"
_BATCHES = "*fp32:16, *fp32:16, i32, i32, i32:16"
_GEMM = "*fp16:16, *fp16:16, *fp16:16, i32, i32:16, i32:16"

CASES = (
    (copy_tiles, f"{_TILES}, 64, 64, 3", {}, {}, CUDA),
    (copy_tiles, f"{_TILES}, 128, 32, 4", {}, {"num_warps": 8}, CUDA),
    (copy_batches, f"{_BATCHES}, 32, 64", {}, {}, CUDA),
    (grouped_product, "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32:16, i32:16, 128, 128, 64, 132", {}, {"num_warps": 8}, CUDA),
    (persistent_product, f"{_GEMM}, 128, 128, 64, 132, constexpr", {"FLATTEN": False}, {"num_warps": 8}, CUDA),
    (persistent_product, f"{_GEMM}, 128, 256, 64, 132, constexpr", {"FLATTEN": True}, {"num_warps": 8}, CUDA),
    (changing_descriptor, f"{_BATCHES}, 32, 64", {}, {}, CUDA),
    (gathered_rows, "*fp16:16, *i32:16, *fp16:16, *fp32:16, i32, i32, i32:16, 64, 64", {}, {}, ANY),
    (gathered_rows, "*fp16:16, *i32:16, *fp16:16, *fp32:16, i32, i32, i32:16, 128, 32", {}, {"num_stages": 4}, ANY),
    (scaled_by_scalar, "*fp16:16, *fp32:16, *fp16:16, *fp32:16, i32:16, 64, 64", {}, {}, ANY),
    (streamed_sum, "*fp32:16, *fp32:16, *fp32:16, i32, 1024, 4", {}, {}, ANY),
    (streamed_sum, "*fp32:16, *fp32:16, *fp32:16, i32:16, 512, 2", {}, {"num_warps": 2}, ANY),
    (two_products, "*fp16:16, *fp16:16, *fp16:16, *fp32:16, i32, 128, 64, 64", {}, {}, ANY),
    (two_products, "*fp16:16, *fp16:16, *fp16:16, *fp32:16, i32, 64, 32, 128", {}, {"num_warps": 8}, ANY),
)  # fmt: skip
