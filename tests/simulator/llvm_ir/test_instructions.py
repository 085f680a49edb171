"""Plain instructions against numpy, or against Python's integers."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.simulator.programs import TYPES, of_each_thread

INTEGERS = [np.int8, np.int16, np.int32, np.int64]
FLOATS = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]


def edges(kind: type, seed: int = 0) -> np.ndarray:
    """Draw 64 numbers of a type, with the ends of its range."""
    random = np.random.default_rng(seed)
    if kind in INTEGERS:
        info = np.iinfo(kind)
        numbers = random.integers(info.min, info.max, 64, kind, endpoint=True)
        numbers[:6] = [0, 1, -1, info.max, info.min, 2]
        return random.permutation(numbers)
    numbers = random.normal(size=64).astype(kind)
    numbers[:4] = np.array([0.0, -0.0, np.inf, np.nan], kind)
    return random.permutation(numbers)


def wrap(number: int, bits: int) -> int:
    """Wrap an integer to the signed range of a number of bits."""
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number


def toward_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


SIGNED = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "sdiv": toward_zero,
    "srem": lambda a, b: a - b * toward_zero(a, b),
}
UNSIGNED = {"udiv": lambda a, b: a // b, "urem": lambda a, b: a % b}


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("opcode", [*SIGNED, *UNSIGNED])
def test_arithmetic_of_integers(kind, opcode):
    a, b = edges(kind), edges(kind, 1)
    if "div" in opcode or "rem" in opcode:
        b[b == 0] = 3
    bits = 8 * a.dtype.itemsize
    values = of_each_thread(f"{opcode} i{bits} %x, %y", a, b)
    mask = (1 << bits) - 1
    if opcode in SIGNED:
        expected = [SIGNED[opcode](int(x), int(y)) for x, y in zip(a, b, strict=True)]
    else:
        expected = [
            UNSIGNED[opcode](int(x) & mask, int(y) & mask) for x, y in zip(a, b, strict=True)
        ]
    assert values.tolist() == [wrap(number, bits) for number in expected]


@given(st.data())
@settings(max_examples=10, deadline=None)
def test_flags_do_not_change_results(data):
    flags = data.draw(st.lists(st.sampled_from(["nsw", "nuw"]), unique=True))
    a, b = edges(np.int32), edges(np.int32, 1)
    plain = of_each_thread("add i32 %x, %y", a, b)
    np.testing.assert_array_equal(
        of_each_thread(f"add {' '.join([*flags, 'i32'])} %x, %y", a, b), plain
    )


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize(
    ("opcode", "function"),
    [
        ("fadd", np.add),
        ("fsub", np.subtract),
        ("fmul contract", np.multiply),
        ("fdiv", np.divide),
    ],
)
def test_arithmetic_of_floats(kind, opcode, function):
    a, b = edges(kind), edges(kind, 1)
    with np.errstate(all="ignore"):
        expected = function(a, b)
        values = of_each_thread(f"{opcode} {TYPES[a.dtype]} %x, %y", a, b)
    np.testing.assert_array_equal(values.astype(np.float64), expected.astype(np.float64))


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize(
    "predicate", ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
)
def test_comparisons_of_integers(kind, predicate):
    a, b = edges(kind), edges(kind, 1)
    b[::4] = a[::4]
    bits = 8 * a.dtype.itemsize
    values = of_each_thread(f"icmp {predicate} i{bits} %x, %y", a, b, result="i1")
    compare = {
        "eq": int.__eq__, "ne": int.__ne__, "lt": int.__lt__, "le": int.__le__,
        "gt": int.__gt__, "ge": int.__ge__,
    }[predicate[-2:]]  # fmt: skip
    mask = (1 << bits) - 1 if predicate.startswith("u") else -1
    expected = [compare(int(x) & mask, int(y) & mask) for x, y in zip(a, b, strict=True)]
    assert values.tolist() == expected


ORDERED = {
    "eq": np.equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
}


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("word", [*ORDERED, "ne"])
def test_comparisons_of_floats_and_nan(kind, word):
    a, b = edges(kind), edges(kind, 1)
    b[::4] = a[::4]
    nan = np.isnan(a) | np.isnan(b)
    with np.errstate(invalid="ignore"):
        holds = ~np.equal(a, b) if word == "ne" else ORDERED[word](a, b)
    for first, expected in (("o", holds & ~nan), ("u", holds | nan)):
        values = of_each_thread(f"fcmp {first}{word} {TYPES[a.dtype]} %x, %y", a, b, result="i1")
        np.testing.assert_array_equal(values, expected)
    for predicate, expected in (("ord", ~nan), ("uno", nan)):
        values = of_each_thread(f"fcmp {predicate} {TYPES[a.dtype]} %x, %y", a, b, result="i1")
        np.testing.assert_array_equal(values, expected)


def test_select_fneg_and_constants():
    a, b = edges(np.int32), edges(np.int32, 1)
    values = of_each_thread("select i1 true, i32 %x, i32 %y", a, b)
    np.testing.assert_array_equal(values, a)
    x = edges(np.float32)
    np.testing.assert_array_equal(of_each_thread("fneg float %x", x), -x)
    np.testing.assert_array_equal(
        of_each_thread("fadd half %x, 0xH3E00", np.zeros(32, np.float16)), np.full(32, 1.5)
    )
    np.testing.assert_array_equal(
        of_each_thread("fadd float %x, 0x3FF8000000000000", np.zeros(32, np.float32)),
        np.full(32, 1.5),
    )
