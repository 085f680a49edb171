# ruff: noqa: B007, F841 - kernels that bind names for the binding's sake
"""for and while."""

from __future__ import annotations

import pytest

import weft.language as tl
from weft.errors import IgnoredOptionWarning
from weft.language.kernel_function import kernel_function


@kernel_function
def carries(p, n, m):
    b = n
    a = m
    for i in range(n):
        inner = a + i
        a = inner
        b = b + a
        n = n
    tl.store(p, a + b)


def test_iter_args_are_in_the_order_of_first_binding(lowered):
    text = lowered(carries)
    assert "iter_args(%arg4 = %arg1, %arg5 = %arg2) -> (i32, i32)" in text
    assert "scf.for %arg3 = %0 to %1 step %2" in text


@kernel_function
def carries_nothing(p, n):
    for i in range(0, n, 2):
        tl.store(p, i)


def test_unchanged_name_is_not_carried(lowered):
    text = lowered(carries_nothing)
    assert "iter_args" not in text
    assert "%2 = arith.bitcast %c2_i32 : i32 to i32" in text


@kernel_function
def carries_tuple(p, n, m):
    t = (n, m)
    for i in range(n):
        t = (t[1], t[0] + i)
    tl.store(p, t[0])


def test_tuple_is_carried_by_its_members(lowered):
    assert "-> (i32, i32)" in lowered(carries_tuple)


@kernel_function
def nests(p, n, m):
    total = 0
    for i in range(n):
        for j in range(m):
            total += i
            total += j
    tl.store(p, total)


def test_nested_loops(operations):
    names = [name for name in operations(nests) if name != "arith.bitcast"]
    assert names[:3] == ["tt.func", "scf.for", "scf.for"]


@kernel_function
def counts_down(p, n, m):
    for i in range(n, m, -2):
        tl.store(p, i)


def test_negative_step_swaps_the_bounds(lowered):
    text = lowered(counts_down)
    assert (
        "%0 = arith.bitcast %arg2 : i32 to i32\n    %1 = arith.bitcast %arg1 : i32 to i32" in text
    )
    assert "arith.subi %1, %arg3" in text


@kernel_function
def wide_bounds(p, n):
    stop = n.to(tl.int64)
    for i in range(0, stop):
        tl.store(p + i, n)


def test_induction_variable_has_the_common_type(lowered):
    assert ": i64 {" in lowered(wide_bounds)


@kernel_function
def advised(p, n):
    for i in tl.range(
        0,
        n,
        num_stages=3,
        loop_unroll_factor=2,
        disallow_acc_multi_buffer=True,
        flatten=True,
        warp_specialize=False,
    ):
        tl.store(p, i)


def test_options_become_attributes(lowered):
    assert (
        "{tt.disallow_acc_multi_buffer, tt.flatten, tt.loop_unroll_factor = 2 : i32, "
        "tt.num_stages = 3 : i32}"
    ) in lowered(advised)


@kernel_function
def advises_python_range(p, n):
    for i in range(0, n, num_stages=3):  # pyright: ignore[reportCallIssue]
        tl.store(p, i)


@kernel_function
def steps_by_name(p, n, m):
    for i in range(0, n, step=m):  # pyright: ignore[reportCallIssue]
        tl.store(p, i)


def test_the_step_of_python_s_range_has_a_name(lowered):
    text = lowered(steps_by_name)
    assert "%2 = arith.bitcast %arg2 : i32 to i32" in text
    assert "step %2" in text


def test_options_of_python_s_range_are_ignored(lowered):
    with pytest.warns(IgnoredOptionWarning):
        assert "tt.num_stages" not in lowered(advises_python_range)


@kernel_function
def leaves_invariants(p, n):
    for i in tl.range(n, disable_licm=True):
        tl.store(p, i)


def test_licm_is_disabled_by_a_loop_annotation(lowered):
    text = lowered(leaves_invariants)
    assert "llvm.loop_annotation" in text
    assert "#llvm.loop_licm<disable = true, versioningDisable = true>" in text


@kernel_function
def unrolls(p, n, N: tl.constexpr):
    for i in tl.static_range(1, N):
        tl.store(p + i, n)
    for i in tl.static_range(4, 0, -2):
        tl.store(p + i, n)
    for k in (n, 3):
        tl.store(p, k)


def test_static_range_unrolls(operations):
    assert operations(unrolls, N=4).count("tt.store") == 3 + 2 + 2


@kernel_function
def loops_while(p, n, m):
    x = n
    while x > 3 and m < 4:
        x = x - 1
        m += x
    tl.store(p, x + m)


def test_while(lowered):
    text = lowered(loops_while)
    assert "scf.while (%arg3 = %arg2, %arg4 = %arg1) : (i32, i32) -> (i32, i32)" in text
    assert "scf.condition(%4) %arg3, %arg4 : i32, i32" in text


@kernel_function
def while_false(p, n, GO: tl.constexpr):
    while GO:
        n += 1
    tl.store(p, n)


def test_while_with_a_constant_condition(operations, refused):
    assert operations(while_false, GO=False) == ["tt.func", "tt.store", "tt.return"]
    assert "the loop does not terminate: its condition is a true" in refused(while_false, GO=True)


@kernel_function
def changes_type(p, n):
    x = 0
    for i in range(n):
        x = x + 1.0
    tl.store(p, x)


@kernel_function
def changes_shape(p, n):
    x = tl.zeros((4,), tl.float32)
    while n > 0:
        x = x + tl.zeros((8, 4), tl.float32)
        n -= 1


@kernel_function
def constant_in_loop(p, n):
    x = None
    for i in range(n):
        x = i


def test_carried_name_changes_its_type(refused):
    error = refused(changes_type)
    assert "Loop-carried variable x has initial type int32[] but is" in error
    assert "found: int32[] before the loop, fp32[] after its body" in error
    assert "fp32[4] before the loop, fp32[8, 4] after its body" in refused(changes_shape)
    assert "cannot reassign constexpr x in the loop" in refused(constant_in_loop)


@kernel_function
def used_after(p, n):
    for i in range(n):
        x = i
    tl.store(p, x)  # pyright: ignore[reportPossiblyUnboundVariable]


@kernel_function
def counter_after(p, n):
    i = 5
    for i in range(n):
        tl.store(p, i)
    tl.store(p, i)


def test_name_of_the_body_is_not_defined_after_the_loop(refused):
    line = used_after.first_line + 2  # the line of `for`, below the decorator and `def`
    assert f"x is not defined: only the body of the loop at line {line}" in refused(used_after)
    assert "i is not defined: it is the induction variable of the" in refused(counter_after)


@kernel_function
def same_counter_twice(p, n, m):
    for i in tl.static_range(3):
        tl.store(p + i, n)
    for k in range(m):
        for i in range(n):
            tl.store(p + i, k)
        for i in tl.static_range(2):
            tl.store(p + i, n)


def test_induction_variable_name_can_be_reused(operations):
    assert operations(same_counter_twice).count("tt.store") == 6


@kernel_function
def breaks(p, n):
    for i in range(n):
        break


@kernel_function
def has_else(p, n):
    for i in range(n):
        tl.store(p, i)
    else:
        tl.store(p, n)


@kernel_function
def over_number(p, n):
    for i in n:
        tl.store(p, i)


@kernel_function
def tuple_counter(p, n):
    for i, j in range(n):  # pyright: ignore[reportGeneralTypeIssues]
        tl.store(p, i)


@kernel_function
def static_over_value(p, n):
    for i in tl.static_range(n):
        tl.store(p, i)


@kernel_function
def static_zero_step(p, n):
    for i in tl.static_range(1, 2, 0):
        tl.store(p, i)


@kernel_function
def zero_step(p, n):
    for i in range(1, 2, 0):
        tl.store(p, i)


@kernel_function
def float_bound(p, n):
    for i in range(0, 3.5):  # pyright: ignore[reportArgumentType]
        tl.store(p, i)


@kernel_function
def float_value_bound(p, x):
    for i in range(x):
        tl.store(p, i)


@kernel_function
def unknown_option(p, n):
    for i in tl.range(0, n, num_stage=3):
        tl.store(p, i)


@kernel_function
def no_bounds(p, n):
    for i in range():  # pyright: ignore[reportCallIssue]
        tl.store(p, i)


@kernel_function
def run_time_advice(p, n):
    for i in tl.range(0, n, num_stages=n):
        tl.store(p, i)


@kernel_function
def block_start(p, n):
    for i in range(tl.arange(0, 32), n, 1):
        tl.store(p, i)


@kernel_function
def block_stop(p, n):
    for i in range(0, tl.arange(0, 32), 1):
        tl.store(p, i)


@kernel_function
def block_step(p, n):
    for i in range(0, n, tl.arange(0, 32)):
        tl.store(p, i)


def test_unsupported_loops(refused):
    assert "unsupported AST node type: Break" in refused(breaks)
    assert "else after a loop is not supported" in refused(has_else)
    assert "Only `range` and `static_range` iterators are currently" in refused(over_number)
    assert "the induction variable of a loop must be one name" in refused(tuple_counter)
    assert "arg1 of tl.static_range is not a constexpr integer" in refused(static_over_value)
    assert "invalid arguments of tl.static_range: range() arg 3" in refused(static_zero_step)
    assert "the step of range() must not be zero" in refused(zero_step)
    ints = "For loop bounds and step must all be ints, are"
    assert f"{ints} (int32, fp32, int32)" in refused(float_bound)
    assert f"{ints} (int32, fp32, int32)" in refused(float_value_bound)
    for kernel, name in (
        (block_start, "lower bound"),
        (block_stop, "upper bound"),
        (block_step, "step"),
    ):
        assert f"For {name} must be a scalar, got int32[32]" in refused(kernel)
    assert "did you mean num_stages" in refused(unknown_option)
    assert "range() expected 1 to 3 bounds, got 0" in refused(no_bounds)
    assert "num_stages of tl.range must be a compile-time constant" in refused(run_time_advice)


@kernel_function
def hints_about_carried_names(p, n, m):
    a = n + 1
    b = m * 2
    for i in range(n):
        tl.store(p, tl.multiple_of(b, 16))
        a = tl.multiple_of(a, 8) + i
    tl.store(p, a)


def test_hints_about_carried_names_are_on_the_loop_and_the_values_before_it(lowered):
    lines = lowered(hints_about_carried_names).splitlines()
    hints = [line.strip() for line in lines if "tt.divisibility" in line and "func" not in line]
    first, second, loop = hints
    assert first.startswith("%0 = arith.addi")
    assert "dense<8>" in first
    assert "arith.muli" in second
    assert "dense<16>" in second
    assert loop == "} {tt.divisibility_arg1 = dense<8> : tensor<1xi32>}"


@kernel_function
def while_with_options(p, n, DISABLE: tl.constexpr):
    while tl.condition(n > 0, disable_licm=DISABLE):
        n -= tl.load(p)
    tl.store(p, n)


def test_while_with_options(lowered):
    assert "llvm.loop_annotation" in lowered(while_with_options, DISABLE=True)
    assert "llvm.loop_annotation" not in lowered(while_with_options, DISABLE=False)


@kernel_function
def run_time_option(p, n):
    while tl.condition(n > 0, disable_licm=n > 1):
        n -= tl.load(p)


@kernel_function
def condition_outside_of_while(p, n):
    if tl.condition(n > 0):
        tl.store(p, n)


@kernel_function
def unknown_option_of_while(p, n):
    while tl.condition(n > 0, unroll=2):
        n -= tl.load(p)


def test_invalid_conditions(refused):
    assert "disable_licm of tl.condition must be a compile-time" in refused(run_time_option)
    assert "can only be the condition of a while" in refused(condition_outside_of_while)
    assert "unexpected keyword argument 'unroll'" in refused(unknown_option_of_while)
