"""Aggregates: fields, methods, operators, as loop-carried values and arguments."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.errors import WeftError
from weft.language.aggregates import aggregate


@aggregate
class Counter:
    value: tl.tensor
    step: tl.constexpr

    @tl.constexpr_function
    def __init__(self, value, step):
        self.value = value
        self.step = tl.constexpr(step)

    @weft.jit
    def next(self):
        return Counter(self.value + self.step, self.step)

    @weft.jit
    def __add__(self, other):
        return Counter(self.value + other.value, self.step)

    @tl.constexpr_function
    def twice(self):
        return 2 * self.step.value


@aggregate
class Pair:
    first: tl.tensor
    second: tl.tensor


@weft.jit
def count(out, n):
    counter = Counter(tl.full((), 1, tl.int32), 3)
    for _ in range(n):
        counter = counter.next()
    if n > 2:
        counter = counter + counter
    pair = Pair(counter.value, counter.value + counter.twice())
    tl.static_assert(isinstance(pair, Pair))
    tl.store(out, pair.first)
    tl.store(out + 1, pair.second)


@pytest.mark.parametrize("n", [0, 4])
def test_loop_branch_method_and_operator(n):
    out = np.zeros(2, "i4")
    count[(1,)](out, n)
    value = 1 + 3 * n
    value *= 2 if n > 2 else 1
    assert out.tolist() == [value, value + 6]


@weft.jit
def unknown(out):
    Counter(tl.full((), 1, tl.int32), 3).missing  # noqa: B018


@aggregate
class Partial:
    first: tl.tensor
    second: tl.tensor

    @tl.constexpr_function
    def __init__(self, first):
        self.first = first


@weft.jit
def incomplete(out):
    Partial(tl.load(out))


@weft.jit
def wrong_class(out):
    Pair(1, tl.load(out))


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (unknown, "'Counter' object has no attribute 'missing'"),
        (incomplete, "constructor for Partial did not initialize attribute 'second'"),
        (wrong_class, "Expected .*tensor.* for attribute 'first'"),
    ],
)
def test_errors(kernel, message):
    with pytest.raises(WeftError, match=message):
        weft.compile(kernel, signature="*i32", target="cuda:90")
