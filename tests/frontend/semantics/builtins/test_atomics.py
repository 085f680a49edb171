"""tl.atomic_add and the other atomics: their operations, and errors."""

from __future__ import annotations

import pytest

import weft.language as tl
from tests.frontend.conftest import lower_kernel
from tests.frontend.semantics.bench import emitted, error_of
from weft.ir.text import print_module
from weft.language.kernel_function import kernel_function

LAST = [
    (
        ("*i32[8]", "i32[8]", "i1[8]"),
        tl.atomic_max,
        (),
        {"sem": "relaxed", "scope": "cta"},
        "tt.atomic_rmw max, relaxed, cta, %arg0, %arg1, %arg2 : "
        "(tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>",
    ),
    (
        ("*i32", "i32", "i32"),
        tl.atomic_cas,
        (),
        {},
        "tt.atomic_cas acq_rel, gpu, %arg0, %arg1, %arg2 : (!tt.ptr<i32>, i32, i32) -> i32",
    ),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "last"), LAST, ids=[row[4][:40] for row in LAST]
)
def test_last_operation(types, function, args, kwargs, last):
    assert emitted(types, function, *args, **kwargs)[-1] == last


def test_compared_integer_keeps_its_sign():
    lines = emitted(("*u32", "i32", "u32"), tl.atomic_cas)
    assert not [line for line in lines if "bitcast" in line]


@kernel_function
def sign_of_old_value(p, q, new):
    tl.store(q, tl.atomic_cas(p, 0, new) >> 31)


@pytest.mark.parametrize(("new", "shift"), [("i32", "arith.shrsi"), ("u32", "arith.shrui")])
def test_old_value_has_the_type_of_the_new_one(new, shift):
    module = lower_kernel(sign_of_old_value, types={"p": "*u32", "q": "*i32", "new": new})
    assert shift in print_module(module)


def test_float_maximum_is_two_integer_atomics():
    kinds = [line.split(",")[0] for line in emitted(("*fp32", "fp32"), tl.atomic_max)]
    assert [kind for kind in kinds if "rmw" in kind] == ["tt.atomic_rmw max", "tt.atomic_rmw umin"]


ERRORS = [
    (("*i8", "i8"), tl.atomic_add, (), {}, ("atomic_add does not support int8",)),
    (("*fp32", "i32"), tl.atomic_and, (), {}, ("atomic_and does not support fp32",)),
    (
        ("*i32", "i32"),
        tl.atomic_add,
        (),
        {"sem": "x"},
        ("memory semantic x not supported", '"relaxed"'),
    ),
    (("*i32", "i32"), tl.atomic_add, (), {"scope": "x"}, ("memory semantic x not supported",)),
    (
        ("*i32", "i32[8]"),
        tl.atomic_add,
        (),
        {},
        ("value argument cannot be block type if pointer argument",),
    ),
    (("*i32[8]", "i32", "i32[8]"), tl.atomic_add, (), {}, ("mask must have boolean scalar type",)),
    (
        ("*i8", "i8", "i8"),
        tl.atomic_cas,
        (),
        {},
        ("atomic_cas only supports elements with width {16, 32,",),
    ),
    (("*i32", "i32[8]", "i32"), tl.atomic_cas, (), {}, ("have the shape of the pointers",)),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "fragments"),
    ERRORS,
    ids=[f"{row[1].__name__}-{row[4][0][:30]}" for row in ERRORS],
)
def test_error(types, function, args, kwargs, fragments):
    message = error_of(types, function, *args, **kwargs)
    assert all(fragment in message for fragment in fragments)
