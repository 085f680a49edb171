"""Loops over dots that software pipelining makes fast: matmul and attention, as they are written.

A: (M, K).  B: (K, N), or (N, K) where a docstring says so.  C: (M, N).  All have packed rows.
"""

import weft
import weft.language as tl


@weft.jit
def tile_of(program, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """Return the row and column of a program's tile: eight rows of tiles share columns of B."""
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = program // (8 * columns)
    height = min(rows - group * 8, 8)
    return group * 8 + program % (8 * columns) % height, program % (8 * columns) // height


@weft.jit
def accumulate(
    a_ptr, b_ptr, M, N, K, row, column,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Multiply the rows and columns of a tile, by pointers with masks."""
    m = (row * BM + tl.arange(0, BM)) % M
    n = (column * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a_ptrs = a_ptr + m[:, None] * K + k[None, :]
    b_ptrs = b_ptr + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        inside = k < K - step * BK
        a = tl.load(a_ptrs, mask=inside[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=inside[:, None], other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK
        b_ptrs += BK * N
    return acc


@weft.jit
def store_tile(c_ptr, acc, M, N, row, column, BM: tl.constexpr, BN: tl.constexpr):
    m, n = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN)
    inside = (m[:, None] < M) & (n[None, :] < N)
    c = acc.to(c_ptr.dtype.element_ty)
    tl.store(c_ptr + m[:, None] * N + n[None, :], c, mask=inside)


@weft.jit
def matmul_pointers(
    a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """Write one tile per program."""
    row, column = tile_of(tl.program_id(0), M, N, BM, BN)
    acc = accumulate(a_ptr, b_ptr, M, N, K, row, column, BM, BN, BK)
    store_tile(c_ptr, acc, M, N, row, column, BM, BN)


@weft.jit
def matmul_block_pointers(
    a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """Write one tile per program."""
    row, column = tile_of(tl.program_id(0), M, N, BM, BN)
    a_block = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (row * BM, 0), (BM, BK), (1, 0))
    b_block = tl.make_block_ptr(b_ptr, (K, N), (N, 1), (0, column * BN), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(a, b, acc)
        a_block = tl.advance(a_block, (0, BK))
        b_block = tl.advance(b_block, (BK, 0))
    store_tile(c_ptr, acc, M, N, row, column, BM, BN)


@weft.jit
def matmul_descriptors(a, b, c, M, N, K):
    """Write one tile per program; B: (N, K). The descriptors know the sizes of tiles."""
    BM: tl.constexpr = a.block_shape[0]
    BN: tl.constexpr = b.block_shape[0]
    BK: tl.constexpr = a.block_shape[1]
    row, column = tile_of(tl.program_id(0), M, N, BM, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([row * BM, k]), b.load([column * BN, k]).T, acc)
    c.store([row * BM, column * BN], acc.to(c.dtype))


@weft.jit
def matmul_persistent(
    a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """Take tiles in turn, by pointers."""
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0)):
        row, column = tile_of(tile, M, N, BM, BN)
        acc = accumulate(a_ptr, b_ptr, M, N, K, row, column, BM, BN, BK)
        store_tile(c_ptr, acc, M, N, row, column, BM, BN)


@weft.jit
def matmul_persistent_descriptors(a, b, c, M, N, K):
    """Take tiles in turn, by descriptors; B: (N, K)."""
    BM: tl.constexpr = a.block_shape[0]
    BN: tl.constexpr = b.block_shape[0]
    BK: tl.constexpr = a.block_shape[1]
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=True):
        row, column = tile_of(tile, M, N, BM, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(a.load([row * BM, k]), b.load([column * BN, k]).T, acc)
        c.store([row * BM, column * BN], acc.to(c.dtype))


@weft.jit
def matmul_fp8(
    a_ptr, b_ptr, c_ptr, a_scale_ptr, b_scale_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Write one tile per program; B: (N, K), scales of rows of A and of B."""
    row, column = tile_of(tl.program_id(0), M, N, BM, BN)
    m = (row * BM + tl.arange(0, BM)) % M
    n = (column * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a_ptrs = a_ptr + m[:, None] * K + k[None, :]
    b_ptrs = b_ptr + n[None, :] * K + k[:, None]
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        inside = k < K - step * BK
        a = tl.load(a_ptrs, mask=inside[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=inside[:, None], other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK
        b_ptrs += BK
    acc = acc * tl.load(a_scale_ptr + m)[:, None] * tl.load(b_scale_ptr + n)[None, :]
    store_tile(c_ptr, acc, M, N, row, column, BM, BN)


@weft.jit
def matmul_grouped(
    a_ptr, b_ptr, c_ptr, start_ptr, N, K,
    GROUPS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Multiply each group of rows of A with its own matrix; B: (GROUPS, K, N).

    Programs take tiles in turn. start: the first row of each group, and the end of the last.
    """
    tile = tl.program_id(0)
    before = 0
    for group in range(GROUPS):
        first = tl.load(start_ptr + group)
        M = tl.load(start_ptr + group + 1) - first
        tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
        while tile < before + tiles:
            row, column = tile_of(tile - before, M, N, BM, BN)
            a_rows, b_group = a_ptr + first.to(tl.int64) * K, b_ptr + group.to(tl.int64) * K * N
            acc = accumulate(a_rows, b_group, M, N, K, row, column, BM, BN, BK)
            store_tile(c_ptr + first.to(tl.int64) * N, acc, M, N, row, column, BM, BN)
            tile += tl.num_programs(0)
        before += tiles


@weft.jit
def attend(
    acc, total, top, q, k_ptr, v_ptr, rows, first, last, scale,
    N: tl.constexpr, D: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """Fold the keys first … last − 1 into the accumulator, the sums and the maxima of rows."""
    n, d = tl.arange(0, N), tl.arange(0, D)
    k_ptrs = k_ptr + (first + n)[None, :] * D + d[:, None]
    v_ptrs = v_ptr + (first + n)[:, None] * D + d[None, :]
    for start in range(first, last, N):
        s = tl.dot(q, tl.load(k_ptrs)) * scale
        if MASKED:
            s = tl.where(rows[:, None] >= (start + n)[None, :], s, -1.0e6)
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.math.exp2(s - new[:, None])
        shrink = tl.math.exp2(top - new)
        total = total * shrink + tl.sum(p, 1)
        acc = tl.dot(p.to(q.dtype), tl.load(v_ptrs), acc * shrink[:, None])
        top = new
        k_ptrs += N * D
        v_ptrs += N * D
    return acc, total, top


@weft.jit
def attention_forward(
    q_ptr, k_ptr, v_ptr, o_ptr, lse_ptr, length, scale,
    M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """Write M rows of a head; the length is a multiple of M and N. scale: with log2(e)."""
    start, head = tl.program_id(0) * M, tl.program_id(1)
    base = head.to(tl.int64) * length * D
    rows, d = start + tl.arange(0, M), tl.arange(0, D)
    at = base + rows[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at)
    top = tl.full((M,), -float("inf"), tl.float32)
    total = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    inner = start if CAUSAL else length
    acc, total, top = attend(
        acc, total, top, q, k_ptr + base, v_ptr + base, rows, 0, inner, scale, N, D, MASKED=False
    )
    if CAUSAL:
        acc, total, top = attend(
            acc, total, top, q, k_ptr + base, v_ptr + base, rows, start, start + M, scale, N, D,
            MASKED=True,
        )  # fmt: skip
    tl.store(lse_ptr + head * length + rows, top + tl.log2(total))
    tl.store(o_ptr + at, (acc / total[:, None]).to(o_ptr.dtype.element_ty))


@weft.jit
def attention_deltas(o_ptr, do_ptr, delta_ptr, M: tl.constexpr, D: tl.constexpr):
    """Write the sums of o · do over rows."""
    rows, d = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, D)
    at = rows.to(tl.int64)[:, None] * D + d[None, :]
    o, do = tl.load(o_ptr + at).to(tl.float32), tl.load(do_ptr + at).to(tl.float32)
    tl.store(delta_ptr + rows, tl.sum(o * do, 1))


@weft.jit
def attention_backward_keys(
    q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dk_ptr, dv_ptr, length, scale, factor,
    M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """Write the gradients of N keys and values. scale: with log2(e); factor: without."""
    start, head = tl.program_id(0) * N, tl.program_id(1)
    base = head.to(tl.int64) * length * D
    n, m, d = start + tl.arange(0, N), tl.arange(0, M), tl.arange(0, D)
    at = base + n[:, None] * D + d[None, :]
    k, v = tl.load(k_ptr + at), tl.load(v_ptr + at)
    dk, dv = tl.zeros((N, D), tl.float32), tl.zeros((N, D), tl.float32)
    first = start // M * M if CAUSAL else 0
    for begin in range(first, length, M):
        rows = begin + m
        rows_at = base + rows[:, None] * D + d[None, :]
        q, do = tl.load(q_ptr + rows_at), tl.load(do_ptr + rows_at)
        lse, delta = (
            tl.load(lse_ptr + head * length + rows),
            tl.load(delta_ptr + head * length + rows),
        )
        p = tl.math.exp2(tl.dot(k, tl.trans(q)) * scale - lse[None, :])
        if CAUSAL:
            p = tl.where(rows[None, :] >= n[:, None], p, 0.0)
        dv = tl.dot(p.to(do.dtype), do, dv)
        ds = p * (tl.dot(v, tl.trans(do)) - delta[None, :])
        dk = tl.dot(ds.to(q.dtype), q, dk)
    tl.store(dk_ptr + at, (dk * factor).to(dk_ptr.dtype.element_ty))
    tl.store(dv_ptr + at, dv.to(dv_ptr.dtype.element_ty))


@weft.jit
def attention_backward_queries(
    q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dq_ptr, length, scale, factor,
    M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """Write the gradients of N queries, M keys in each step. scale, factor: as for keys."""
    start, head = tl.program_id(0) * N, tl.program_id(1)
    base = head.to(tl.int64) * length * D
    rows, m, d = start + tl.arange(0, N), tl.arange(0, M), tl.arange(0, D)
    at = base + rows[:, None] * D + d[None, :]
    q, do = tl.load(q_ptr + at), tl.load(do_ptr + at)
    lse, delta = tl.load(lse_ptr + head * length + rows), tl.load(delta_ptr + head * length + rows)
    dq = tl.zeros((N, D), tl.float32)
    last = start + N if CAUSAL else length
    for begin in range(0, last, M):
        keys = begin + m
        keys_at = base + keys[:, None] * D + d[None, :]
        k, v = tl.load(k_ptr + keys_at), tl.load(v_ptr + keys_at)
        p = tl.math.exp2(tl.dot(q, tl.trans(k)) * scale - lse[:, None])
        if CAUSAL:
            p = tl.where(rows[:, None] >= keys[None, :], p, 0.0)
        ds = p * (tl.dot(do, tl.trans(v)) - delta[:, None])
        dq = tl.dot(ds.to(k.dtype), k, dq)
    tl.store(dq_ptr + at, (dq * factor).to(dq_ptr.dtype.element_ty))
