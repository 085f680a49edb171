"""tl.device_print and tl.device_assert: their operations, and errors."""

from __future__ import annotations

import pytest

import weft.language as tl
from tests.frontend.semantics.bench import Bench, emitted, error_of
from weft.errors import CompilationError
from weft.frontend.options import FrontendOptions


def test_device_print_and_assert():
    bench = Bench("i32", "i1", options=FrontendOptions(debug=True))
    n, condition = bench.args
    bench.call(tl.device_print, "n", n, hex=True)
    bench.call(tl.device_assert, condition, "no")
    assert bench.lines() == [
        'tt.print " n: " {hex = true, isSigned = array<i32: 1>} : %arg0 : i32',
        'tt.assert %arg1, "no" : i1',
    ]
    assert emitted(("i1",), tl.device_assert, "no") == []


def test_device_assert_of_a_number():
    with pytest.raises(
        CompilationError, match=r"the condition of tl\.device_assert must have boolean"
    ):
        emitted(("i32",), tl.device_assert, "no", options=FrontendOptions(debug=True))


ERRORS = [
    ((), tl.device_print, (3,), {}, ("the prefix of tl.device_print is not string",)),
    ((), tl.device_print, ("a\n",), {}, ("the prefix of tl.device_print is not an ascii string",)),
    (("i1",), tl.device_assert, (3,), {}, ("the message of tl.device_assert is not string",)),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "fragments"),
    ERRORS,
    ids=[f"{row[1].__name__}-{row[4][0][:30]}" for row in ERRORS],
)
def test_error(types, function, args, kwargs, fragments):
    message = error_of(types, function, *args, **kwargs)
    assert all(fragment in message for fragment in fragments)
