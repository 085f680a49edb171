# ruff: noqa: RUF005 - kernels that bind names for the binding's sake
"""Operators on constants, run-time values, and both."""

from __future__ import annotations

import weft.language as tl
from weft.language.kernel_function import kernel_function


@kernel_function
def folds(p, N: tl.constexpr):
    a: tl.constexpr = (N + 1) * 2 - N // 3 + N % 4
    b: tl.constexpr = (1 << 3 | 1) ^ 2 & 7
    c: tl.constexpr = -(3**2) if a > 8 and not N == 4 else ~a
    tl.static_assert(b == 11)
    tl.store(p, c)


def test_constants_fold(lowered):
    assert "arith.constant -9 : i32" in lowered(folds, N=5)
    assert "arith.constant -10 : i32" in lowered(folds, N=4)


@kernel_function
def joins(p, n, m):
    if n > 3 and m > 4 and n < 8:
        tl.store(p, 3)


def test_and_combines_from_the_right(lowered):
    text = lowered(joins)
    assert "%3 = arith.andi %1, %2 : i1" in text
    assert "%4 = arith.andi %0, %3 : i1" in text


@kernel_function
def decides(p, n, ON: tl.constexpr):
    if ON and n > 3:
        tl.store(p, 1)
    if ON or n > 3:
        tl.store(p, 2)


def test_constant_operand_decides(operations):
    assert operations(decides, ON=True)[1:-1] == [
        "arith.cmpi",
        "scf.if",
        "tt.store",
        "scf.yield",
        "scf.yield",
    ] + ["tt.store"]
    assert operations(decides, ON=False)[1:3] == ["arith.cmpi", "scf.if"]


@kernel_function
def identity(p, n, x, T: tl.constexpr):
    tl.static_assert(n is not None)
    tl.static_assert(T is None)
    tl.static_assert(n.dtype is tl.int32)
    tl.static_assert(x.dtype != tl.int32)
    tl.static_assert(3 in (1, 3))
    tl.static_assert("a" not in ("b",))


def test_is_and_in(operations):
    assert operations(identity, T=None) == ["tt.func", "tt.return"]


@kernel_function
def adds_tuples(p, n, m):
    t = (n, m) + (3,) * 2
    tl.static_assert(len(t) == 4)
    tl.store(p, t[-1] + t[0])


def test_tuples_concatenate(operations):
    assert "arith.addi" in operations(adds_tuples)


@kernel_function
def chained(p, n):
    if 1 < n < 3:
        tl.store(p, n)


@kernel_function
def divides_by_zero(p, N: tl.constexpr):
    tl.store(p, 1 // N)


@kernel_function
def adds_text(p):
    tl.store(p, "a" + 1)  # pyright: ignore[reportOperatorIssue]


@kernel_function
def negates_text(p):
    tl.store(p, -"a")  # pyright: ignore[reportOperatorIssue]


@kernel_function
def tuple_minus(p, n):
    tl.store(p, (n, n) - (n,))  # pyright: ignore[reportOperatorIssue]


@kernel_function
def in_values(p, n):
    if n in (1, 2):
        tl.store(p, n)


@kernel_function
def in_number(p):
    if 3 in 4:  # pyright: ignore[reportOperatorIssue]
        tl.store(p, 3)


def test_invalid_operands(refused):
    assert "write `a < b and b < c`" in refused(chained)
    assert "// failed on constants: integer division or modulo by" in refused(divides_by_zero, N=0)
    assert "found: 'a' + 1" in refused(adds_text)
    assert "- failed on constants: bad operand type for unary -:" in refused(negates_text)
    assert "accepted: tuple + tuple, tuple * constant" in refused(tuple_minus)
    assert "`in` requires compile-time constants" in refused(in_values)
    assert "`in` failed on constants: argument of type 'int' is not" in refused(in_number)
