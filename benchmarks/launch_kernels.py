"""Kernels that do next to nothing, to time how long it takes to launch them."""

import weft
import weft.language as tl


@weft.jit
def four_arguments(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@weft.jit
def twelve_arguments(a, b, c, d, e, out, n, m, k, p, q, r, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    total = tl.load(a + i, mask=inside) + tl.load(b + i, mask=inside) + tl.load(c + i, mask=inside)
    total += tl.load(d + i, mask=inside) + tl.load(e + i, mask=inside) + m + k + p + q + r
    tl.store(out + i, total, mask=inside)


@weft.jit
def of_tuple(pair, out, sizes, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < sizes[0]
    total = tl.load(pair[0] + i, mask=inside) + tl.load(pair[1] + i, mask=inside) + sizes[1]
    tl.store(out + i, total, mask=inside)


@weft.jit
def of_bfloat16(x, y, out, n, factor: tl.bfloat16, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    total = tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside) * factor
    tl.store(out + i, total, mask=inside)


@weft.jit
def of_descriptors(x, out, BLOCK: tl.constexpr):
    out.store([0, 0], x.load([0, 0]))
