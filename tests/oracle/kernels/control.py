"""Kernels that reach each form of control flow that the front end knows: one idea per kernel."""

from __future__ import annotations

import weft
import weft.language as tl


@weft.jit
def early_return(x_ptr, length, BLOCK: tl.constexpr):
    """Leave where there is nothing to do."""
    first = tl.program_id(0) * BLOCK
    if first >= length:
        return
    index = first + tl.arange(0, BLOCK)
    tl.store(x_ptr + index, tl.load(x_ptr + index) + 1)


@weft.jit
def choose(x_ptr, out_ptr, mode, BLOCK: tl.constexpr):
    """Carry a tensor and a scalar out of both branches of a condition."""
    index = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + index)
    if mode == 0:
        y, weight = x * 2, 1
    elif mode == 1:
        y, weight = x + 1, 2
    else:
        y, weight = -x, 3
    tl.store(out_ptr + index, y * weight)


@weft.jit
def repeat_until(x_ptr, out_ptr, bound):
    """Loop while a carried value is below a bound."""
    value = tl.load(x_ptr)
    steps = 0
    while value < bound:
        value = value * 2
        steps += 1
    tl.store(out_ptr, steps)


@weft.jit
def nested(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    """A condition in a loop in a loop, all of them carrying a tensor."""
    index = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for row in range(rows):
        for first in range(0, columns, BLOCK):
            x = tl.load(x_ptr + row * columns + first + index, mask=first + index < columns)
            if row % 2 == 0:
                acc += x
            else:
                acc -= x
    tl.store(out_ptr + index, acc)


@weft.jit
def unrolled(x_ptr, out_ptr, BLOCK: tl.constexpr, COUNT: tl.constexpr):
    """Unroll while compiling, on a list of constants."""
    index = tl.arange(0, BLOCK)
    acc = tl.load(x_ptr + index)
    for step in tl.static_range(COUNT):
        if step % 2 == 0:
            acc = acc * (step + 1)
        else:
            acc += tl.load(x_ptr + (step + 1) * BLOCK + index)
    tl.store(out_ptr + index, acc)


@weft.jit
def divide(a, b):
    """Return quotient and remainder."""
    return a // b, a % b


@weft.jit
def first_positive(a, b, fallback):
    """Return early from more than one place."""
    if a > 0:
        return a
    if b > 0:
        return b
    return fallback


@weft.jit
def call_others(x_ptr, out_ptr, width, height):
    """Call functions of several results, of several returns, and with keywords."""
    program = tl.program_id(0)
    row, column = divide(program, b=width)
    value = tl.load(x_ptr + row * width + column)
    value = first_positive(value, height - row, fallback=7)
    tl.store(out_ptr + program, value)


@weft.jit(noinline=True)
def apart(x, y):
    """Stay a separate function."""
    return x * y + 1


@weft.jit
def call_apart(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """Call a function that is not inlined; it takes and gives scalars."""
    index = tl.arange(0, BLOCK)
    scale = apart(tl.program_id(0), 3)
    tl.store(out_ptr + index, tl.load(x_ptr + index) * scale)


@weft.jit
def locks_and_counts(x_ptr, lock_ptr, count_ptr, BLOCK: tl.constexpr):
    """Take a lock, add atomically, and give the lock back."""
    index = tl.arange(0, BLOCK)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    x = tl.load(x_ptr + index)
    tl.atomic_add(count_ptr + index, x, mask=x > 0, sem="relaxed")
    tl.atomic_max(count_ptr + index, x)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@weft.jit
def conditions(x_ptr, out_ptr, n, FLAG: tl.constexpr, BLOCK: tl.constexpr):
    """Boolean operators, chained comparisons by `and`, and conditional expressions."""
    index = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + index)
    scale = 2.0 if FLAG else 3.0
    offset = 1 if (n > 4 and n < 100) or n == 0 else -1
    if not (n > 7) and FLAG is not None:
        x += offset
    tl.store(out_ptr + index, x * scale)


@weft.jit
def hinted(x_ptr, out_ptr, stride, BLOCK: tl.constexpr):
    """Give the compiler hints on a value."""
    stride = tl.multiple_of(stride, 8)
    index = tl.max_contiguous(tl.multiple_of(tl.arange(0, BLOCK), BLOCK), BLOCK)
    tl.assume(stride > 0)
    tl.store(out_ptr + index, tl.load(x_ptr + tl.program_id(1) * stride + index))


@weft.jit
def elementary(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """The functions of tl.math and their friends."""
    index = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + index)
    y = tl.exp(x) + tl.exp2(x) - tl.log(x) * tl.log2(x) / tl.sqrt(x)
    y += tl.sin(x) * tl.cos(x) + tl.rsqrt(x) + tl.abs(x) + tl.floor(x) - tl.ceil(x)
    y = tl.fma(x, y, tl.sigmoid(x)) + tl.math.erf(x) + tl.clamp(x, -1.0, 1.0)
    y += tl.div_rn(x, y) + tl.sqrt_rn(x) + tl.umulhi(index, index) + tl.softmax(x)
    tl.store(out_ptr + index, tl.where(x > y, x, y))


CASES = (
    (early_return, "*fp32:16, i32, 128", {}, {}),
    (choose, "*fp32:16, *fp32:16, i32, 256", {}, {}),
    (repeat_until, "*i32, *i32, i32", {}, {"num_warps": 1}),
    (nested, "*fp32:16, *fp32:16, i32, i32:16, 128", {}, {}),
    (unrolled, "*fp32:16, *fp32:16, 64, 4", {}, {}),
    (call_others, "*i32:16, *i32:16, i32, i32", {}, {}),
    (call_apart, "*fp32:16, *fp32:16, 128", {}, {}),
    (locks_and_counts, "*i32:16, *i32:16, *i32:16, 128", {}, {}),
    (conditions, "*fp32:16, *fp32:16, i32, constexpr, 128", {"FLAG": True}, {}),
    (hinted, "*fp16:16, *fp16:16, i32:16, 512", {}, {}),
    (elementary, "*fp32:16, *fp32:16, 128", {}, {}),
)
