"""What shape operations do to an encoding: laws on the linear layout, and Triton's answers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.strategies import blocked, encoded_shapes, split_over
from weft.errors import LayoutError
from weft.layouts import BlockedEncoding, Encoding, SliceEncoding, inference
from weft.layouts.inference import (
    infer_expand_dims,
    infer_join,
    infer_reduce,
    infer_reshape,
    infer_split,
    infer_trans,
    linear_encoding,
)

Case = tuple[Encoding, tuple[int, ...]]
PLAIN = BlockedEncoding((1, 4), (4, 8), (4, 1), (1, 0))


@st.composite
def any_encodings(draw: st.DrawFn) -> Case:
    """Blocked, linear, or a slice of blocked."""
    encoding, shape = draw(encoded_shapes(1, 3))
    kind = draw(st.sampled_from(["blocked", "linear", "slice"]))
    if kind == "linear":
        return linear_encoding(encoding.linear(shape)), shape
    if kind == "slice" and len(shape) > 1:
        dim = draw(st.integers(0, len(shape) - 1))
        return SliceEncoding(dim, encoding), (*shape[:dim], *shape[dim + 1 :])
    return encoding, shape


@given(any_encodings(), st.data())
def test_trans_moves_the_bits(case: Case, data: st.DataObject) -> None:
    encoding, shape = case
    order = data.draw(st.permutations(range(len(shape))))
    turned = tuple(shape[d] for d in order)
    result = infer_trans(encoding, shape, order).linear(turned)
    for name, vectors in encoding.linear(shape).bases.items():
        assert result.bases[name] == [[vector[d] for d in order] for vector in vectors]


@given(any_encodings(), st.data())
def test_reshape_keeps_each_element_where_it_is(case: Case, data: st.DataObject) -> None:
    encoding, shape = case
    bits = math.prod(shape).bit_length() - 1
    result = data.draw(split_over(bits, data.draw(st.integers(1, 4))))
    before = encoding.linear(shape)
    after = infer_reshape(encoding, shape, result).linear(result)

    def places(vectors: list[list[int]], sizes: tuple[int, ...]) -> list[int]:
        strides = [math.prod(sizes[d + 1 :]) for d in range(len(sizes))]
        return [sum(e * s for e, s in zip(v, strides, strict=True)) for v in vectors]

    for name in before.bases:
        assert places(before.bases[name], shape) == places(after.bases[name], result)


@given(any_encodings())
def test_split_undoes_join(case: Case) -> None:
    encoding, shape = case
    joined = infer_join(encoding, shape)
    assert infer_split(joined, (*shape, 2)).linear(shape) is encoding.linear(shape)
    layout = joined.linear((*shape, 2))
    assert [0] * len(shape) + [1] in layout.bases["register"]


@given(blocked(2), st.integers(0, 1))
def test_expand_dims_undoes_reduce(encoding: BlockedEncoding, axis: int) -> None:
    assert infer_expand_dims(infer_reduce(encoding, axis), axis) is encoding


def test_split_of_a_thread_that_holds_four() -> None:
    encoding = BlockedEncoding((1, 4), (32, 1), (4, 1), (1, 0))
    assert str(infer_split(encoding, (128, 2))).startswith("#ttg.linear<{register = [[0]]")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: infer_expand_dims(PLAIN, 0), "expand_dims along 0 needs an operand sliced"),
        (lambda: infer_expand_dims(infer_reduce(PLAIN, 0), 1), "needs an operand sliced along 1"),
        (lambda: infer_trans(PLAIN, (4, 4), (0, 0)), "order must be a permutation of 0..1"),
        (lambda: infer_split(PLAIN, (4, 4)), "split needs a last dimension of size 2"),
        (
            lambda: infer_split(BlockedEncoding((1, 1), (16, 2), (4, 1), (1, 0)), (16, 2)),
            "split needs both elements of the last dimension in one thread",
        ),
        (lambda: infer_reshape(PLAIN, (4, 4), (8,)), "a reshape must keep the number of elements"),
    ],
)
def test_refuses(make, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        make()
    assert message in str(caught.value)


@pytest.mark.oracle
@given(any_encodings(), st.data())
def test_as_triton(case: Case, data: st.DataObject) -> None:
    from tests.layouts import oracle

    encoding, shape = case
    bits = math.prod(shape).bit_length() - 1
    if not bits:
        return  # Gluon's own classes refuse a layout without bits
    result = data.draw(split_over(bits, data.draw(st.integers(1, 4))))
    order = data.draw(st.permutations(range(len(shape))))
    assert oracle.inferred("trans", encoding, shape, order) is infer_trans(encoding, shape, order)
    assert oracle.inferred("reshape", encoding, shape, result, False) is infer_reshape(
        encoding, shape, result
    )
    if not any(map(any, encoding.linear(shape).bases["block"])):
        # Triton ends its process on some clusters that share a joined tensor.
        assert oracle.inferred("join", encoding, shape) is infer_join(encoding, shape)


def test_public_names() -> None:
    assert set(inference.__all__) >= {"infer_trans", "infer_reshape", "infer_join", "infer_split"}
