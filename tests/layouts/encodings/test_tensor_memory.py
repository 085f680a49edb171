"""Encodings of tensor memory: by hand, by refusal and beside Triton."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.strategies import powers
from weft.errors import LayoutError
from weft.layouts import Encoding, TensorMemoryEncoding, TensorMemoryScalesEncoding

Case = tuple[Encoding, tuple[int, int]]


@st.composite
def accumulators(draw: st.DrawFn) -> Case:
    encoding = TensorMemoryEncoding(
        draw(st.sampled_from([64, 128])),
        draw(powers(7)),
        draw(st.sampled_from([1, 2, 4])),
        draw(powers(2)),
        draw(powers(2)),
        draw(st.booleans()),
    )
    return encoding, (64 << draw(st.integers(0, 3)), draw(powers(8)))


@st.composite
def scales(draw: st.DrawFn) -> Case:
    encoding = TensorMemoryScalesEncoding(draw(powers(2)), draw(powers(2)))
    return encoding, (draw(powers(9)), draw(powers(6)))


def test_128_rows_map_to_themselves() -> None:
    layout = TensorMemoryEncoding(128, 64, 1).linear((128, 64))
    assert layout.apply({"row": 77, "col": 13}) == {"dim0": 77, "dim1": 13}


def test_64_rows_are_split_in_groups_of_16() -> None:
    layout = TensorMemoryEncoding(64, 32, 1).linear((128, 32))
    rows = [layout.apply({"row": row, "col": 0})["dim0"] for row in (0, 15, 16, 32, 48)]
    assert rows == [0, 15, 64, 16, 80]


def test_scales_are_held_four_times() -> None:
    layout = TensorMemoryScalesEncoding().linear((128, 8))
    assert layout.bases["row"][5:] == [[0, 0], [0, 0]]
    assert layout.bases["col"] == [[0, 1], [0, 2], [32, 0], [64, 0], [0, 4]]


@given(accumulators() | scales())
def test_every_element_has_a_place(case: Case) -> None:
    encoding, shape = case
    try:
        layout = encoding.linear(shape)
    except LayoutError:
        return
    assert layout.is_surjective
    assert tuple(layout.out_dims.values()) == shape
    assert layout.in_size("row") == 128


@pytest.mark.oracle
@given(accumulators() | scales())
def test_as_triton(case: Case) -> None:
    from tests.layouts import oracle

    blackwell = pytest.importorskip("triton.experimental.gluon.language.nvidia.blackwell")
    encoding, shape = case
    if isinstance(encoding, TensorMemoryEncoding):
        gluon = blackwell.TensorMemoryLayout(
            [encoding.block_m, encoding.block_n],
            encoding.col_stride,
            (encoding.cta_split_m, encoding.cta_split_n),
            encoding.two_ctas,
        )
    else:
        assert isinstance(encoding, TensorMemoryScalesEncoding)
        gluon = blackwell.TensorMemoryScalesLayout((encoding.cta_split_m, encoding.cta_split_n))
    theirs = oracle.answer_or_none(lambda: oracle.gluon_bases(gluon, shape))
    if theirs is None:
        with pytest.raises(LayoutError):
            encoding.linear(shape)
    else:
        assert encoding.linear(shape).bases == theirs


@pytest.mark.parametrize(
    ("encoding", "shape", "message"),
    [
        (TensorMemoryEncoding(128, 64, 1), (64, 64), "at least 128 rows, as blockM says"),
        (TensorMemoryEncoding(128, 64, 1, 1, 4), (128, 2), "dimension 1 cannot be split into 4"),
        (
            TensorMemoryEncoding(64, 64, 1, 2, 2, True),
            (128, 64),
            "a pair of CTAs must hold 64 columns",
        ),
        (TensorMemoryScalesEncoding(4, 1), (2, 4), "dimension 0 cannot be split into 4 parts"),
    ],
)
def test_refuses(encoding: Encoding, shape: tuple[int, int], message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        encoding.linear(shape)
    assert message in str(caught.value)
