# ruff: noqa: F841, F842, RUF059 - kernels that bind names for the binding's sake
"""Assignments, returns and assertions."""

from __future__ import annotations

import weft.language as tl
from tests.frontend.conftest import lower_kernel
from weft.ir.text import print_module
from weft.language.kernel_function import kernel_function
from weft.passes import parse_pipeline, run_pipeline


@kernel_function
def several_targets(p, n, m):
    a = b = n + m
    (a, b), c = (b, a), 3
    tl.store(p, a + b + c)


def test_chained_assignment(operations):
    assert operations(several_targets).count("arith.addi") == 3


@kernel_function
def swaps(p, n, m):
    n, m = m, n
    tl.store(p, n - m)


def test_tuple_assignment(lowered):
    assert "arith.subi %arg2, %arg1 : i32" in lowered(swaps)


@kernel_function
def number(p):
    x = 3
    tl.store(p, x)


def test_number_becomes_a_scalar(lowered):
    assert "%c3_i32 = arith.constant 3 : i32\n    tt.store %arg0, %c3_i32" in lowered(number)


@kernel_function
def declared(p, N: tl.constexpr):
    half: tl.constexpr = N // 2
    tl.store(p + tl.arange(0, half), half)


def test_constexpr_as_a_shape(lowered):
    assert "tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>" in lowered(
        declared, N=64
    )


@kernel_function
def declared_in_static_loop(p):
    for i in tl.static_range(2):
        twice: tl.constexpr = i * 2
        tl.store(p + twice, twice)


def test_constexpr_in_an_unrolled_loop(operations):
    assert operations(declared_in_static_loop).count("tt.store") == 2


@kernel_function
def annotated(p, n):
    x: tl.int32 = n
    y: tl.int32
    tl.store(p, x)


def test_other_annotations_have_no_effect(operations):
    assert operations(annotated) == ["tt.func", "tt.store", "tt.return"]


@kernel_function
def augmented(p, n):
    n *= 2
    n -= 1
    tl.store(p, n)


def test_augmented_assignment(operations):
    assert operations(augmented)[1:3] == ["arith.muli", "arith.subi"]


@kernel_function
def documented(p):
    """Store nothing."""
    pass
    ...


def test_docstring_and_pass_emit_nothing(operations):
    assert operations(documented) == ["tt.func", "tt.return"]


@kernel_function
def dead_code(p, n):
    tl.store(p, n)
    return
    tl.store(p, no_such_name)  # noqa: F821


def test_code_after_a_return_is_not_lowered(operations):
    assert operations(dead_code) == ["tt.func", "tt.store", "tt.return"]


@kernel_function
def checks(p, n):
    assert n > 3, "too small"


def test_assert_is_emitted_for_debug_only(operations):
    assert "tt.assert" not in operations(checks)


@kernel_function
def redeclared(p):
    x: tl.constexpr = 3  # pyright: ignore[reportRedeclaration]
    x: tl.constexpr = 4


def test_constexpr_cannot_be_reassigned(refused):
    error = refused(redeclared)
    assert "x is already defined. constexpr cannot be reassigned" in error
    assert "test_statements.py:" in error
    assert "x: tl.constexpr = 4" in error


@kernel_function
def not_constant(p, n):
    x: tl.constexpr = n + 1
    tl.store(p + x, x)


def test_constexpr_annotation_of_a_run_time_value(lowered):
    text = lowered(not_constant)
    assert "%0 = arith.addi %arg1" in text
    assert "tt.addptr %arg0, %0 :" in text
    assert "tt.store %1, %0 :" in text


@kernel_function
def sized_by_what_is_not_constant(p, n):
    x: tl.constexpr = n + 1
    tl.store(p + tl.arange(0, x), 0)


def test_run_time_constexpr_is_not_a_constant(refused):
    assert "arange's arguments must be of type tl.constexpr" in refused(
        sized_by_what_is_not_constant
    )


@kernel_function
def not_constant_twice(p, n):
    x: tl.constexpr = n + 1  # pyright: ignore[reportRedeclaration]
    x: tl.constexpr = n + 2


def test_run_time_constexpr_cannot_be_reassigned(refused):
    assert "x is already defined. constexpr cannot be reassigned" in refused(not_constant_twice)


@kernel_function
def stores_item(p, n):
    t = (n, n)
    t[0] = 3  # pyright: ignore[reportIndexIssue]


@kernel_function
def stores_attribute(p, n):
    p.x += 3


def test_invalid_assignment_targets(refused):
    assert "__setitem__ is not supported" in refused(stores_item)
    assert "Attribute assignment is not supported" in refused(stores_attribute)


@kernel_function
def starred(p, n):
    a, *b = (n, n, n)


@kernel_function
def too_few(p, n):
    a, b = (n, n, n)


@kernel_function
def no_tuple(p, n):
    a, b = n


def test_tuple_targets(refused):
    assert "starred assignment target is not supported" in refused(starred)
    assert "cannot unpack 3 values to 2 names" in refused(too_few)
    assert "cannot unpack non-tuple int32[]" in refused(no_tuple)


@kernel_function
def returns_a_value(p, n):
    return n


def test_kernel_returns_nothing(refused):
    error = refused(returns_a_value)
    assert "kernel returns_a_value must not return a value" in error
    assert "kernel returns_a_value must not return a value" in error


@kernel_function
def deletes(p, n):
    del n


def test_unsupported_statement(refused):
    error = refused(deletes)
    assert "unsupported AST node type: Delete" in error
    assert "accepted: an annotated assignment, an assignment" in error
    assert "    del n\n    ^~~~~" in error


@kernel_function
def odd_names(p, n, _0):
    _1 = n + 0
    β = _1 * _0
    for _2 in range(n):
        β += _2
    tl.store(p, β)


def test_names_that_values_cannot_have():
    types = {"p": "*i32", "n": "i32", "_0": "i32"}
    module = lower_kernel(odd_names, types=types)
    run_pipeline(parse_pipeline("inline,canonicalize,cse"), module)
    assert "arith.addi" in print_module(module)
