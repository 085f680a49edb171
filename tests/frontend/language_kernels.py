# ruff: noqa: B007, F841, RUF005, RUF059 - kernels that bind names for the binding's sake
"""Kernels that each use one feature of the language, to be compiled by weft and by Triton.

No module of weft but these two may be imported here: Triton's replace them.
"""

import math
from collections import namedtuple

import weft
import weft.language as tl

FACTOR = tl.constexpr(4)
Pair = namedtuple("Pair", ["low", "high"])


@weft.jit
def scale(a, by=3, B: tl.constexpr = 5):  # pyright: ignore[reportArgumentType]
    return a * by + B


@weft.jit
def sign(n):
    if n > 0:
        return 1
    elif n < 0:
        return -1
    return 0


@weft.jit
def constant_result(n, N: tl.constexpr):
    return n, N, None


@weft.jit
def apply(n, function: tl.constexpr):
    return function(n)


@weft.jit
def add(a, b):
    return a + b


@weft.jit(noinline=True)
def kept(a, b, t, C: tl.constexpr):
    return a + b + t[0]


@weft.jit
def merges(p, n, m):
    c = n
    a = m
    b = 3
    if n > 3:
        z = 1
        y = 2
        b = 4
        x = 7
        c = 5
    else:
        y = 3
        x = 5
        z = 9
        a = 7
    tl.store(p, x + y * 2 + z * 3 + a * 4 + b * 5 + c * 6)


@weft.jit
def merges_blocks(p, n, m):
    c = n
    a = m
    if n > 3:
        z = 1
        y = 2
        c = 5
        if m > 3:
            return
    else:
        y = 3
        z = 9
        a = 7
    tl.store(p, y + z * 3 + a * 4 + c * 6)


@weft.jit
def early_return(p, n, m):
    if n > 3:
        tl.store(p, 1)
        return
    tl.store(p, m)


@weft.jit
def returns_on_every_way(p, n, m):
    if n > 3:
        x = tl.load(p + n)
        if m >= x:
            return
        tl.store(p, x + m)
        return
    x = tl.load(p + m)
    if m >= x:
        return
    tl.store(p, x - m)


@weft.jit
def elifs(p, n, m):
    if n > 3:
        x = 1
    elif n > 2:
        x = 2
    else:
        x = m
    tl.store(p, x)


@weft.jit
def integer_condition(p, n, m):
    if n:
        tl.store(p, m)


@weft.jit
def conditional_expressions(p, n, m):
    x = n if n > 3 else m
    y = n if tl.load(p) > 3 else 4
    z = 3 if m is None else 5
    w = (n if n > 4 else m) if x == 4 else 3
    tl.store(p, x + y + z + w)  # pyright: ignore[reportOperatorIssue]


@weft.jit
def booleans(p, n, m):
    a = n > 3 and m < 4
    b = not a or n == 3
    if a and b and m > 7:
        tl.store(p, n)
    on: tl.constexpr = True
    if on and n > 8:
        tl.store(p, 3)
    if on or n > 9:
        tl.store(p, 4)
    if not on:
        tl.store(p, 5)
    if on and m:
        tl.store(p, 6)


@weft.jit
def counts(p, n, m):
    total = 0
    for i in range(n, m, -1):
        total += i
    for j in range(5, 0, -2):
        total += j
    for k in tl.range(
        0,
        n,
        2,
        num_stages=3,
        loop_unroll_factor=1,
        flatten=True,
        disallow_acc_multi_buffer=True,
        warp_specialize=False,
    ):
        total += k
    for k in tl.range(n, num_stages=2):
        total += k
    for k in tl.static_range(3):
        total += k
    tl.store(p, total)


@weft.jit
def nests(p, n, m):
    b = n
    a = m
    for i in range(n):
        a = a + 1
        if a > 3:
            b = b + a
            c = b
        else:
            c = a
        for j in range(m):
            b = b + c
            a += j
        d = b
    tl.store(p, a + b)


@weft.jit
def wide_counter(p, n, m):
    x = tl.full((), 0, tl.int64)
    for i in range(tl.cdiv(n, 4), x, 3):
        x += i
    for i in range(0, n.to(tl.uint32)):
        x += i
    tl.store(p, x)


@weft.jit
def carries(p, n, m):
    a = True
    b = 1.5
    c = 3
    t = (n, m)
    u = (n, 3)
    for i in range(n):
        a = a & (i > 3)
        b += 1
        c += 1
        t = (t[0] + 1, t[1] + i)
        u = (u[0], 4)
        m = m
    if n > 3:
        t = (t[0], t[0])
    tl.store(p, a)
    tl.store(p, b.to(tl.int32) + c + t[0] + t[1] + u[1])  # pyright: ignore[reportAttributeAccessIssue]


@weft.jit
def loops_while(p, n, m):
    x = n
    while x > 3 and m < 4:
        x = x - 1
        y = x
        m += y
    while x < 10:
        for j in tl.static_range(2):
            x += j
        if x > 5:
            x = x * 2
    tl.store(p, x + m)


@weft.jit
def hints_in_a_loop(p, n, m):
    a = tl.multiple_of(n, 16)
    for i in range(n):
        m = m + a
    tl.store(p, m)


@weft.jit
def counter_rebound(p, n, m):
    for i in range(n):
        i = i + 1
        tl.store(p, i)
    for i in range(m - 3):
        tl.store(p, i)
    for i in range(0, 10, m):
        tl.store(p, i)


@weft.jit
def static_return(p, n, m):
    stop: tl.constexpr = 3
    if stop == 3:
        if n > 2:
            return
        tl.store(p, m)
        return
    tl.store(p, 3)


@weft.jit
def returns_from_static_loop(p, n, m):
    for i in tl.static_range(2):
        if n > i:
            return
        tl.store(p, i)


@weft.jit
def calls(p, n, m):
    x = scale(n) + scale(n, 4) + scale(n, m) + scale(B=7, a=n)
    y, z, w = constant_result(n, 8)
    tl.store(p, x + y + z + sign(m) + apply(n, scale) + add(*(n, m)))


@weft.jit
def calls_kept(p, n, m):
    x = kept(n, 1, (m, 3), C="abc")
    y = kept(n, 1.0, (m, None), tl.float32).to(tl.int32)
    z = kept(tl.load(p), True, (m, None), None)
    tl.store(p, x + y + z)


@weft.jit
def call_in_a_branch(p, n, m):
    x = 0
    if n > 4:
        x = scale(n)
    tl.store(p, x)


@weft.jit
def tuples(p, n, m):
    t = (n, m, 3)
    a, b, c = t
    u = t[1:]
    v = t + (4,)
    w = [k + 1 for k in (n, m)]
    q = Pair(n, high=m)
    tl.store(p, a + b * c + u[0] + u[-1] + v[3] + w[1] + q.high)
    for k in tl.static_range(len(t)):
        tl.store(p + k, t[k])


@weft.jit
def constants(p, n, m):
    x: tl.constexpr = min(3, 4)
    y: tl.constexpr = x // 2 + (1 << 3)
    z: tl.constexpr = y if y > 3 else 0
    w: tl.constexpr = -z
    v: tl.constexpr = float("inf")
    tl.static_assert(1 < 2)
    tl.store(p, w + FACTOR + (v + math.pi).to(tl.int32) if n is None else w + FACTOR)  # pyright: ignore[reportAttributeAccessIssue]


@weft.jit
def python_functions(p, n, m):
    tl.store(p, min(n, m) + max(n, 3) + min(3, 4) + int(3.5) + len((n, m)))
    if isinstance(n, tl.tensor):
        tl.store(p, 3)


@weft.jit
def types(p, n, m):
    x = tl.load(p)
    y = x.to(p.dtype.element_ty)
    z: tl.constexpr = p.type.element_ty.primitive_bitwidth
    s = tl.arange(0, 4)
    q: tl.constexpr = s.shape[0]
    tl.store(p, y + z + q)
    if n.dtype is tl.int32:
        tl.store(p, 4)
    if p.dtype != tl.pointer_type(tl.int32):
        tl.store(p, 5)


@weft.jit
def reduces(p, n, m):
    x = tl.arange(0, 16)
    total = tl.sum(x) + tl.reduce(x, 0, add) + x.sum()
    tl.store(p + x, tl.associative_scan(x, 0, add) + total)


@weft.jit
def prints(p, n, m):
    print("n", n)
    tl.device_print("m", n, m)


@weft.jit
def stays_shut(p, n, m):
    shut = False
    for i in range(n):
        if not shut:
            shut = tl.load(p + i) < m
    if not shut:
        tl.store(p, m)


@weft.jit
def packed_keys(p, n, m):
    at = tl.arange(0, 8)
    low = (0xFFFFFFFF - tl.load(p + at).to(tl.uint32)).to(tl.uint64)
    keys = tl.where(at < n, low, 0)
    tl.store(p + at, (0xFFFFFFFF - (keys & 0xFFFFFFFF).to(tl.uint32)).to(tl.int32))


@weft.jit
def upper_half(p, n, m):
    at = n.to(tl.int64) + tl.arange(0, 8)
    tl.store(p + at, (at >> 32).to(tl.int32) + m[None, :])


@weft.jit
def mixed(x):
    factor = 3432918353
    x = x * factor
    return (x.to(tl.uint64) << 3) & 0xFFFFFFFF


@weft.jit
def unsigned_limit(p, n, m):
    at = p + tl.arange(0, 64)
    tl.store(at, mixed(tl.load(at).to(tl.uint32)).to(tl.int32))


_SIGNATURE = "*i32:16, i32, i32:16"
CASES = tuple(
    (kernel, _SIGNATURE, {}, {})
    for kernel in (
        merges,
        merges_blocks,
        early_return,
        returns_on_every_way,
        elifs,
        integer_condition,
        conditional_expressions,
        booleans,
        counts,
        nests,
        wide_counter,
        carries,
        loops_while,
        hints_in_a_loop,
        counter_rebound,
        static_return,
        returns_from_static_loop,
        calls,
        calls_kept,
        call_in_a_branch,
        tuples,
        constants,
        python_functions,
        types,
        reduces,
        prints,
        stays_shut,
        packed_keys,
        upper_half,
        unsigned_limit,
    )
)
