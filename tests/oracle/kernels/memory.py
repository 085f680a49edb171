"""Loads, stores and atomics of every width and shape of address: one idea per kernel."""

from __future__ import annotations

import weft
import weft.language as tl

# Triton refuses descriptors that a kernel makes on gfx1250.
POINTERS = (
    *("hip:gfx908", "hip:gfx90a", "hip:gfx942", "hip:gfx950", "hip:gfx1100", "hip:gfx1201"),
    *("cuda:80", "cuda:86", "cuda:89", "cuda:90", "cuda:100", "cuda:120"),
)


@weft.jit
def copy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """The plain masked copy, of any element type."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)


@weft.jit
def stores_of_widths(x_ptr, byte_ptr, half_ptr, word_ptr, wide_ptr, BLOCK: tl.constexpr):
    """One value stored at four widths: the widest per thread is shared or not."""
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(byte_ptr + at, x.to(tl.int8))
    tl.store(half_ptr + at, x.to(tl.float16))
    tl.store(word_ptr + at, x)
    tl.store(wide_ptr + at, x.to(tl.int64))


@weft.jit
def strided(x_ptr, out_ptr, stride, other_stride, M: tl.constexpr, N: tl.constexpr):
    """Strides that are known to be multiples, and one that is not known at all."""
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + i * stride + j)
    tl.store(out_ptr + i * other_stride + j * 2, x)


@weft.jit
def indirect(x_ptr, index_ptr, out_ptr, columns, M: tl.constexpr, N: tl.constexpr):
    """Rows at places that are loaded: contiguous along a row alone."""
    i, j = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N)
    row = tl.load(index_ptr + i)
    x = tl.load(x_ptr + row[:, None] * columns + j[None, :])
    tl.store(out_ptr + i[:, None] * columns + j[None, :], x)


@weft.jit
def far_offsets(x_ptr, out_ptr, stride, n, BLOCK: tl.constexpr):
    """Offsets of 64 bits, which buffers of 32 bits cannot hold."""
    base = tl.program_id(0).to(tl.int64) * stride
    at = base + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n, other=1.0), mask=at < n)


@weft.jit
def assumed(x_ptr, out_ptr, stride, rows, M: tl.constexpr, N: tl.constexpr):
    """Bounds that the author promises make offsets known to be positive and small."""
    tl.assume(stride > 0)
    tl.assume(rows >= 0)
    row = tl.program_id(0)
    tl.assume(row >= 0)
    tl.assume(row < 1024)
    i, j = row * M + tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + i * stride + j, mask=i < rows, other=0.0)
    tl.store(out_ptr + i * stride + j, x, mask=i < rows)


@weft.jit
def pointer_in_loop(x_ptr, out_ptr, steps, stride, BLOCK: tl.constexpr):
    """A tensor of pointers is carried and moved, by a step that differs."""
    ptrs, out = x_ptr + tl.arange(0, BLOCK), out_ptr + tl.arange(0, BLOCK)
    for step in range(steps):
        tl.store(out, tl.load(ptrs) + step)
        ptrs += stride
        out += BLOCK


@weft.jit
def pointer_from_condition(x_ptr, y_ptr, out_ptr, which, BLOCK: tl.constexpr):
    """A base pointer chosen by a condition, and one by a select."""
    at = tl.arange(0, BLOCK)
    base = x_ptr
    if which > 0:
        base = y_ptr
    ptrs = tl.where(at > which, x_ptr + at, y_ptr + at)
    tl.store(out_ptr + at, tl.load(base + at) + tl.load(ptrs))


@weft.jit
def pointer_in_while(x_ptr, out_ptr, end, BLOCK: tl.constexpr):
    """A while loop walks a pointer until a loaded value ends it."""
    ptrs = x_ptr + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    count = 0
    while count < end:
        acc += tl.load(ptrs)
        ptrs += BLOCK
        count += 1
    tl.store(out_ptr + tl.arange(0, BLOCK), acc)


@weft.jit
def pointers_from_memory(table_ptr, out_ptr, BLOCK: tl.constexpr):
    """Pointers kept in memory as numbers: nothing is known of them."""
    at = tl.arange(0, BLOCK)
    base = tl.load(table_ptr + tl.program_id(0)).to(tl.pointer_type(tl.float16))
    hinted = tl.multiple_of(base, 16)
    tl.store(out_ptr + at, tl.load(base + at) + tl.load(hinted + 4 * BLOCK + at))


@weft.jit
def atomics(x_ptr, float_ptr, int_ptr, half_ptr, n, M: tl.constexpr, N: tl.constexpr):
    """Atomics of three types over a tile, with and without results."""
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    at = i * N + j
    x = tl.load(x_ptr + at)
    tl.atomic_add(float_ptr + at, x, mask=at < n, sem="relaxed")
    old = tl.atomic_max(int_ptr + at, x.to(tl.int32))
    tl.atomic_add(half_ptr + at, old.to(tl.float16), mask=at < n)
    tl.atomic_and(int_ptr + at, 7, scope="cta")


@weft.jit
def compare_and_swap(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """A tensor of compare-and-swaps, the old values stored."""
    at = tl.arange(0, BLOCK)
    old = tl.atomic_cas(x_ptr + at, at, at + 1)
    tl.store(out_ptr + at, old)


@weft.jit
def modular(x_ptr, out_ptr, rows, M: tl.constexpr, N: tl.constexpr):
    """Rows taken modulo their number, with the contiguity that the author promises."""
    i = (tl.program_id(0) * M + tl.arange(0, M)) % rows
    i = tl.max_contiguous(tl.multiple_of(i, M), M)
    j = tl.arange(0, N)
    x = tl.load(x_ptr + i[None, :] + j[:, None] * rows)
    tl.store(out_ptr + i[None, :] + j[:, None] * rows, x, eviction_policy="evict_first")


@weft.jit
def descriptors(
    x_ptr, y_ptr, out_ptr, M, K, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """A product whose operands and result all go through descriptors made in the kernel."""
    x = tl.make_tensor_descriptor(x_ptr, [M, K], [K, 1], [BM, BK])
    y = tl.make_tensor_descriptor(y_ptr, [N, K], [K, 1], [BN, BK])
    out = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [BM, BN])
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        acc = tl.dot(x.load([row, first]), y.load([column, first]).T, acc)
    out.store([row, column], acc.to(out_ptr.dtype.element_ty))


@weft.jit
def cached(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    """Volatile, streaming and last-use loads side by side."""
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, volatile=True)
    y = tl.load(y_ptr + at, cache_modifier=".cg")
    z = tl.load(y_ptr + BLOCK + at, eviction_policy="evict_first")
    tl.store(out_ptr + at, x + y * z, cache_modifier=".wb")


CASES = (
    (copy, "*i8:16, *i8:16, i32:16, 1024", {}, {}),
    (copy, "*bf16:16, *bf16:16, i32:16, 1024", {}, {"num_warps": 2}),
    (copy, "*fp64:16, *fp64:16, i32:16, 512", {}, {}),
    (copy, "*i64, *i64, i64, 256", {}, {"num_warps": 16}),
    (copy, "*fp8e5:16, *fp8e5:16, i32, 64", {}, {"num_warps": 1}),
    (stores_of_widths, "*fp32:16, *i8:16, *fp16:16, *fp32:16, *i64:16, 1024", {}, {}),
    (strided, "*fp16:16, *fp16:16, i32:16, i32, 64, 64", {}, {}),
    (strided, "*fp32:16, *fp32:16, i32, i32:16, 16, 256", {}, {"num_warps": 8}),
    (indirect, "*fp16:16, *i64:16, *fp16:16, i32:16, 16, 128", {}, {}),
    (far_offsets, "*fp32:16, *fp32:16, i64:16, i64, 512", {}, {}),
    (assumed, "*fp16:16, *fp16:16, i32:16, i32, 32, 64", {}, {}),
    (pointer_in_loop, "*fp32:16, *fp32:16, i32, i32:16, 256", {}, {}),
    (pointer_from_condition, "*fp32:16, *fp32:16, *fp32:16, i32, 256", {}, {}),
    (pointer_in_while, "*fp32:16, *fp32:16, i32, 256", {}, {}),
    (pointers_from_memory, "*i64, *fp16:16, 256", {}, {}),
    (atomics, "*fp32:16, *fp32:16, *i32:16, *fp16:16, i32, 16, 64", {}, {}),
    (compare_and_swap, "*i32:16, *i32:16, 256", {}, {}),
    (modular, "*fp16:16, *fp16:16, i32, 64, 32", {}, {}),
    (
        descriptors,
        "*fp16:16, *fp16:16, *fp16:16, i32, i32:16, i32:16, 64, 64, 64",
        {},
        {},
        POINTERS,
    ),
    (cached, "*fp32:16, *fp32:16, *fp32:16, 512", {}, {}),
)
