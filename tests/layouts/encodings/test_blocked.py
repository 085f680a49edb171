"""Blocked encodings, and Triton's layouts of all that is derived from them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.strategies import encoded_shapes, powers
from weft.errors import LayoutError
from weft.layouts import (
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    SliceEncoding,
    parse,
)
from weft.layouts.inference import linear_encoding

Case = tuple[Encoding, tuple[int, ...]]
PLAIN = BlockedEncoding((1, 4), (4, 8), (4, 1), (1, 0))


def test_blocked_by_hand() -> None:
    layout = PLAIN.linear((16, 64))
    assert layout.bases == {
        "register": [[0, 1], [0, 2], [0, 32]],
        "lane": [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]],
        "warp": [[4, 0], [8, 0]],
        "block": [],
    }
    assert PLAIN.linear([16, 64]) is layout


def test_a_small_tensor_is_held_several_times() -> None:
    assert PLAIN.linear((1, 8)).bases["warp"] == [[0, 0], [0, 0]]


@given(encoded_shapes())
def test_distributed_layouts_hold_every_element(
    case: tuple[BlockedEncoding, tuple[int, ...]],
) -> None:
    encoding, shape = case
    layout = encoding.linear(shape)
    assert layout.is_surjective
    assert tuple(layout.out_dims.values()) == shape
    assert all(vector.count(0) >= len(shape) - 1 for v in layout.bases.values() for vector in v)


@pytest.mark.parametrize(
    ("encoding", "shape", "message"),
    [
        (PLAIN, (16,), "#ttg.blocked: the shape must have 2 dimensions"),
        (PLAIN, (16, 48), "dimension 1 of the shape must be a power of two"),
        (PLAIN, (0, 16), "dimension 0 of the shape must be a power of two"),
        (
            parse("#gluon.auto_encoding"),
            (128, 4),
            "#gluon.auto_encoding: has no rank before it is resolved",
        ),
    ],
)
def test_refuses(encoding: Encoding, shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        encoding.linear(shape)
    assert message in str(caught.value)


@st.composite
def distributed(draw: st.DrawFn) -> Case:
    encoding, shape = draw(encoded_shapes(1, 4))
    kind = draw(st.sampled_from(["blocked", "slice", "slice twice", "dot", "linear"]))
    if kind == "linear":
        other = tuple(
            max(1, size * n // d) for size, (n, d) in zip(shape, draw(_scales(shape)), strict=True)
        )
        return linear_encoding(encoding.linear(shape)), other
    if kind == "dot" and len(shape) in (2, 3):
        return DotOperandEncoding(draw(st.integers(0, 1)), encoding), shape
    result: Encoding = encoding
    for _ in range({"slice": 1, "slice twice": 2}.get(kind, 0)):
        if len(shape) > 1:
            dim = draw(st.integers(0, len(shape) - 1))
            result, shape = SliceEncoding(dim, result), (*shape[:dim], *shape[dim + 1 :])
    return result, shape


def _scales(shape: tuple[int, ...]) -> st.SearchStrategy:
    return st.tuples(*(st.tuples(powers(2), powers(2)) for _ in shape))


@pytest.mark.oracle
@given(distributed())
def test_as_triton(case: Case) -> None:
    from tests.layouts import oracle

    encoding, shape = case
    if 1 < math.prod(shape) <= 1 << 20:  # what a tensor type of Triton may hold
        assert encoding.linear(shape).bases == oracle.linear(encoding, shape)
