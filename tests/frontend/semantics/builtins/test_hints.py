"""tl.multiple_of, tl.assume and their relatives: their operations, and errors."""

from __future__ import annotations

import pytest

import weft.language as tl
from tests.frontend.semantics.bench import Bench, emitted, error_of

BLOCK = "fp32[8]"

LAST = [
    (("i1",), tl.assume, (), {}, "llvm.intr.assume %arg0 : i1"),
    ((), tl.debug_barrier, (), {}, "ttg.barrier all"),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "last"), LAST, ids=[row[4][:40] for row in LAST]
)
def test_last_operation(types, function, args, kwargs, last):
    assert emitted(types, function, *args, **kwargs)[-1] == last


def test_hints_are_attributes():
    bench = Bench("i32[8, 4]")
    doubled = bench.emitter.binary("+", *bench.args, *bench.args)
    bench.call(tl.max_contiguous, bench.call(tl.multiple_of, doubled, (8, 4)), (4, 4))
    (line,) = bench.lines(doubled)
    assert "tt.contiguity = dense<4> : tensor<2xi32>" in line
    assert "tt.divisibility = dense<[8, 4]> : tensor<2xi32>" in line


ERRORS = [
    (
        (BLOCK,),
        tl.multiple_of,
        ((8, 8),),
        {},
        ("shape of input to multiple_of does not match the length",),
    ),
    ((BLOCK,), tl.multiple_of, (1.5,), {}, ("values element 0 must have type `constexpr[int]`",)),
    (("i32",), tl.assume, (), {}, ("tl.assume requires a boolean scalar",)),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "fragments"),
    ERRORS,
    ids=[f"{row[1].__name__}-{row[4][0][:30]}" for row in ERRORS],
)
def test_error(types, function, args, kwargs, fragments):
    message = error_of(types, function, *args, **kwargs)
    assert all(fragment in message for fragment in fragments)
