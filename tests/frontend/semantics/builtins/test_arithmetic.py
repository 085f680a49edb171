"""tl.clamp, tl.maximum, tl.minimum and tl.where: their operations, and errors."""

from __future__ import annotations

import pytest

import weft.language as tl
from tests.frontend.semantics.bench import emitted, error_of
from weft.errors import DeprecatedWarning

BLOCK = "fp32[8]"

LAST = [
    (
        ("fp32", "fp32", "fp32"),
        tl.clamp,
        (),
        {},
        "tt.clampf %arg0, %arg1, %arg2, propagateNan = none : f32",
    ),
    (
        ("fp32", "fp32"),
        tl.maximum,
        (),
        {"propagate_nan": tl.PropagateNan.ALL},
        "arith.maximumf %arg0, %arg1 : f32",
    ),
    (("u32", "u32"), tl.minimum, (), {}, "arith.minui %arg0, %arg1 : i32"),
    (("i1", "fp32", "fp32"), tl.where, (), {}, "arith.select %arg0, %arg1, %arg2 : f32"),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "last"), LAST, ids=[row[4][:40] for row in LAST]
)
def test_last_operation(types, function, args, kwargs, last):
    assert emitted(types, function, *args, **kwargs)[-1] == last


ERRORS = [
    (
        ("i32", "i32", "i32"),
        tl.clamp,
        (),
        {},
        ("Unexpected dtype int32. Only floating point clamp is",),
    ),
    ((BLOCK, BLOCK), tl.maximum, (3,), {}, ("Unexpected propagate_nan 3",)),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "fragments"),
    ERRORS,
    ids=[f"{row[1].__name__}-{row[4][0][:30]}" for row in ERRORS],
)
def test_error(types, function, args, kwargs, fragments):
    message = error_of(types, function, *args, **kwargs)
    assert all(fragment in message for fragment in fragments)


def test_where_with_an_integer_condition_warns():
    with pytest.warns(DeprecatedWarning, match="non-boolean condition is deprecated .* Got uint32"):
        emitted(("u32", "fp32", "fp32"), tl.where)
