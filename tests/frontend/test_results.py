"""Control flow computes what Python does: kernels run on the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl


@weft.jit
def collatz(out, n):
    steps = 0
    value = n
    while value != 1:
        if value % 2 == 0:
            value = value // 2
        else:
            value = 3 * value + 1
        steps += 1
    tl.store(out, steps)


def collatz_in_python(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@weft.jit
def counts_both_ways(out, n, m):
    total = 0
    for i in range(n, m, -3):
        total = total * 2 + i
    for i in range(m, n):
        if i % 3 == 0:
            total += i
    tl.store(out, total)


def counts_both_ways_in_python(n, m):
    total = 0
    for i in range(n, m, -3):
        total = total * 2 + i
    return total + sum(i for i in range(m, n) if i % 3 == 0)


@weft.jit
def clip(n, low, high):
    if n < low:
        return low
    if n > high:
        return high
    return n


@weft.jit
def leaves_early(out, n, m):
    tl.store(out, -1)
    if n > 20:
        if m > 20:
            return
        n = 20
    x, y = (n, m) if n > m else (m, n)
    tl.store(out, clip(x - y, 2, 15) * 10 + (1 if n == m else 0))


def leaves_early_in_python(n, m):
    if n > 20 and m > 20:
        return -1
    n = min(n, 20)
    return min(max(abs(n - m), 2), 15) * 10 + (n == m)


def run(kernel, *args):
    out = np.zeros(1, np.int32)
    kernel[(1,)](out, *args)
    return int(out[0])


@pytest.mark.parametrize("n", [1, 2, 7, 27])
def test_while(n):
    assert run(collatz, n) == collatz_in_python(n)


@pytest.mark.parametrize(("n", "m"), [(10, 2), (2, 10), (5, 5), (0, -7)])
def test_for(n, m):
    assert run(counts_both_ways, n, m) == counts_both_ways_in_python(n, m)


@pytest.mark.parametrize(("n", "m"), [(30, 30), (30, 3), (3, 30), (4, 4), (1, 9), (20, 25)])
def test_early_return_and_calls(n, m):
    assert run(leaves_early, n, m) == leaves_early_in_python(n, m)
