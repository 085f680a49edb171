"""tl.program_id and tl.num_programs: their operations, and errors."""

from __future__ import annotations

import pytest

import weft.language as tl
from tests.frontend.semantics.bench import emitted, error_of

LAST = [
    ((), tl.program_id, (1,), {}, "tt.get_program_id y : i32"),
    ((), tl.num_programs, (0,), {}, "tt.get_num_programs x : i32"),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "last"), LAST, ids=[row[4][:40] for row in LAST]
)
def test_last_operation(types, function, args, kwargs, last):
    assert emitted(types, function, *args, **kwargs)[-1] == last


ERRORS = [
    (
        (),
        tl.program_id,
        (3,),
        {},
        ("program_id axis must be 0, 1, or 2 but got 3 (int)", "found: 3", "accepted: 0, 1, 2"),
    ),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "fragments"),
    ERRORS,
    ids=[f"{row[1].__name__}-{row[4][0][:30]}" for row in ERRORS],
)
def test_error(types, function, args, kwargs, fragments):
    message = error_of(types, function, *args, **kwargs)
    assert all(fragment in message for fragment in fragments)
