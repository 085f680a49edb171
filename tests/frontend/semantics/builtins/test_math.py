"""The functions of tl.math: their operations, and errors."""

from __future__ import annotations

import pytest

import weft.language as tl
from tests.frontend.semantics.bench import emitted, error_of

LAST = [
    (("fp32",), tl.exp, (), {}, "math.exp %arg0 : f32"),
    (("fp32",), tl.sqrt_rn, (), {}, "tt.precise_sqrt %arg0 : f32"),
    (("fp32", "fp32"), tl.div_rn, (), {}, "tt.precise_divf %arg0, %arg1 : f32"),
    (("i32",), tl.abs, (), {}, "math.absi %arg0 : i32"),
    (("fp16", "fp16", "fp16"), tl.fma, (), {}, "math.fma %arg0, %arg1, %arg2 : f16"),
    (("u32", "u32"), tl.umulhi, (), {}, "tt.mulhiui %arg0, %arg1 : i32"),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "last"), LAST, ids=[row[4][:40] for row in LAST]
)
def test_last_operation(types, function, args, kwargs, last):
    assert emitted(types, function, *args, **kwargs)[-1] == last


ERRORS = [
    (
        ("fp16",),
        tl.exp,
        (),
        {},
        (
            "Expected dtype ['fp32', 'fp64'] but got fp16 in tl.exp",
            "accepted: fp32, fp64",
            ".to(tl.float32)",
        ),
    ),
    (("*fp32",), tl.abs, (), {}, ("Unexpected dtype pointer<fp32> in tl.abs",)),
    (("i32", "i32"), tl.fdiv, (), {}, ("both operands of fdiv must have floating scalar type",)),
    (("i32", "i32", "i32"), tl.fma, (), {}, ("Unexpected dtype int32 in tl.fma",)),
    (("i16", "i16"), tl.umulhi, (), {}, ("Expected dtype ['int32', 'int64', 'uint32', 'uint64']",)),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "fragments"),
    ERRORS,
    ids=[f"{row[1].__name__}-{row[4][0][:30]}" for row in ERRORS],
)
def test_error(types, function, args, kwargs, fragments):
    message = error_of(types, function, *args, **kwargs)
    assert all(fragment in message for fragment in fragments)
