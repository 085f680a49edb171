# ruff: noqa: F841 - kernels that bind names for the binding's sake
"""if, elif, else and conditional expressions."""

from __future__ import annotations

import pytest

import weft.language as tl
from weft.errors import DeprecatedWarning
from weft.language.kernel_function import kernel_function


@kernel_function
def merges(p, n, m):
    c = n
    a = m
    b = 3
    if n > 3:
        z = 1
        y = 2
        b = 4
        c = 5
        unused = 1
    else:
        y = 3
        z = 9
        a = 7
    tl.store(p, y + z + a + b + c)


@kernel_function
def merges_new_names(p, n):
    if n > 3:
        k, e, h, b, g = 11, 12, 13, 14, 15
    else:
        g, b, h, e, k = 25, 24, 23, 22, 21
    tl.store(p, k + e + h + b + g)


def test_new_names_are_results_in_alphabetical_order(lowered):
    text = lowered(merges_new_names)
    assert "scf.yield %c14_i32, %c12_i32, %c15_i32, %c13_i32, %c11_i32 :" in text
    assert "scf.yield %c24_i32, %c22_i32, %c25_i32, %c23_i32, %c21_i32 :" in text


def test_results_are_in_the_order_of_first_binding(lowered):
    text = lowered(merges)
    assert "scf.if %0 -> (i32, i32, i32, i32, i32)" in text
    assert "scf.yield %arg1, %c7_i32, %c3_i32, %c3_i32_1, %c9_i32 :" in text


@kernel_function
def constant_condition(p, n, FLAG: tl.constexpr):
    if FLAG:
        tl.store(p, n)
    else:
        no_such_function(n)  # noqa: F821  # pyright: ignore[reportUndefinedVariable]


def test_constant_condition_lowers_one_branch(operations, refused):
    assert operations(constant_condition, FLAG=True) == ["tt.func", "tt.store", "tt.return"]
    assert "no_such_function is not defined" in refused(constant_condition, FLAG=False)


@kernel_function
def none_or_value(p, n, BIAS: tl.constexpr):
    x = None
    if BIAS is not None and BIAS > 1:
        x = n
    if x is None:
        x = n + 1
    tl.store(p, x)


def test_none_as_a_condition(operations):
    assert "arith.addi" in operations(none_or_value, BIAS=None)
    assert "arith.addi" not in operations(none_or_value, BIAS=2)


@kernel_function
def elifs(p, n):
    if n > 3:
        x = 1
    elif n > 2:
        x = 2
    else:
        x = 3
    tl.store(p, x)


def test_elif_is_a_nested_if(operations):
    assert operations(elifs).count("scf.if") == 2


@kernel_function
def only_where_false(p, n):
    hit = tl.load(p) > n
    if not hit:
        tl.store(p, n)


def test_empty_else_region_is_kept(lowered):
    text = lowered(only_where_false)
    assert "} else {" in text
    assert text.count("arith.xori") == 1


@kernel_function
def early_return(p, n, m):
    if n > 3:
        tl.store(p, 1)
        return
    tl.store(p, m)


def test_return_lowers_to_blocks(lowered):
    text = lowered(early_return)
    assert "cf.cond_br %0, ^bb1, ^bb2" in text
    assert text.count("tt.return") == 2
    assert "scf.if" not in text


@kernel_function
def return_deep_inside(p, n, m):
    x = m
    if n > 3:
        if m > 3:
            return
        x = 3
    tl.store(p, x)


def test_merge_block_has_arguments(lowered):
    text = lowered(return_deep_inside)
    assert "cf.br ^bb6(%arg2 : i32)" in text
    assert "cf.br ^bb6(%c3_i32_" in text
    assert "tt.store %arg0, %2 : !tt.ptr<i32>" in text


@kernel_function
def both_sides_return(p, n):
    if n > 3:
        return
    else:
        return
    tl.store(p, n)


def test_code_after_two_returns_is_not_lowered(operations):
    assert operations(both_sides_return).count("tt.return") == 2
    assert "tt.store" not in operations(both_sides_return)


@kernel_function
def returns_by_constant_in_a_loop(p, n, STOP: tl.constexpr):
    for i in range(n):
        if n > i:
            if STOP:
                return
            tl.store(p, i)


def test_return_in_a_loop(operations, refused):
    assert "tt.store" in operations(returns_by_constant_in_a_loop, STOP=False)
    error = refused(returns_by_constant_in_a_loop, STOP=True)
    assert "Cannot have `return` statements inside `while` or `for`" in error
    assert "Cannot have `return` statements inside `while` or `for`" in error


@kernel_function
def chooses(p, n, m):
    tl.store(p, n if n > m else 4)


def test_conditional_expression_is_an_scf_if(lowered):
    text = lowered(chooses)
    assert "scf.if %0 -> (i32)" in text
    assert "scf.yield %arg1 : i32" in text


@kernel_function
def chooses_by_constant(p, n, N: tl.constexpr):
    tl.store(p, n if N > 2 else no_such_name)  # noqa: F821  # pyright: ignore[reportUndefinedVariable]


def test_conditional_expression_with_a_constant(operations):
    assert operations(chooses_by_constant, N=3) == ["tt.func", "tt.store", "tt.return"]


@kernel_function
def chooses_tuple(p, n, m):
    low, high = (n, m) if n < m else (m, n)
    tl.store(p, high - low)


def test_conditional_expression_of_tuples(lowered):
    assert "-> (i32, i32)" in lowered(chooses_tuple)


@kernel_function
def two_types(p, n):
    x = 0
    if n > 3:
        x = 1.0
    tl.store(p, x)


@kernel_function
def none_and_value(p, n):
    x = None
    if n > 3:
        x = n
    tl.store(p, x)


@kernel_function
def chooses_two_types(p, n):
    tl.store(p, n if n > 3 else 1.5)


def test_branches_of_different_types(refused):
    error = refused(two_types)
    assert "Mismatched type for x between then block (fp32[]) and" in error
    assert "found: fp32[] if true, int32[] if false" in error
    assert "the constant None if false" in refused(none_and_value)
    error = refused(chooses_two_types)
    assert "Ternary expression with dynamic condition has" in error
    assert "found: int32[] if true, fp32[] if false" in error


@kernel_function
def partly_bound(p, n):
    if n > 3:
        x = 1
    tl.store(p, x)  # pyright: ignore[reportPossiblyUnboundVariable]


def test_name_of_one_branch_is_not_defined(refused):
    error = refused(partly_bound)
    assert "x is not defined: only one branch of the if at line 233" in error
    assert "x is not defined: only one branch of the if at line 233" in error


@kernel_function
def block_condition(p, n):
    if tl.arange(0, 4) > n:
        tl.store(p, n)


def test_block_as_a_condition(refused):
    error = refused(block_condition)
    assert "Boolean value of Tensor with more than one value is" in error
    assert "tl.where" in error


@kernel_function
def condition_of_one_element(p, n):
    if tl.load(p + tl.arange(0, 1)) > n:
        tl.store(p, n)


def test_a_block_of_one_element_as_a_condition_warns(lowered):
    with pytest.warns(DeprecatedWarning, match=r"\.item\(\)"):
        text = lowered(condition_of_one_element)
    assert "tt.unsplat" in text
    assert "scf.if" in text
