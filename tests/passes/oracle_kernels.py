"""Small Triton kernels that between them reach every TTIR pass: one idea per kernel.

`KERNELS` maps a name to a `Case`: the kernel, Triton's AOT signature of its parameters in order and
the values of its constexpr parameters.  Imported only where Triton is installed (marker `oracle`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import triton
import triton.language as tl
from triton.language.extra import libdevice

KERNELS: dict[str, Case] = {}


@dataclass(frozen=True)
class Case:
    """Name a kernel, the types of its parameters (`*fp32:16` is divisible by 16) and constexprs."""

    kernel: Any
    signature: str
    constexprs: dict[str, object] = field(default_factory=dict)
    backends: tuple[str, ...] = ("cuda", "hip")


def case(
    signature: str, backends: tuple[str, ...] = ("cuda", "hip"), **constexprs: object
) -> Callable[[Any], Any]:
    """Register the decorated kernel under its own name."""

    def register(kernel: Any) -> Any:
        KERNELS[kernel.__name__] = Case(kernel, signature, constexprs, backends)
        return kernel

    return register


# ------------------------------------------------------------------------------ functions called
@triton.jit
def square_plus(x, y):
    return x * x + y


@triton.jit
def twice(x, y):
    return square_plus(square_plus(x, y), x)


@triton.jit
def clip_early(x, limit):
    if limit < 0:
        return x * 0
    return tl.minimum(x, limit)


@triton.jit
def choose_early(x, kind):
    if kind == 0:
        return x
    if kind == 1:
        return x + 1
    return x * 2


@triton.jit(noinline=True)
def kept_out_of_line(x, y):
    return x + y * 2


@triton.jit
def add_pair(a0, a1, b0, b1):
    return a0 * b0, a1 * b0 + b1


@triton.jit
def larger_with_index(v, i, w, j):
    take = (v > w) | ((v == w) & (i < j))
    return tl.where(take, v, w), tl.where(take, i, j)


@triton.jit
def two_values(x):
    return x + 1, x - 1


# --------------------------------------------------------------------------------- straight lines
@case("*fp32:16, *fp32:16, *fp32:16, i32", BLOCK=256)
@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@case("*fp16:16, *fp32:16, i32, i32:16", ROWS=16, COLS=32)
@triton.jit
def tile_copy(x, out, rows, stride, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.program_id(1) * COLS + tl.arange(0, COLS)
    at = r[:, None] * stride + c[None, :]
    inside = (r[:, None] < rows) & (c[None, :] < stride)
    tile = tl.load(x + at, mask=inside, other=0.0)
    tl.store(out + at, tile.to(tl.float32) * 2.0, mask=inside)


@case("*i32:16, *i32:16, i32, i32", BLOCK=64)
@triton.jit
def integer_math(x, out, a, b, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    v = (v + 0) * 1 + v // 3 - v % 5 + (v << 2) + (v >> 1) + (v & 255) + (v | 1) + (v ^ v)
    v += a // b + a % b + tl.cdiv(a, 16) * 16 + (-a) + (~b)
    v = tl.maximum(v, 0) + tl.minimum(v, 100) + tl.abs(v)
    tl.store(out + i, v)


@case("*u32:16, *u32:16, u32, u8", BLOCK=64)
@triton.jit
def unsigned_math(x, out, a, b, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    v = v // 3 + v % 7 + (v >> 3) + tl.maximum(v, a) + tl.umulhi(v, a) + b
    tl.store(out + i, tl.where(v > a, v, v * 2))


@case("*fp32:16, *i8:16, *bf16:16, *i64:16, fp32", BLOCK=64)
@triton.jit
def casts(x, small, half, wide, scale, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(small + i, (v * scale).to(tl.int8))
    tl.store(half + i, v.to(tl.bfloat16).to(tl.float32).to(tl.bfloat16))
    w = tl.load(wide + i).to(tl.int32).to(tl.int64) + v.to(tl.int32, bitcast=True).to(tl.int64)
    tl.store(wide + i, w + (i > 3).to(tl.int64) + tl.load(small + i).to(tl.uint8).to(tl.int64))


@case("*fp8e5:16, *fp16:16, *fp32:16", BLOCK=64)
@triton.jit
def fp8_casts(x, half, full, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(half + i, v.to(tl.float16) + 1.0)
    tl.store(x + i, tl.load(full + i).to(tl.float8e5, fp_downcast_rounding="rtne"))


@case("*fp32:16, *fp32:16", BLOCK=128)
@triton.jit
def float_math(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    v = tl.exp(v) + tl.log(v) + tl.sqrt(tl.abs(v)) + tl.sin(v) * tl.cos(v) + tl.rsqrt(v)
    v = tl.exp2(v) - tl.log2(v) + tl.floor(v) + tl.ceil(v) + tl.erf(v) + tl.fma(v, v, v)
    v = tl.sigmoid(v) + tl.clamp(v, -1.0, 1.0) + tl.math.div_rn(v, 3.0) + tl.sqrt_rn(v)
    v = tl.maximum(v, 0.5) + tl.minimum(v, 2.5) + (-v) + v / 3.0 + v % 2.0
    tl.store(out + i, v)


@case("*fp32:16, *fp32:16", BLOCK=128)
@triton.jit
def libdevice_math(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(out + i, libdevice.tanh(v) + libdevice.pow(v, v))


@case("*fp32:16, *i1:16, i32, i32", BLOCK=64)
@triton.jit
def masks(x, flags, lo, hi, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    m = (i >= lo) & (i < hi) & (i >= 0)
    m = m & tl.load(flags + i)
    v = tl.load(x + i, mask=m, other=float("-inf"))
    v = tl.where(m, v, 0.0)
    v = tl.where(i == i, v, 1.0)
    tl.store(x + i, v, mask=m | (i == 7))


@case("*fp32:16, *fp32:16", N=64)
@triton.jit
def constant_masks(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    all_true = tl.full([N], 1, tl.int1)
    all_false = tl.full([N], 0, tl.int1)
    a = tl.load(x + i, mask=all_true)
    b = tl.load(x + i, mask=all_false, other=3.0)
    tl.store(out + i, a + b, mask=all_true)
    tl.store(out + i, a, mask=all_false)


# ---------------------------------------------------------------------------- shapes and tensors
@case("*fp32:16, *fp32:16", M=16, N=32)
@triton.jit
def transposes(x, out, M: tl.constexpr, N: tl.constexpr):
    r = tl.arange(0, M)[:, None]
    c = tl.arange(0, N)[None, :]
    v = tl.load(x + r * N + c)
    t = tl.trans(tl.trans(v)) + v
    u = tl.reshape(tl.reshape(t, (N, M)), (M, N))
    tl.store(out + tl.trans(r * N + c), tl.trans(u))
    w = tl.permute(tl.reshape(v, (M, 2, N // 2)), (1, 0, 2))
    tl.store(out + tl.arange(0, M * N), tl.ravel(w))


@case("*fp32:16, *fp32:16", N=32)
@triton.jit
def cat_join_split(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(x + N + i)
    j = tl.join(a, b)
    p, q = tl.split(j)
    both = tl.cat(p, q, can_reorder=True)
    tl.store(out + tl.arange(0, 2 * N), both + tl.interleave(a, b))


@case("*fp32:16, fp32, i32", M=16, N=32)
@triton.jit
def broadcasts(out, s, k, M: tl.constexpr, N: tl.constexpr):
    z = tl.zeros((M, N), tl.float32) + s
    row = tl.broadcast_to(tl.full((1, N), 2.0, tl.float32), (M, N))
    col = (tl.arange(0, M) + k)[:, None].to(tl.float32)
    e = tl.exp(tl.broadcast_to(col, (M, N))) + tl.broadcast_to(col * 2.0, (M, N))
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.abs(z) * row + e)


@case("*fp32:16, *i32:16, *fp32:16", M=32, N=16)
@triton.jit
def gathers(x, index, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.gather(tl.load(x + at), tl.load(index + at), 0))


@case("*i32:16, *i32:16", N=128, BINS=16)
@triton.jit
def histograms(x, out, N: tl.constexpr, BINS: tl.constexpr):
    h = tl.histogram(tl.load(x + tl.arange(0, N)), BINS)
    tl.atomic_add(out + tl.arange(0, BINS), h)


# ----------------------------------------------------------------------------- reduce, scan, sort
@case("*fp32:16, *fp32:16, *i32:16", M=16, N=64)
@triton.jit
def reductions(x, out, index, M: tl.constexpr, N: tl.constexpr):
    r = tl.arange(0, M)
    v = tl.load(x + r[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out + r, tl.sum(v, 1) + tl.max(v, 1) - tl.min(v, 1))
    tl.store(index + r, tl.argmax(v, 1))
    tl.store(out, tl.sum(tl.sum(v, 0), 0))
    best, where = tl.reduce((tl.max(v, 0), tl.arange(0, N)), 0, larger_with_index)
    tl.store(out + where, best)


@case("*fp32:16, *fp32:16", M=16, N=64)
@triton.jit
def scans(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    tl.store(out + at, tl.cumsum(v, 1) + tl.cumprod(v, 0, reverse=True))
    a, b = tl.associative_scan((v, v * 2.0), 1, add_pair)
    tl.store(out + at, a + b)


@case("*i32:16", N=16)
@triton.jit
def sorts(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i, tl.sort(tl.load(x + i), descending=True))


@case("*fp16:16, *fp16:16, i32, i32", BLOCK=256)
@triton.jit
def softmax_rows(x, out, stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + c, mask=c < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * stride + c, e / tl.sum(e, axis=0), mask=c < cols)


# ----------------------------------------------------------------------------------- control flow
@case("*fp32:16, *fp32:16, i32, i32:16", BLOCK=128)
@triton.jit
def loop_sum(x, out, n, step, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    unused = tl.zeros((BLOCK,), tl.float32)
    for k in range(0, n, BLOCK):
        scale = step * 2 + 1
        acc += tl.load(x + k + i, mask=k + i < n, other=0.0) * scale
        unused += acc
    tl.store(out + i, acc)


@case("*fp32:16, *fp32:16, i32", BLOCK=64)
@triton.jit
def loop_once(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.load(x + i)
    same = n + 1
    for k in range(0, 1):
        acc += tl.load(x + i + k * n)
    for _ in range(5, 5):
        acc *= 2.0
    for _ in range(0, 4):
        acc += same
        same = n + 1
    for _ in range(0, n):
        n = n
    for k in tl.static_range(3):
        acc += tl.load(x + i + k * 16)
    tl.store(out + i, acc)


@case("*i32:16, *i32:16, i32, i64", BLOCK=64)
@triton.jit
def nested_loops(x, out, n, m, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.int32)
    count = 0
    for a in range(n):
        for b in range(0, m, 2):
            total += tl.load(x + i + a * 64 + b) + n * 3
            count += 1
        if a % 2 == 0:
            total -= count
    tl.store(out + i, total + count)


@case("*fp32:16, *fp32:16, i32, i32", BLOCK=64)
@triton.jit
def conditionals(x, out, n, kind, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    w = v
    if kind == 0:
        v = v * 2.0
        w = v
    elif kind == 1:
        v = v + 1.0
    else:
        w = w - 1.0
    y = n if n > 3 else kind
    z = 1 if kind > 0 else 0
    if n > 100:
        tl.store(out, 0.0)
    tl.store(out + i, v + w + y + z)


@case("*fp32:16, *fp32:16, i32, i32", BLOCK=64, FLAG=True)
@triton.jit
def constant_conditions(x, out, n, one, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    if FLAG:
        v = v + 1.0
    if n >= n:
        v = v * 3.0
    flag = n == n
    if flag and one > 0:
        v = v - 5.0
    if not flag:
        v = v / 3.0
    tl.store(out + i, v)


@case("*fp32:16, i32", BLOCK=64)
@triton.jit
def early_return(x, n, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    if p >= n:
        return
    i = p * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    if n == 5:
        tl.store(x + i, v)
        return
    tl.store(x + i, v * 2.0)


@case("*i32:16, i32, i32", BLOCK=32)
@triton.jit
def while_loops(x, n, limit, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    k = 0
    total = tl.zeros((BLOCK,), tl.int32)
    while k < n:
        total += tl.load(x + i + k)
        k += 2
    steps = 0
    while steps < 100 and limit > 1:
        limit = limit // 2
        steps += 1
    tl.store(x + i, total + steps)


@case("*fp32:16, *i32:16, i32", BLOCK=64)
@triton.jit
def calls(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    v = twice(v, 3.0) + square_plus(v, v)
    w = clip_early(tl.load(y + i), n)
    w = choose_early(w, n) + choose_early(w, 1)
    a, b = two_values(w)
    tl.store(x + i, v)
    tl.store(y + i, a * b)


@case("*fp32:16, i32", BLOCK=64)
@triton.jit
def calls_in_loop(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    for k in range(n):
        v = choose_early(v, 0) + clip_early(v, 3.0)
        if k == 3:
            v = square_plus(v, v)
    tl.store(x + i, v)


@case("*i32:16, i32", BLOCK=64)
@triton.jit
def calls_out_of_line(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(x + i, v + kept_out_of_line(n, n) + square_plus(kept_out_of_line(n, n + 1), 2))


@case("*i32:16, *i32:16, i32")
@triton.jit
def until_first_hit(x, out, n):
    hit = False
    for i in range(n):
        if not hit:
            hit = tl.load(x + i) < 3
    if not hit:
        tl.store(out, n)


# -------------------------------------------------------------------------------- memory, atomics
@case("*fp32:16, *i32:16, *i64:16, i32", BLOCK=64)
@triton.jit
def atomics(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.atomic_add(x + i, 1.0, mask=i < n)
    tl.atomic_max(y + i, n)
    tl.atomic_min(x + i, v, sem="relaxed")
    tl.atomic_xchg(z, 3)
    tl.atomic_cas(y, 0, n)
    tl.atomic_or(y + 1, 7, scope="cta")


@case("*fp32:16, *i64:16, i32, i64", BLOCK=64)
@triton.jit
def pointers(x, table, n, offset, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    p = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    q = x + offset + 0
    q = q + n + 4
    q += i
    q += 16
    v = tl.load(q + 8, cache_modifier=".cg", eviction_policy="evict_last", volatile=True)
    tl.store(p + i, v, cache_modifier=".wb")
    u = tl.load(x.to(tl.pointer_type(tl.int32)) + i)
    tl.store(x + i, u.to(tl.float32, bitcast=True))
    tl.debug_barrier()


@case("*fp32:16, i32", BLOCK=64)
@triton.jit
def hints_and_asserts(x, n, BLOCK: tl.constexpr):
    i = tl.multiple_of(tl.max_contiguous(tl.arange(0, BLOCK), BLOCK), BLOCK)
    tl.assume(n > 0)
    tl.device_assert(n < 1000, "too many")
    v = tl.load(x + i)
    tl.device_print("v", v)
    tl.store(x + i, v)
    dead = tl.load(x + i + n)
    dead += 1.0


@case("*i32:16", backends=("cuda",), BLOCK=64)
@triton.jit
def inline_assembly(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    w = tl.inline_asm_elementwise(
        "shf.l.wrap.b32 $0, $1, $2, $3;",
        "=r,r,r,r",
        [v, v, i],
        dtype=tl.int32,
        is_pure=True,
        pack=1,
    )
    tl.store(x + i, w)


@case("*fp32:16, i32", BLOCK=64)
@triton.jit
def random_numbers(x, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.rand(seed, i) + tl.randn(seed, i))


# ------------------------------------------------------------------------------------------- dots
@case("*fp16:16, *fp16:16, *fp32:16, i32, i32, i32:16, i32:16", BM=32, BN=32, BK=32, GROUP=4)
@triton.jit
def matmul(
    a,
    b,
    c,
    m,
    n,
    k,
    stride,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
):
    pid = tl.program_id(0)
    across = tl.cdiv(n, BN)
    group = pid // (GROUP * across)
    first = group * GROUP
    size = min(tl.cdiv(m, BM) - first, GROUP)
    pm = first + (pid % (GROUP * across)) % size
    pn = (pid % (GROUP * across)) // size
    rm = (pm * BM + tl.arange(0, BM)) % m
    rn = (pn * BN + tl.arange(0, BN)) % n
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * stride + rk[None, :]
    pb = b + rk[:, None] * stride + rn[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(k, BK)):
        x = tl.load(pa, mask=rk[None, :] < k - step * BK, other=0.0)
        y = tl.load(pb, mask=rk[:, None] < k - step * BK, other=0.0)
        acc += tl.dot(x, y)
        pa += BK
        pb += BK * stride
    out = pm * BM + tl.arange(0, BM)
    tl.store(c + out[:, None] * stride + rn[None, :], acc, mask=out[:, None] < m)


@case("*bf16:16, *bf16:16, *bf16:16, i32", N=16)
@triton.jit
def dot_of_trans(a, b, c, n, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(a + at)
    y = tl.load(b + at)
    s = tl.dot(x, tl.trans(y)) + 0.0
    s = s + tl.dot(x, y)
    p = tl.dot(s.to(tl.bfloat16), y, input_precision="ieee")
    p = tl.dot(x, y, acc=p)
    tl.store(c + at, p.to(tl.bfloat16))


@case("*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, fp32", M=64, N=32, D=32, CAUSAL=True)
@triton.jit
def attention(
    q,
    k,
    v,
    o,
    length,
    scale,
    M: tl.constexpr,
    N: tl.constexpr,
    D: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    row = tl.program_id(0) * M + tl.arange(0, M)
    col = tl.arange(0, N)
    d = tl.arange(0, D)
    tile = tl.load(q + row[:, None] * D + d[None, :], mask=row[:, None] < length, other=0.0)
    top = tl.zeros((M,), tl.float32) - float("inf")
    norm = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    last = tl.minimum((tl.program_id(0) + 1) * M, length) if CAUSAL else length
    for start in range(0, last, N):
        start = tl.multiple_of(start, N)
        keys = tl.load(k + (start + col)[None, :] * D + d[:, None])
        s = tl.dot(tile, keys) * (scale * 1.44269504)
        if CAUSAL:
            s = tl.where(row[:, None] >= (start + col)[None, :], s, float("-inf"))
        high = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - high[:, None])
        shrink = tl.exp2(top - high)
        norm = norm * shrink + tl.sum(p, 1)
        acc = acc * shrink[:, None]
        values = tl.load(v + (start + col)[:, None] * D + d[None, :])
        acc = tl.dot(p.to(tl.float16), values, acc)
        top = high
    acc = acc / norm[:, None]
    tl.store(o + row[:, None] * D + d[None, :], acc.to(tl.float16), mask=row[:, None] < length)


@case("*fp32:16, *fp32:16, *fp32:16, i32", K=32)
@triton.jit
def sum_of_products(a, b, c, n, K: tl.constexpr):
    i = tl.arange(0, K)
    x = tl.load(a + i[:, None] * K + i[None, :])
    y = tl.load(b + i[:, None] * K + i[None, :])
    r = tl.sum(x[:, :, None] * y[None, :, :], axis=1)
    tl.store(c + i[:, None] * K + i[None, :], r)


@case("*fp32:16, *fp32:16, *fp32:16, *fp32:16, i32, i32, fp32", BLOCK=128)
@triton.jit
def layer_norm(x, w, b, out, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    mean_of = tl.zeros([BLOCK], tl.float32)
    for off in range(0, n, BLOCK):
        c = off + tl.arange(0, BLOCK)
        mean_of += tl.load(x + row * stride + c, mask=c < n, other=0.0)
    mean = tl.sum(mean_of, axis=0) / n
    var_of = tl.zeros([BLOCK], tl.float32)
    for off in range(0, n, BLOCK):
        c = off + tl.arange(0, BLOCK)
        v = tl.load(x + row * stride + c, mask=c < n, other=0.0)
        v = tl.where(c < n, v - mean, 0.0)
        var_of += v * v
    inverse = 1 / tl.sqrt(tl.sum(var_of, axis=0) / n + eps)
    for off in range(0, n, BLOCK):
        c = off + tl.arange(0, BLOCK)
        v = tl.load(x + row * stride + c, mask=c < n, other=0.0)
        y = (v - mean) * inverse * tl.load(w + c, mask=c < n) + tl.load(b + c, mask=c < n)
        tl.store(out + row * stride + c, y, mask=c < n)


# ------------------------------------------------------------- block pointers, descriptors, unroll
@case("*fp16:16, *fp16:16, i32, i32:16", M=32, N=32)
@triton.jit
def block_pointers(x, out, rows, cols, M: tl.constexpr, N: tl.constexpr):
    p = tl.make_block_ptr(x, (rows, cols), (cols, 1), (0, 0), (M, N), (1, 0))
    o = tl.make_block_ptr(out, (rows, cols), (cols, 1), (0, 0), (M, N), (1, 0))
    for _ in range(0, cols, N):
        v = tl.load(p, boundary_check=(0, 1), padding_option="zero")
        tl.store(o, v + 1.0, boundary_check=(0,))
        p = tl.advance(p, (0, N))
        o = tl.advance(o, (0, N))


@case("*fp32:16, *fp32:16, i32, i32:16", M=32, N=32)
@triton.jit
def tensor_descriptors(x, out, rows, cols, M: tl.constexpr, N: tl.constexpr):
    p = tl.make_tensor_descriptor(x, (rows, cols), (cols, 1), (M, N))
    o = tl.make_tensor_descriptor(out, (rows, cols), (cols, 1), (M, N))
    for j in range(0, cols, N):
        o.store([0, j], p.load([0, j]) * 2.0)


@case("*fp32:16, i32", BLOCK=64)
@triton.jit
def unrolled_loop(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    for k in tl.range(0, n, loop_unroll_factor=4):
        v += tl.load(x + i + k)
    for _ in tl.range(0, n, num_stages=3, flatten=True):
        v *= 2.0
    tl.store(x + i, v)
