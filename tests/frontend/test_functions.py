"""Calls of kernel functions: instances, arguments, results."""

from __future__ import annotations

from typing import Any

import pytest

import weft.language as tl
from weft.errors import WeftError
from weft.language.kernel_function import KernelFunction, kernel_function

from .conftest import lower_kernel


@kernel_function
def scale(x, FACTOR: tl.constexpr = 3, offset=1):  # pyright: ignore[reportArgumentType]
    return x * FACTOR + offset


@kernel_function
def calls_scale(p, n, m):
    tl.store(p, scale(n) + scale(m) + scale(n, offset=m) + scale(offset=2, x=n, FACTOR=4))


def test_one_function_per_types_and_constants(lowered):
    text = lowered(calls_scale)
    name = f"{__name__}.scale__i32"
    assert text.count(f"tt.call @{name}_c3_c1(") == 2
    assert text.count("tt.func private") == 3
    assert f"tt.func private @{name}_c3_i32(%arg0: i32, %arg1: i32) -> i32" in text
    assert f"@{name}_c4_c2(" in text


@kernel_function
def several(n, CONSTANT: tl.constexpr):
    return n + 1, CONSTANT, None


@kernel_function
def takes_several(p, n):
    a, b, c = several(n, 8)
    tl.static_assert(c is None)
    tl.store(p + tl.arange(0, several(n, 8)[1]), a + b)


def test_constant_result_stays_constant(lowered):
    text = lowered(takes_several)
    assert "(i32) -> i32" in text
    assert "tensor<8xi32>" in text


@kernel_function
def sign(n):
    if n > 0:
        return 1
    elif n < 0:
        return -1
    return 0


@kernel_function
def takes_sign(p, n):
    tl.store(p, sign(n))


def test_different_constants_become_run_time_values(lowered):
    text = lowered(takes_sign)
    assert "-> i32 attributes {noinline = false}" in text
    assert text.count("tt.return %") == 3


@kernel_function
def may_end(n):
    if n > 0:
        return n


@kernel_function
def takes_may_end(p, n):
    tl.store(p, may_end(n))


def test_implicit_return_gives_poison(operations):
    assert "ub.poison" in operations(takes_may_end)


@kernel_function(noinline=True)
def kept(a, t, MODE: tl.constexpr):
    return a + t[0]


@kernel_function
def calls_kept(p, n, m):
    tl.store(p, kept(n, (m, 3), "abc"))


def test_noinline_and_symbol(lowered):
    text = lowered(calls_kept)
    assert f"@{__name__}.kept__i32_Ti32_c3T_c_sq_abc_sq_(" in text
    assert "noinline = true" in text


@kernel_function
def apply(n, function: tl.constexpr):
    return function(n)


@kernel_function
def applies(p, n):
    tl.store(p, apply(n, scale) + apply(n, sign))


def test_function_as_an_argument(operations):
    assert operations(applies).count("tt.call") == 4


@kernel_function
def value_for_constant(p, n):
    tl.store(p, scale(n, FACTOR=n))


def test_run_time_value_for_a_constexpr_parameter(lowered):
    assert f"@{__name__}.scale__i32_i32_c1(" in lowered(value_for_constant)


@kernel_function
def difference(a, b):
    return a - b


@kernel_function
def spreads(p, n, m):
    t = (n, m)
    tl.store(p, several(*t, 8)[0] if p is None else difference(*t))


def test_argument_unpacking(lowered):
    assert f"@{__name__}.difference__i32_i32(%arg1, %arg2)" in lowered(spreads)


def twins():
    def make(step):
        by = tl.constexpr(step)

        @kernel_function
        def advance(n):
            return n + by

        return advance

    return make(1), make(2)


first, second = twins()


@kernel_function
def calls_twins(p, n):
    tl.store(p, first(second(n)))


def test_functions_of_one_name_get_different_symbols(lowered):
    text = lowered(calls_twins)
    assert text.count("tt.func private") == 2
    assert "<locals>.advance__i32_1" in text


@kernel_function
def runs_forever(n):
    return runs_forever(n)


@kernel_function
def recurses(p, n):
    runs_forever(n)


@kernel_function
def any_number(*values):
    return values


@kernel_function
def calls_any_number(p, n):
    any_number(n)


@kernel_function
def too_many(p, n):
    scale(n, 1, 2, 3)


@kernel_function
def too_few(p, n):
    scale()


@kernel_function
def twice(p, n):
    scale(n, x=n)


@kernel_function
def misspelt(p, n):
    scale(n, offsett=n)


@kernel_function
def spreads_dict(p, n):
    scale(**n)


@kernel_function
def two_results(n):
    if n > 3:
        return 1.0
    return n


@kernel_function
def takes_two_results(p, n):
    tl.store(p, two_results(n))


def test_invalid_arguments(refused):
    error = refused(recurses)
    assert "recursive call of runs_forever is not supported" in error
    assert "found: runs_forever → runs_forever" in error
    assert "variadic parameter values of any_number is not supported" in refused(calls_any_number)
    error = refused(too_many)
    assert "scale() takes 3 positional arguments but 4 were given" in error
    assert "accepted: scale(x, FACTOR, offset)" in error
    assert "scale() missing a required argument: 'x'" in refused(too_few)
    assert "scale() got multiple values for argument 'x'" in refused(twice)
    assert "did you mean offset" in refused(misspelt)
    assert "argument unpacking with ** is not supported" in refused(spreads_dict)
    error = refused(takes_two_results)
    assert "Return type mismatch: fp32[] and int32[]" in error
    assert "found: int32[] here, fp32[] at line" in error


@kernel_function
def fails_inside(n):
    return n + no_such_name  # noqa: F821  # pyright: ignore[reportUndefinedVariable]


@kernel_function
def calls_failing(p, n):
    fails_inside(n)


def test_error_in_a_called_function_names_the_caller():
    with pytest.raises(WeftError) as caught:
        lower_kernel(calls_failing)
    assert "no_such_name is not defined" in str(caught.value)
    (caller,) = caught.value.callers
    assert caller.file == __file__
    assert str(caught.value).endswith(f"called from: {caller}: fails_inside(n)") or (
        f"called from: {caller}: fails_inside(n)\n" in str(caught.value)
    )


@kernel_function
def fails_in_library(p):
    x = tl.zeros((48, 16), tl.float32)
    tl.store(p + tl.arange(0, 16), tl.sum(x, axis=0))


def test_error_in_the_standard_library_is_located_at_the_call():
    with pytest.raises(WeftError) as caught:
        lower_kernel(fails_in_library)
    assert "test_functions.py" in str(caught.value)
    assert "x = tl.zeros((48, 16), tl.float32)" in str(caught.value)
    assert "found: 48" in str(caught.value)
    assert caught.value.__notes__[0].startswith("in tl.zeros, ")


def constant_size(p, N: tl.constexpr):
    tl.store(p, N)


@pytest.mark.parametrize("option", ["do_not_specialize", "do_not_specialize_on_alignment"])
def test_a_constant_parameter_is_not_in_do_not_specialize(option):
    names: dict[str, Any] = {option: ["N"]}
    kernel = KernelFunction(constant_size, **names)
    with pytest.raises(WeftError) as caught:
        lower_kernel(kernel, N=1)
    assert caught.value.message.startswith("N marked as constexpr and listed in do_not_specialize/")
