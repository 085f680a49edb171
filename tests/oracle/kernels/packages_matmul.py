"""Products as packages write them: split, persistent, grouped, sorted by expert, quantized."""

from __future__ import annotations

import weft
import weft.language as tl


@weft.jit
def swizzled(tile, M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    """Return the row and column of a tile, a group of rows at a time."""
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = tile // (GROUP * columns)
    first = group * GROUP
    height = min(rows - first, GROUP)
    return first + tile % (GROUP * columns) % height, tile % (GROUP * columns) // height


@weft.jit
def split_k(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_a, stride_b, stride_c,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr, EVEN: tl.constexpr,
):  # fmt: skip
    """Parts of K in different programs, added atomically."""
    row, column = swizzled(tl.program_id(0), M, N, BM, BN, 8)
    part = tl.program_id(1)
    m = tl.max_contiguous(tl.multiple_of((row * BM + tl.arange(0, BM)) % M, BM), BM)
    n = tl.max_contiguous(tl.multiple_of((column * BN + tl.arange(0, BN)) % N, BN), BN)
    k = part * BK + tl.arange(0, BK)
    a_ptrs = a_ptr + m[:, None] * stride_a + k[None, :]
    b_ptrs = b_ptr + k[:, None] * stride_b + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(K, BK * SPLIT)):
        if EVEN:
            a, b = tl.load(a_ptrs), tl.load(b_ptrs)
        else:
            remaining = K - step * BK * SPLIT
            a = tl.load(a_ptrs, mask=k[None, :] < remaining, other=0.0)
            b = tl.load(b_ptrs, mask=k[:, None] < remaining, other=0.0)
        acc += tl.dot(a, b, out_dtype=tl.float32)
        a_ptrs += BK * SPLIT
        b_ptrs += BK * SPLIT * stride_b
    m, n = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN)
    c_ptrs = c_ptr + m[:, None] * stride_c + n[None, :]
    mask = (m[:, None] < M) & (n[None, :] < N)
    if SPLIT == 1:
        tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=mask)
    else:
        tl.atomic_add(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=mask)


@weft.jit
def stream_k(
    a_ptr, b_ptr, c_ptr, lock_ptr, M, N, K, whole, rest,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """A share of all steps for each program; a tile's last share adds what the others stored."""
    program = tl.program_id(0)
    step = program * whole + tl.minimum(program, rest)
    end = (program + 1) * whole + tl.minimum(program + 1, rest)
    steps = tl.cdiv(K, BK)
    while step < end:
        remainder = step % steps
        last = tl.minimum(step + (steps - remainder), end)
        tile = step // steps
        row, column = swizzled(tile, M, N, BM, BN, 8)
        m, n = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN)
        k = tl.arange(0, BK)
        a_ptrs = a_ptr + m[:, None] * K + k[None, :] + BK * remainder
        b_ptrs = b_ptr + n[None, :] * K + k[:, None] + BK * remainder
        acc = tl.zeros((BM, BN), tl.float32)
        for _ in range(step, last):
            acc = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), acc)
            a_ptrs += BK
            b_ptrs += BK
        c_ptrs = c_ptr + m[:, None] * N + n[None, :]
        if remainder == 0 and last % steps == 0:
            tl.store(c_ptrs, acc)
        else:
            if remainder == 0:
                while tl.atomic_cas(lock_ptr + tile, 0, 1) == 1:
                    pass
            tl.atomic_add(c_ptrs, acc, sem="relaxed")
        step = last


@weft.jit
def persistent_pointers(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_a, stride_b, stride_c,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr,
    FLATTEN: tl.constexpr,
):  # fmt: skip
    """Tiles in turn by pointers; the address of a tile is made when its steps begin."""
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tiles, PROGRAMS, flatten=FLATTEN):
        row, column = swizzled(tile, M, N, BM, BN, 8)
        m, n = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN)
        m, n = tl.where(m < M, m, 0), tl.where(n < N, n, 0)
        m = tl.max_contiguous(tl.multiple_of(m, BM), BM)
        n = tl.max_contiguous(tl.multiple_of(n, BN), BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for step in range(tl.cdiv(K, BK)):
            k = step * BK + tl.arange(0, BK)
            a = tl.load(a_ptr + m[:, None] * stride_a + k[None, :], mask=k[None, :] < K, other=0.0)
            b = tl.load(b_ptr + k[:, None] * stride_b + n[None, :], mask=k[:, None] < K, other=0.0)
            acc = tl.dot(a, b, acc)
        rows, columns = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN)
        inside = (rows[:, None] < M) & (columns[None, :] < N)
        c = acc.to(c_ptr.dtype.element_ty)
        tl.store(c_ptr + rows[:, None] * stride_c + columns[None, :], c, mask=inside)


@weft.jit
def persistent_single_loop(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    """Tiles and steps in one loop, flattened by hand; a tile is stored when its steps end."""
    steps, tiles = tl.cdiv(K, BK), tl.cdiv(M, BM) * tl.cdiv(N, BN)
    program = tl.program_id(0)
    count = tiles // PROGRAMS
    if program < tiles % PROGRAMS:
        count += 1
    tile, step = program - PROGRAMS, -1
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    rows, columns = m, n
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, steps * count):
        step = tl.where(step == steps - 1, 0, step + 1)
        if step == 0:
            tile += PROGRAMS
            row, column = swizzled(tile, M, N, BM, BN, 8)
            rows, columns = row * BM + m, column * BN + n
        at = step * BK + k
        a = tl.load(a_ptr + rows[:, None] * K + at[None, :])
        b = tl.load(b_ptr + columns[None, :] * K + at[:, None])
        acc = tl.dot(a, b, acc)
        if step == steps - 1:
            tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc.to(tl.float16))
            acc = tl.zeros((BM, BN), tl.float32)


@weft.jit
def persistent_descriptors(
    a_desc, b_desc, c_desc, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr,
    FLATTEN: tl.constexpr, HALVES: tl.constexpr,
):  # fmt: skip
    """Tiles in turn by descriptors of the host; the result is stored in one part or in two."""
    tiles, steps = tl.cdiv(M, BM) * tl.cdiv(N, BN), tl.cdiv(K, BK)
    after = tl.program_id(0) - PROGRAMS
    for tile in tl.range(tl.program_id(0), tiles, PROGRAMS, flatten=FLATTEN):
        row, column = swizzled(tile, M, N, BM, BN, 8)
        acc = tl.zeros((BM, BN), tl.float32)
        for step in range(steps):
            a = a_desc.load([row * BM, step * BK])
            b = b_desc.load([column * BN, step * BK])
            acc = tl.dot(a, b.T, acc)
        after += PROGRAMS
        row, column = swizzled(after, M, N, BM, BN, 8)
        if HALVES:
            parts = tl.permute(tl.reshape(acc, (BM, 2, BN // 2)), (0, 2, 1))
            left, right = tl.split(parts)
            c_desc.store([row * BM, column * BN], left.to(tl.float16))
            c_desc.store([row * BM, column * BN + BN // 2], right.to(tl.float16))
        else:
            c_desc.store([row * BM, column * BN], acc.to(tl.float16))


@weft.jit
def grouped_pointers(
    addresses_ptr, sizes_ptr, groups,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    """Products of different sizes; a table has the addresses of their matrices."""
    tile = tl.program_id(0)
    end = 0
    for group in range(groups):
        M = tl.load(sizes_ptr + group * 3)
        N = tl.load(sizes_ptr + group * 3 + 1)
        K = tl.load(sizes_ptr + group * 3 + 2)
        columns = tl.cdiv(N, BN)
        tiles = tl.cdiv(M, BM) * columns
        while tile >= end and tile < end + tiles:
            a_ptr = tl.load(addresses_ptr + group * 3).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(addresses_ptr + group * 3 + 1).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(addresses_ptr + group * 3 + 2).to(tl.pointer_type(tl.float16))
            m = (tile - end) // columns * BM + tl.arange(0, BM)
            n = (tile - end) % columns * BN + tl.arange(0, BN)
            k = tl.arange(0, BK)
            a_ptrs = a_ptr + m[:, None] * K + k[None, :]
            b_ptrs = b_ptr + k[:, None] * N + n[None, :]
            acc = tl.zeros((BM, BN), tl.float32)
            for _ in range(0, tl.cdiv(K, BK)):
                a_ptrs = tl.multiple_of(a_ptrs, [16, 16])
                b_ptrs = tl.multiple_of(b_ptrs, [16, 16])
                acc += tl.dot(tl.load(a_ptrs), tl.load(b_ptrs))
                a_ptrs += BK
                b_ptrs += BK * N
            tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(tl.float16))
            tile += PROGRAMS
        end += tiles


@weft.jit
def grouped_descriptors(
    addresses_ptr, sizes_ptr, groups,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    """The same by descriptors that the device makes for each product."""
    tile = tl.program_id(0)
    end = 0
    for group in range(groups):
        M = tl.load(sizes_ptr + group * 3)
        N = tl.load(sizes_ptr + group * 3 + 1)
        K = tl.load(sizes_ptr + group * 3 + 2)
        columns = tl.cdiv(N, BN)
        tiles = tl.cdiv(M, BM) * columns
        if tile >= end and tile < end + tiles:
            a_ptr = tl.load(addresses_ptr + group * 3).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(addresses_ptr + group * 3 + 1).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(addresses_ptr + group * 3 + 2).to(tl.pointer_type(tl.float16))
            a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
            b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
            c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
            while tile >= end and tile < end + tiles:
                m, n = (tile - end) // columns * BM, (tile - end) % columns * BN
                acc = tl.zeros((BM, BN), tl.float32)
                for step in range(0, tl.cdiv(K, BK)):
                    acc += tl.dot(a.load([m, step * BK]), b.load([n, step * BK]).T)
                c.store([m, n], acc.to(tl.float16))
                tile += PROGRAMS
        end += tiles


@weft.jit
def block_scaled_fp8(
    a_ptr, b_ptr, c_ptr, a_scale_ptr, b_scale_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """8-bit floats with a scale for each row's and each block's 128 elements of K."""
    row, column = swizzled(tl.program_id(0), M, N, BM, BN, 32)
    m = (row * BM + tl.arange(0, BM)) % M
    n = (column * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a_ptrs = a_ptr + m[:, None] * K + k[None, :]
    b_ptrs = b_ptr + n[None, :] * K + k[:, None]
    steps = tl.cdiv(K, BK)
    a_scales = a_scale_ptr + m * steps
    b_scales = b_scale_ptr + n // 128 * steps
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(0, steps):
        a = tl.load(a_ptrs, mask=k[None, :] < K - step * BK, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - step * BK, other=0.0)
        a_scale, b_scale = tl.load(a_scales + step), tl.load(b_scales + step)
        acc += tl.dot(a, b) * a_scale[:, None] * b_scale[None, :]
        a_ptrs += BK
        b_ptrs += BK
    m, n = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN)
    mask = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(tl.bfloat16), mask=mask)


@weft.jit
def int8_product(
    a_ptr, b_ptr, c_ptr, a_scale_ptr, b_scale_ptr, bias_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """8-bit integers, scales of rows and columns and a bias in the end."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.int32)
    for first in range(0, K, BK):
        mask_a = (m[:, None] < M) & ((first + k)[None, :] < K)
        mask_b = (n[None, :] < N) & ((first + k)[:, None] < K)
        a = tl.load(a_ptr + m[:, None] * K + (first + k)[None, :], mask=mask_a, other=0)
        b = tl.load(b_ptr + n[None, :] * K + (first + k)[:, None], mask=mask_b, other=0)
        acc = tl.dot(a, b, acc, out_dtype=tl.int32)
    a_scale = tl.load(a_scale_ptr + m, mask=m < M, other=0.0)
    b_scale = tl.load(b_scale_ptr + n, mask=n < N, other=0.0)
    bias = tl.load(bias_ptr + n, mask=n < N, other=0.0).to(tl.float32)
    c = acc.to(tl.float32) * a_scale[:, None] * b_scale[None, :] + bias[None, :]
    mask = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c_ptr + m[:, None] * N + n[None, :], c.to(tl.float16), mask=mask)


@weft.jit
def int4_weights(
    a_ptr, q_ptr, scale_ptr, zero_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """4-bit weights, eight to a word along K, with scales and zeros by groups of K (GPTQ)."""
    row, column = swizzled(tl.program_id(0), M, N, BM, BN, 8)
    m, n, k = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN), tl.arange(0, BK)
    a_ptrs = a_ptr + m[:, None] * K + k[None, :]
    q_ptrs = q_ptr + (k // 8)[:, None] * N + n[None, :]
    shift = (k % 8) * 4
    zero_shift = (n % 8) * 4
    acc = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        group = first // GROUP
        a = tl.load(a_ptrs, mask=m[:, None] < M, other=0.0)
        words = tl.load(q_ptrs)
        scale = tl.load(scale_ptr + group * N + n)
        zero = (tl.load(zero_ptr + group * (N // 8) + n // 8) >> zero_shift) & 0xF
        q = (words >> shift[:, None]) & 0xF
        w = (q - zero[None, :]).to(scale.dtype) * scale[None, :]
        acc = tl.dot(a, w, acc)
        a_ptrs += BK
        q_ptrs += BK // 8 * N
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(tl.float16), mask=m[:, None] < M)


@weft.jit
def int4_interleaved(
    a_ptr, q_ptr, scale_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """4-bit weights, two to a byte, taken apart by a join of both halves."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n, k, half = tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK), tl.arange(0, BK // 2)
    acc = tl.zeros((BM, BN), tl.float32)
    for first in tl.range(0, K, BK, num_stages=3):
        a = tl.load(a_ptr + m[:, None] * K + (first + k)[None, :])
        q = tl.load(q_ptr + n[:, None] * (K // 2) + (first // 2 + half)[None, :])
        low = ((q << 4) >> 4).to(tl.bfloat16)
        high = (q >> 4).to(tl.bfloat16)
        w = tl.reshape(tl.join(low, high), (BN, BK))
        scale = tl.load(scale_ptr + n * (K // BK) + first // BK)
        acc = tl.dot(a, tl.trans(w * scale[:, None]), acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(tl.bfloat16))


@weft.jit
def sorted_experts(
    a_ptr, b_ptr, c_ptr, weight_ptr, token_ptr, expert_ptr, padded_ptr, tokens, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TOP: tl.constexpr, WEIGHTED: tl.constexpr,
):  # fmt: skip
    """A mixture of experts: rows are tokens sorted by expert, blocks of rows share an expert."""
    row, column = swizzled(tl.program_id(0), tl.load(padded_ptr), N, BM, BN, 4)
    if row * BM >= tl.load(padded_ptr):
        return
    m = tl.load(token_ptr + row * BM + tl.arange(0, BM)).to(tl.int64)
    there = m < tokens
    expert = tl.load(expert_ptr + row).to(tl.int64)
    n, k = (column * BN + tl.arange(0, BN)) % N, tl.arange(0, BK)
    a_ptrs = a_ptr + m[:, None] // TOP * K + k[None, :]
    b_ptrs = b_ptr + expert * N * K + n[None, :] * K + k[:, None]
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        inside = k < K - step * BK
        a = tl.load(a_ptrs, mask=there[:, None] & inside[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=inside[:, None], other=0.0)
        acc += tl.dot(a, b)
        a_ptrs += BK
        b_ptrs += BK
    if WEIGHTED:
        acc *= tl.load(weight_ptr + m, mask=there, other=0.0)[:, None]
    columns = column * BN + tl.arange(0, BN)
    mask = there[:, None] & (columns[None, :] < N)
    tl.store(c_ptr + m[:, None] * N + columns[None, :], acc.to(c_ptr.dtype.element_ty), mask=mask)


@weft.jit
def expert_gather_descriptor(
    x_ptr, w_desc, row_ptr, y_ptr, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """Rows of tokens by a gather of a descriptor, weights by a descriptor of the host."""
    x = tl.make_tensor_descriptor(x_ptr, [K, K], [K, 1], [1, BK])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    rows = tl.load(row_ptr + m + tl.arange(0, BM))
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(x.gather(rows, k), w_desc.load([n, k]).T, acc)
    at = (m + tl.arange(0, BM))[:, None] * N + n + tl.arange(0, BN)[None, :]
    tl.store(y_ptr + at, acc.to(tl.bfloat16))


@weft.jit
def convolution(
    x_ptr, w_ptr, y_ptr, H, W, C, OH, OW, OC, pixels,
    KH: tl.constexpr, KW: tl.constexpr, STRIDE: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """A convolution as a product: pixels by channels, a loop over the window and the channels."""
    pixel = tl.program_id(0) * BM + tl.arange(0, BM)
    n, k = tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    image, y, x = pixel // (OH * OW), pixel // OW % OH, pixel % OW
    acc = tl.zeros((BM, BN), tl.float32)
    blocks = tl.cdiv(C, BK)
    for step in range(KH * KW * blocks):
        channel = step % blocks * BK + k
        i, j = step // blocks // KW, step // blocks % KW
        top, left = y * STRIDE - 1 + i, x * STRIDE - 1 + j
        at = ((image * H + top) * W + left)[:, None] * C + channel[None, :]
        inside = (top >= 0) & (top < H) & (left >= 0) & (left < W) & (pixel < pixels)
        a = tl.load(x_ptr + at, mask=inside[:, None] & (channel[None, :] < C), other=0.0)
        w_at = ((i * KW + j) * C + channel)[:, None] * OC + n[None, :]
        b = tl.load(w_ptr + w_at, mask=(channel[:, None] < C) & (n[None, :] < OC), other=0.0)
        acc += tl.dot(a, b)
    mask = (pixel[:, None] < pixels) & (n[None, :] < OC)
    tl.store(y_ptr + pixel[:, None] * OC + n[None, :], acc.to(tl.float16), mask=mask)


@weft.jit
def normed_product(
    x_ptr, g_ptr, w_ptr, y_ptr, N, K, eps, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """An RMS norm in the product: squares are summed beside the dot, rows scaled in the end."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n, k = tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    x_ptrs = x_ptr + m[:, None] * K + k[None, :]
    w_ptrs = w_ptr + k[:, None] * N + n[None, :]
    squares = tl.zeros((BM, BK), tl.float32)
    acc = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        x = tl.load(x_ptrs)
        g = tl.load(g_ptr + first + k)
        wide = x.to(tl.float32)
        squares += wide * wide
        acc = tl.dot((x * g[None, :]).to(x.dtype), tl.load(w_ptrs), acc)
        x_ptrs += BK
        w_ptrs += BK * N
    acc *= tl.rsqrt(tl.sum(squares, 1) / K + eps)[:, None]
    tl.store(y_ptr + m[:, None] * N + n[None, :], acc.to(y_ptr.dtype.element_ty))


@weft.jit
def product_then_norm(
    x_ptr, w_ptr, residual_ptr, g_ptr, b_ptr, y_ptr, K, eps,
    BM: tl.constexpr, N: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """A product of whole rows, a residual, and a layer norm of the sum."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n, k = tl.arange(0, N), tl.arange(0, BK)
    acc = tl.load(residual_ptr + m[:, None] * N + n[None, :]).to(tl.float32)
    for first in range(0, K, BK):
        x = tl.load(x_ptr + m[:, None] * K + (first + k)[None, :])
        w = tl.load(w_ptr + (first + k)[:, None] * N + n[None, :])
        acc = tl.dot(x, w, acc)
    mean = tl.sum(acc, 1) / N
    centered = acc - mean[:, None]
    rstd = tl.rsqrt(tl.sum(centered * centered, 1) / N + eps)
    y = centered * rstd[:, None] * tl.load(g_ptr + n)[None, :] + tl.load(b_ptr + n)[None, :]
    tl.store(y_ptr + m[:, None] * N + n[None, :], y.to(tl.float16))


@weft.jit
def gated_backward(
    dy_ptr,
    gate_ptr,
    up_ptr,
    w_ptr,
    dx_ptr,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """The gradient through a gate, made in the loop from three loads, times the weights."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n, k = tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        at = m[:, None] * K + (first + k)[None, :]
        dy, gate, up = tl.load(dy_ptr + at), tl.load(gate_ptr + at), tl.load(up_ptr + at)
        wide = gate.to(tl.float32)
        s = tl.sigmoid(wide)
        d = (dy * up * (s * (1 + wide * (1 - s)))).to(dy.dtype)
        w = tl.load(w_ptr + n[None, :] * K + (first + k)[:, None])
        acc = tl.dot(d, w, acc)
    tl.store(dx_ptr + m[:, None] * N + n[None, :], acc.to(tl.bfloat16))


@weft.jit
def batched_small(a_ptr, b_ptr, c_ptr, K, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """A batch of small products at once: dots of three dimensions in a loop."""
    b, m, n, k = tl.arange(0, B), tl.arange(0, M), tl.arange(0, N), tl.arange(0, 32)
    batch = (tl.program_id(0) * B + b)[:, None, None]
    acc = tl.zeros((B, M, N), tl.float32)
    for first in range(0, K, 32):
        x = tl.load(a_ptr + (batch * M + m[None, :, None]) * K + (first + k)[None, None, :])
        y = tl.load(b_ptr + (batch * K + (first + k)[None, :, None]) * N + n[None, None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c_ptr + (batch * M + m[None, :, None]) * N + n[None, None, :], acc)


_GEMM = "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16"
_STRIDED = f"{_GEMM}, i32:16, i32:16, i32:16"
TMA = ("cuda:90", "cuda:100")
FP8 = ("cuda:89", "cuda:90", "cuda:100", "hip:gfx950", "hip:gfx1201")

CASES = (
    (split_k, f"{_STRIDED}, 128, 128, 32, 4, constexpr", {"EVEN": True}, {}),
    (split_k, "*bf16:16, *bf16:16, *fp32:16, i32, i32:16, i32, i32:16, i32:16, i32:16, 16, 128, 64, 2, constexpr", {"EVEN": False}, {"num_stages": 4}),
    (stream_k, "*fp16:16, *fp16:16, *fp32:16, *i32:16, i32:16, i32:16, i32:16, i32, i32, 128, 128, 32", {}, {"num_warps": 8}),
    (persistent_pointers, f"{_STRIDED}, 128, 128, 64, 132, constexpr", {"FLATTEN": False}, {"num_warps": 8}),
    (persistent_pointers, f"{_STRIDED}, 128, 256, 64, 132, constexpr", {"FLATTEN": True}, {"num_warps": 8}),
    (persistent_single_loop, f"{_GEMM}, 128, 128, 64, 132", {}, {"num_warps": 8}),
    (persistent_descriptors, "tensordesc<fp16[128, 64]>, tensordesc<fp16[128, 64]>, tensordesc<fp16[128, 128]>, i32:16, i32:16, i32:16, 128, 128, 64, 132, constexpr, constexpr", {"FLATTEN": False, "HALVES": False}, {"num_warps": 8}, TMA),
    (persistent_descriptors, "tensordesc<fp16[128, 64]>, tensordesc<fp16[256, 64]>, tensordesc<fp16[128, 128]>, i32:16, i32:16, i32:16, 128, 256, 64, 132, constexpr, constexpr", {"FLATTEN": True, "HALVES": True}, {"num_warps": 8, "num_stages": 4}, TMA),
    (grouped_pointers, "*i64:16, *i32:16, i32, 128, 128, 32, 84", {}, {}),
    (grouped_descriptors, "*i64:16, *i32:16, i32, 128, 128, 64, 132", {}, {"num_warps": 8}, TMA),
    (block_scaled_fp8, "*fp8e4nv:16, *fp8e4nv:16, *bf16:16, *fp32:16, *fp32:16, i32, i32:16, i32:16, 64, 128, 128", {}, {}, FP8),
    (block_scaled_fp8, "*fp8e4nv:16, *fp8e4nv:16, *bf16:16, *fp32:16, *fp32:16, i32:16, i32:16, i32:16, 128, 128, 128", {}, {"num_warps": 8, "num_stages": 2}, FP8),
    (int8_product, "*i8:16, *i8:16, *fp16:16, *fp32:16, *fp32:16, *fp16:16, i32, i32:16, i32:16, 64, 128, 64", {}, {}),
    (int4_weights, "*fp16:16, *i32:16, *fp16:16, *i32:16, *fp16:16, i32, i32:16, i32:16, 16, 64, 64, 128", {}, {"num_warps": 2}),
    (int4_weights, "*fp16:16, *i32:16, *fp16:16, *i32:16, *fp16:16, i32, i32:16, i32:16, 64, 128, 32, 64", {}, {"num_stages": 4}),
    (int4_interleaved, "*bf16:16, *i8:16, *bf16:16, *bf16:16, i32:16, i32:16, i32:16, 64, 64, 64", {}, {}),
    (sorted_experts, "*bf16:16, *bf16:16, *bf16:16, *fp32:16, *i32:16, *i32:16, *i32:16, i32, i32:16, i32:16, 64, 64, 32, 2, constexpr", {"WEIGHTED": True}, {}),
    (sorted_experts, "*fp16:16, *fp16:16, *fp16:16, *fp32:16, *i32:16, *i32:16, *i32:16, i32, i32:16, i32:16, 16, 128, 128, 8, constexpr", {"WEIGHTED": False}, {"num_stages": 4}),
    (expert_gather_descriptor, "*bf16:16, tensordesc<bf16[128, 64]>, *i32:16, *bf16:16, i32:16, i32:16, 64, 128, 64", {}, {}, ("cuda:100",)),
    (convolution, "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32:16, i32, i32, i32:16, i32, 3, 3, 2, 64, 64, 32", {}, {}),
    (convolution, "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, i32:16, i32:16, i32:16, 3, 3, 1, 128, 128, 64", {}, {"num_warps": 8}),
    (normed_product, "*bf16:16, *bf16:16, *bf16:16, *bf16:16, i32:16, i32:16, fp32, 64, 128, 64", {}, {}),
    (product_then_norm, "*fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, *fp16:16, i32:16, fp32, 32, 256, 64", {}, {"num_warps": 8}),
    (gated_backward, "*bf16:16, *bf16:16, *bf16:16, *bf16:16, *bf16:16, i32:16, i32:16, 64, 128, 32", {}, {"num_warps": 8}),
    (batched_small, "*fp16:16, *fp16:16, *fp32:16, i32:16, 4, 32, 32", {}, {}),
)  # fmt: skip
