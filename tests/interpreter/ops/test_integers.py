from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.interpreter.kernels import DTYPES, apply, elementwise, padded, run_text

WIDTHS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}


def signed(value: int, bits: int) -> int:
    return (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


def unsigned(value: int, bits: int) -> int:
    return value % (1 << bits)


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


# Each row: the number that the operation gives for Python's unbounded integers.
MEANING = {
    "addi": lambda a, b, n: a + b,
    "subi": lambda a, b, n: a - b,
    "muli": lambda a, b, n: a * b,
    "andi": lambda a, b, n: a & b,
    "ori": lambda a, b, n: a | b,
    "xori": lambda a, b, n: a ^ b,
    "minsi": lambda a, b, n: min(a, b),
    "maxsi": lambda a, b, n: max(a, b),
    "minui": lambda a, b, n: min(unsigned(a, n), unsigned(b, n)),
    "maxui": lambda a, b, n: max(unsigned(a, n), unsigned(b, n)),
    "divsi": lambda a, b, n: truncated(a, b),
    "remsi": lambda a, b, n: a - truncated(a, b) * b,
    "divui": lambda a, b, n: unsigned(a, n) // unsigned(b, n),
    "remui": lambda a, b, n: unsigned(a, n) % unsigned(b, n),
    "floordivsi": lambda a, b, n: a // b,
    "ceildivsi": lambda a, b, n: -(-a // b),
    "ceildivui": lambda a, b, n: -(-unsigned(a, n) // unsigned(b, n)),
    "shli": lambda a, b, n: a << b % n,
    "shrsi": lambda a, b, n: a >> b % n,
    "shrui": lambda a, b, n: unsigned(a, n) >> b % n,
}
DIVISIONS = {"divsi", "remsi", "divui", "remui", "floordivsi", "ceildivsi", "ceildivui"}


@pytest.mark.parametrize("type_", WIDTHS)
@pytest.mark.parametrize("name", MEANING)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_binary_operations_agree_with_unbounded_integers(
    name: str, type_: str, data: st.DataObject
) -> None:
    bits = WIDTHS[type_]
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    numbers = st.integers(low, high) | st.sampled_from([low, low + 1, -1, 0, 1, high])
    pairs = data.draw(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=64))
    if name in DIVISIONS:
        pairs = [(a, b or 1) for a, b in pairs]
        pairs = [(a, b if (a, b) != (low, -1) else 1) for a, b in pairs]
    if name.startswith("sh"):
        pairs = [(a, b % bits) for a, b in pairs]
    a, b = (padded([p[i] for p in pairs], DTYPES[type_]) for i in (0, 1))
    result = apply(
        f"%y = arith.{name} %x0, %x1 : tensor<{{n}}x{type_}>", [(type_, a), (type_, b)], type_
    )
    expected = [
        signed(MEANING[name](int(x), int(y), bits), bits) for x, y in zip(a, b, strict=True)
    ]
    assert result.tolist() == expected


@pytest.mark.parametrize("name", sorted(set(MEANING) - DIVISIONS - {"shli", "shrsi", "shrui"}))
def test_i1_is_a_number_of_one_bit(name: str) -> None:
    a, b = padded([0, 0, 1, 1], DTYPES["i1"]), padded([0, 1, 0, 1], DTYPES["i1"])
    result = apply(f"%y = arith.{name} %x0, %x1 : tensor<{{n}}xi1>", [("i1", a), ("i1", b)], "i1")
    expected = [MEANING[name](-int(x), -int(y), 1) % 2 for x, y in zip(a, b, strict=True)]
    assert result.astype(int).tolist() == expected


@pytest.mark.parametrize("type_", WIDTHS)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_mulhiui_is_the_high_half(type_: str, data: st.DataObject) -> None:
    bits = WIDTHS[type_]
    numbers = st.integers(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    pairs = data.draw(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=64))
    a, b = (padded([p[i] for p in pairs], DTYPES[type_]) for i in (0, 1))
    result = apply(
        f"%y = tt.mulhiui %x0, %x1 : tensor<{{n}}x{type_}>", [(type_, a), (type_, b)], type_
    )
    expected = [
        signed(unsigned(int(x), bits) * unsigned(int(y), bits) >> bits, bits)
        for x, y in zip(a, b, strict=True)
    ]
    assert result.tolist() == expected


def test_absi_of_the_least_number_is_itself() -> None:
    x = padded([-128, -5, 0, 7], DTYPES["i8"])
    result = apply("%y = math.absi %x0 : tensor<{n}xi8>", [("i8", x)], "i8")
    assert result[:4].tolist() == [-128, 5, 0, 7]


def test_constants_that_are_no_splat() -> None:
    text = "%c = arith.constant dense<[1, -2, 3, 4]> : tensor<4xi32>\n"
    out = np.zeros(4, np.int32)
    run_text(elementwise(text + "%y = arith.addi %c, %c : tensor<4xi32>", [], "i32", 4), [out])
    assert out.tolist() == [2, -4, 6, 8]


def test_mean_of_a_law_needs_many_numbers() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-(1 << 31), 1 << 31, 4096, dtype=np.int64).astype(np.int32) for _ in "ab")
    b[b == 0] = 1
    divisor = "%y = arith.divsi %x0, %x1 : tensor<{n}xi32>"
    rest = "%y = arith.remsi %x0, %x1 : tensor<{n}xi32>"
    quotient, remainder = (apply(t, [("i32", a), ("i32", b)], "i32") for t in (divisor, rest))
    assert np.array_equal(quotient * b + remainder, a)
    assert all(quotient[i] == math.trunc(int(a[i]) / int(b[i])) for i in range(0, 4096, 7))
