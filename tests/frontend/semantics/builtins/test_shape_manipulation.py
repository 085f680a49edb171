"""tl.reshape, tl.trans, tl.join and the other shape operations: their operations, and errors."""

from __future__ import annotations

import pytest

import weft.language as tl
from tests.frontend.semantics.bench import Bench, emitted, error_of
from weft.errors import TypeMismatchError

BLOCK = "fp32[8]"

LAST = [
    (
        ("i32[8, 4]",),
        tl.trans,
        (),
        {},
        "tt.trans %arg0 {order = array<i32: 1, 0>} : tensor<8x4xi32> -> tensor<4x8xi32>",
    ),
    (("i32[8]",), tl.reshape, (2, 4), {}, "tt.reshape %arg0 : tensor<8xi32> -> tensor<2x4xi32>"),
    (
        ("i32[8]",),
        tl.view,
        ((2, 4),),
        {},
        "tt.reshape %arg0 allow_reorder : tensor<8xi32> -> tensor<2x4xi32>",
    ),
    (
        ("i32[8]", "i32[8]"),
        tl.join,
        (),
        {},
        "tt.join %arg0, %arg1 : tensor<8xi32> -> tensor<8x2xi32>",
    ),
    (("i32[8, 2]",), tl.split, (), {}, "tt.split %arg0 : tensor<8x2xi32> -> tensor<8xi32>"),
    (
        (
            "i32[8]",
            "i32[8]",
        ),
        tl.cat,
        (True,),
        {},
        "tt.cat %arg0, %arg1 : tensor<8xi32> -> tensor<16xi32>",
    ),
    (("i32[8]",), tl.histogram, (16,), {}, "tt.histogram %arg0 : tensor<8xi32> -> tensor<16xi32>"),
    (
        ("fp32[8, 4]", "i32[8, 16]"),
        tl.gather,
        (-1,),
        {},
        "tt.gather %arg0[%arg1] {axis = 1 : i32} : "
        "(tensor<8x4xf32>, tensor<8x16xi32>) -> tensor<8x16xf32>",
    ),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "last"), LAST, ids=[row[4][:40] for row in LAST]
)
def test_last_operation(types, function, args, kwargs, last):
    assert emitted(types, function, *args, **kwargs)[-1] == last


ERRORS = [
    (
        (BLOCK,),
        tl.reshape,
        (4,),
        {},
        ("reshape() cannot change total number of elements in", "8 in shape (8,), 4 in (4,)"),
    ),
    ((BLOCK,), tl.trans, (), {}, ("tl.trans invoked with a 0- or 1-dimensional tensor",)),
    (
        ("fp32[8, 4]",),
        tl.permute,
        (0, 0),
        {},
        ("permute dims must be a permutation of 0, 1, ..., n-1,",),
    ),
    ((BLOCK,), tl.expand_dims, (3,), {}, ("invalid axis 3. Expected -2 <= axis < 2",)),
    (
        (BLOCK,),
        tl.expand_dims,
        ((0, 0),),
        {},
        ("expand_dims received duplicate axes, normalized axes = [0, 0]",),
    ),
    ((BLOCK,), tl.broadcast_to, (4, 8), {}, ("cannot broadcast, rank mismatch", "x[None, :]")),
    (
        (BLOCK,),
        tl.broadcast_to,
        (16,),
        {},
        ("Cannot broadcast, the expanded size of the tensor (16)",),
    ),
    (
        (BLOCK, "i32[8]"),
        tl.join,
        (),
        {},
        ("both operands of tl.join must be same dtype", "fp32 and int32"),
    ),
    ((BLOCK,), tl.split, (), {}, ("tl.split requires a last dimension of size 2",)),
    ((BLOCK, "fp32[4]"), tl.cat, (), {}, ("two blocks of one shape",)),
    (("fp32[8, 4]", "fp32[8, 4]"), tl.cat, (True,), {}, ("blocks of one dimension",)),
    ((BLOCK, BLOCK), tl.gather, (0,), {}, ("index must be an integer tensor",)),
    (
        (BLOCK, "i32[8, 4]"),
        tl.gather,
        (0,),
        {},
        ("source and index tensors must have the same rank",),
    ),
    (
        ("fp32[8, 4]", "i32[4, 4]"),
        tl.gather,
        (1,),
        {},
        ("index dim 0 must match the corresponding source dim",),
    ),
    ((BLOCK,), tl.histogram, (16,), {}, ("histogram only supports integer input",)),
    (
        ("i32[8]", "i32"),
        tl.histogram,
        (),
        {},
        ("num_bins of tl.histogram must be of type tl.constexpr",),
    ),
    (("i32[8]",), tl.histogram, (16, 3), {}, ("mask must have boolean scalar type",)),
    (("i32[8, 4]",), tl.histogram, (16,), {}, ("histogram only supports 1D input",)),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "fragments"),
    ERRORS,
    ids=[f"{row[1].__name__}-{row[4][0][:30]}" for row in ERRORS],
)
def test_error(types, function, args, kwargs, fragments):
    message = error_of(types, function, *args, **kwargs)
    assert all(fragment in message for fragment in fragments)


def test_item_of_a_block_with_several_elements_is_an_error():
    bench = Bench(BLOCK)
    item = bench.emitter.attribute(bench.args[0], "item")
    with pytest.raises(TypeMismatchError, match="can only unsplat single-element tensors"):
        bench.call(item)
