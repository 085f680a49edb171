"""The linear layout of encodings: laws, refusals and Triton's answers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.strategies import blocked, encoded_shapes, powers, shapes
from weft.errors import LayoutError
from weft.layouts import (
    AmdRotatingSharedEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    SliceEncoding,
    SwizzledSharedEncoding,
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


@given(encoded_shapes(2), st.data())
def test_a_slice_is_the_parent_without_a_dimension(
    case: tuple[BlockedEncoding, tuple[int, ...]], data: st.DataObject
) -> None:
    parent, shape = case
    dim = data.draw(st.integers(0, len(shape) - 1))
    kept = (*shape[:dim], *shape[dim + 1 :])
    layout = SliceEncoding(dim, parent).linear(kept)
    whole = parent.linear((*shape[:dim], 1, *shape[dim + 1 :]))
    for name in ("lane", "warp", "block"):
        assert layout.bases[name] == [v[:dim] + v[dim + 1 :] for v in whole.bases[name]]
    assert all(map(any, layout.bases["register"]))


@given(st.data())
def test_dot_operands_hold_all_of_k(data: st.DataObject) -> None:
    parent, shape, side = data.draw(blocked(2)), data.draw(shapes(2)), data.draw(st.integers(0, 1))
    k = 1 - side
    layout = DotOperandEncoding(side, parent).linear(shape)
    in_registers = {vector[k] for vector in layout.bases["register"]}
    assert {1 << bit for bit in range(shape[k].bit_length() - 1)} <= in_registers
    for name in ("lane", "warp", "block"):
        assert all(vector[k] == 0 for vector in layout.bases[name])


@given(powers(3), powers(3), powers(3), st.permutations(range(2)), shapes(2))
def test_swizzle_is_the_formula(
    vec: int, per_phase: int, max_phase: int, order: list[int], shape: tuple[int, ...]
) -> None:
    layout = SwizzledSharedEncoding(vec, per_phase, max_phase, tuple(order)).linear(shape)
    columns = shape[order[0]]
    for offset in range(0, math.prod(shape), 7):
        row, column = divmod(offset, columns)
        column ^= vec * (row // per_phase % max_phase) % columns
        point = {f"dim{order[0]}": column, f"dim{order[1]}": row}
        assert layout.apply({"offset": offset, "block": 0}) == point


@given(powers(3), powers(3), powers(3), shapes(2))
def test_rotation_is_the_formula(
    vec: int, per_phase: int, max_phase: int, shape: tuple[int, ...]
) -> None:
    layout = AmdRotatingSharedEncoding(vec, per_phase, max_phase, (1, 0)).linear(shape)
    for row in (1 << bit for bit in range(shape[0].bit_length() - 1)):
        step = row // per_phase
        phase = step % max_phase ^ step // max_phase % max_phase
        point = layout.apply({"offset": row * shape[1], "block": 0})
        assert point == {"dim0": row, "dim1": vec * phase % shape[1]}


@pytest.mark.oracle
@given(
    st.sampled_from([SwizzledSharedEncoding, AmdRotatingSharedEncoding]),
    st.tuples(powers(3), powers(3), powers(4)),
    st.permutations(range(2)),
    shapes(2),
)
def test_shared_as_triton(
    cls: type[SwizzledSharedEncoding | AmdRotatingSharedEncoding],
    numbers: tuple[int, int, int],
    order: list[int],
    shape: tuple[int, ...],
) -> None:
    from tests.layouts import oracle

    encoding = cls(*numbers, tuple(order))
    if math.prod(shape) > 1:
        assert encoding.linear(shape).bases["offset"] == oracle.shared_linear(encoding, shape)


@given(encoded_shapes())
def test_linear_says_what_blocked_says(case: tuple[BlockedEncoding, tuple[int, ...]]) -> None:
    encoding, shape = case
    if math.prod(shape) > 1:
        assert linear_encoding(encoding.linear(shape)).linear(shape) is encoding.linear(shape)


@pytest.mark.parametrize(
    ("encoding", "shape", "message"),
    [
        (PLAIN, (16,), "the shape must have 2 dimensions, as #ttg.blocked has"),
        (PLAIN, (16, 48), "dimension 1 of the shape must be a power of two"),
        (PLAIN, (0, 16), "dimension 0 of the shape must be a power of two"),
        (
            parse("#ttg.shared_linear<{offset = [[1]]}, alignment = 16>"),
            (4,),
            "the shape must be the one that #ttg.shared_linear spells",
        ),
        (
            parse("#gluon.auto_encoding"),
            (128, 4),
            "the linear layout of #gluon.auto_encoding is not known to weft",
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
