"""tl.make_block_ptr, tl.advance, loads and stores of block pointers: operations and errors."""

from __future__ import annotations

import pytest

import weft.language as tl
from tests.frontend.semantics.bench import Bench, emitted, error_of

LAST = [
    (
        ("block*fp16[16, 32]",),
        tl.load,
        (),
        {"boundary_check": (1, 0), "padding_option": "nan"},
        "tt.load %arg0 {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} "
        ": !tt.ptr<tensor<16x32xf16>>",
    ),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "last"), LAST, ids=[row[4][:40] for row in LAST]
)
def test_last_operation(types, function, args, kwargs, last):
    assert emitted(types, function, *args, **kwargs)[-1] == last


def test_block_pointer():
    bench = Bench("*fp16", "i32")
    base, n = bench.args
    pointer = bench.call(tl.make_block_ptr, base, (n, 64), (64, 1), (0, 0), (16, 32), (1, 0))
    moved = bench.call(tl.advance, pointer, (0, n))
    bench.call(tl.store, moved, bench.call(tl.load, pointer), boundary_check=(0,))
    lines = bench.lines()
    assert lines[0] == "arith.extsi %arg1 : i32 to i64"
    assert any(line.startswith("tt.make_tensor_ptr %arg0") for line in lines)
    assert any(line.startswith("tt.advance") for line in lines)
    assert lines[-1].startswith("tt.store")
    assert "boundaryCheck = array<i32: 0>" in lines[-1]


ERRORS = [
    (
        ("block*fp32[8, 8]",),
        tl.load,
        (True,),
        {},
        ("`mask` and `other` arguments cannot be specified for",),
    ),
    (
        ("block*fp32[8, 8]",),
        tl.load,
        (),
        {"boundary_check": (2,)},
        ("invalid dimension 2 in `boundary_check`",),
    ),
    (
        ("block*fp32[8, 8]",),
        tl.load,
        (),
        {"boundary_check": (0, 0)},
        ("Duplicate dimension in `boundary_check`",),
    ),
    (
        ("block*i32[8, 8]",),
        tl.load,
        (),
        {"padding_option": "nan"},
        ("Padding option `nan` is not supported for integer block",),
    ),
    (
        ("block*fp32[8, 8]",),
        tl.load,
        (),
        {"padding_option": "x"},
        ("Padding option x not supported",),
    ),
    (
        ("block*fp32[8, 8]", "fp16[8, 8]"),
        tl.store,
        (),
        {},
        ("Block element type(fp32) and value element type(fp16)",),
    ),
    (
        ("block*fp32[8, 8]", "fp32[8, 8]"),
        tl.store,
        (True,),
        {},
        ("`mask` argument cannot be specified for storing block",),
    ),
    (
        ("*fp32",),
        tl.make_block_ptr,
        ((8,), (1,), (0,), (8,), (1,)),
        {},
        ("Expected a permutation of (0, 1, ..., len(order)-1) in",),
    ),
    (
        ("*fp32",),
        tl.make_block_ptr,
        ((8, 8), (1,), (0,), (8,), (0,)),
        {},
        ("Expected shape/strides/offsets/block_shape to have the",),
    ),
    (
        ("i32",),
        tl.make_block_ptr,
        ((8,), (1,), (0,), (8,), (0,)),
        {},
        ("Expected `base` to be a pointer type (but not a block",),
    ),
    (
        ("*fp32",),
        tl.make_block_ptr,
        ((8.5,), (1,), (0,), (8,), (0,)),
        {},
        ("expected integer scalars in shape of tl.make_block_ptr",),
    ),
    (
        ("*fp32",),
        tl.make_block_ptr,
        ((8,), (1,), (2**40,), (8,), (0,)),
        {},
        ("offsets of tl.make_block_ptr must be 32 bit integers",),
    ),
    (("*fp32",), tl.advance, ((1,),), {}, ("expected `base` of tl.advance to be a block pointer",)),
    (("block*fp32[8, 8]",), tl.advance, ((1,),), {}, ("expected 2 offsets, but got 1",)),
    (
        ("block*fp32[8]", "i64"),
        tl.advance,
        (),
        {},
        ("offsets of tl.advance must be 32 bit integers", ".to(tl.int32)"),
    ),
    (
        ("block*fp32[8, 8]", "fp32[8]"),
        tl.store,
        (),
        {},
        ("Block shape((8, 8)) and value shape((8,)) mismatch",),
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
