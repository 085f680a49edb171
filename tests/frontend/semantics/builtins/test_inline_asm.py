"""tl.inline_asm_elementwise and the builtins written in PTX: their operations, and errors."""

from __future__ import annotations

import pytest

import weft.language as tl
from tests.frontend.semantics.bench import Bench, emitted, error_of

LAST = [
    (
        (),
        tl.extra.cuda.smid,
        (),
        {},
        'tt.elementwise_inline_asm "mov.u32 $0, %smid;" '
        '{constraints = "=r", packed_element = 1 : i32, pure = true} -> i32',
    ),
    (
        (),
        tl.extra.cuda.gdc_wait,
        (),
        {},
        'tt.elementwise_inline_asm "griddepcontrol.wait; // dummy $0" '
        '{constraints = "=r", packed_element = 1 : i32, pure = false} -> i32',
    ),
    (
        (),
        tl.extra.cuda.gdc_launch_dependents,
        (),
        {},
        'tt.elementwise_inline_asm "griddepcontrol.launch_dependents; // dummy $0" '
        '{constraints = "=r", packed_element = 1 : i32, pure = false} -> i32',
    ),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "last"), LAST, ids=[row[4][:40] for row in LAST]
)
def test_last_operation(types, function, args, kwargs, last):
    assert emitted(types, function, *args, **kwargs)[-1] == last


def test_inline_asm():
    bench = Bench("fp32[8, 1]", "i32[4]")
    results = bench.call(
        tl.inline_asm_elementwise, "foo", "=r,=r,r,r", bench.args, (tl.int32, tl.float16), True, 2
    )
    assert [value.type for value in results.items] == [
        tl.block_type(tl.int32, (8, 4)),
        tl.block_type(tl.float16, (8, 4)),
    ]


ERRORS = [
    (
        (),
        tl.inline_asm_elementwise,
        (1, "=r", (), tl.int32, True, 1),
        {},
        ("asm must be a constant",),
    ),
    (
        (),
        tl.inline_asm_elementwise,
        ("x", "=r", (), tl.int32, True, 0),
        {},
        ("pack must be a positive integer",),
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
