"""tl.arange, tl.full and tl.cast: their operations, and errors."""

from __future__ import annotations

import pytest

import weft.language as tl
from tests.frontend.semantics.bench import Bench, emitted, error_of
from weft.errors import TypeMismatchError

BLOCK = "fp32[8]"

LAST = [
    ((), tl.arange, (0, 8), {}, "tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>"),
    (
        (),
        tl.full,
        ((4,), 1 << 31, tl.int32),
        {},
        "arith.constant dense<-2147483648> : tensor<4xi32>",
    ),
    (
        (),
        tl.arange,
        (False, True),
        {},
        "tt.make_range {end = 1 : i32, start = 0 : i32} : tensor<1xi32>",
    ),
    (
        (),
        tl.full,
        ((4, 4), 2, tl.float16),
        {},
        "arith.constant dense<2.000000e+00> : tensor<4x4xf16>",
    ),
    ((), tl.to_tensor, (3,), {}, "arith.constant 3 : i32"),
    (("fp32",), tl.cast, (tl.int32, None, True), {}, "tt.bitcast %arg0 : f32 -> i32"),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "last"), LAST, ids=[row[4][:40] for row in LAST]
)
def test_last_operation(types, function, args, kwargs, last):
    assert emitted(types, function, *args, **kwargs)[-1] == last


ERRORS = [
    (
        (),
        tl.arange,
        (0, 100),
        {},
        ("arange's range must be a power of 2", "of 100 elements", "64, 128"),
    ),
    ((), tl.arange, (8, 0), {}, ("arange's end argument must be greater than the start",)),
    ((), tl.arange, (0, 2**40), {}, ("arange must fit in int32",)),
    (
        ("i32",),
        tl.arange,
        (8,),
        {},
        ("arange's arguments must be of type tl.constexpr", "declare the parameter"),
    ),
    ((), tl.full, ((3,), 0, tl.int32), {}, ("must be a power of 2",)),
    ((), tl.full, ((4,), 1.5, tl.int32), {}, ("cannot convert 1.5 to int32",)),
    ((), tl.full, ((4,), 0, "int32"), {}, ("expected an element type",)),
    ((), tl.full, ((4,), 300, tl.int8), {}, ("scalar 300 is out of range for type int8",)),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "fragments"),
    ERRORS,
    ids=[f"{row[1].__name__}-{row[4][0][:30]}" for row in ERRORS],
)
def test_error(types, function, args, kwargs, fragments):
    message = error_of(types, function, *args, **kwargs)
    assert all(fragment in message for fragment in fragments)


def test_full_of_a_block_is_an_error():
    bench = Bench(BLOCK)
    with pytest.raises(TypeMismatchError, match=r"tl\.full only accepts a scalar value"):
        bench.call(tl.full, (8,), bench.args[0], tl.float32)
