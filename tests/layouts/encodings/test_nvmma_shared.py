"""nvmma_shared: by the formula, by refusal and beside Triton."""

from __future__ import annotations

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from tests.layouts.strategies import cga_vectors, powers
from weft.errors import LayoutError
from weft.layouts import NvmmaSharedEncoding, SwizzledSharedEncoding

Case = tuple[NvmmaSharedEncoding, tuple[int, ...]]


@st.composite
def nvmma(draw: st.DrawFn) -> Case:
    rank = draw(st.sampled_from([1, 2, 2, 2, 3, 4]))
    swizzle = draw(st.sampled_from([0, 32, 64, 128]))
    padded = swizzle == 128 and draw(st.booleans())
    width = 8 if padded else draw(st.sampled_from([8, 16, 32, 64]))
    transposed = rank > 1 and draw(st.booleans())
    cga = draw(cga_vectors(rank, draw(st.integers(0, 2))))
    shape = [draw(powers(6 if rank > 2 else 10)) for _ in range(rank)]
    # A core matrix must fit in most cases for the test to say something.
    inner = 0 if transposed else rank - 1
    shape[inner] = max(shape[inner], swizzle and 8 * swizzle // width)
    return NvmmaSharedEncoding(swizzle, width, transposed, padded, cga, rank), tuple(shape)


def layout_or_none(case: Case):
    try:
        return case[0].linear(case[1])
    except LayoutError:
        return None


@given(nvmma())
def test_nvmma_holds_every_element(case: Case) -> None:
    layout = layout_or_none(case)
    if layout is None:
        reject()
    assert layout.is_surjective
    assert tuple(layout.out_dims.values()) == case[1]


@given(
    st.sampled_from([32, 64, 128]),
    st.sampled_from([8, 16, 32]),
    st.integers(3, 6),
    st.booleans(),
)
def test_a_core_column_is_the_swizzle(
    swizzle: int, width: int, rows: int, transposed: bool
) -> None:
    columns = 8 * swizzle // width
    other = SwizzledSharedEncoding(128 // width, 128 // swizzle, swizzle // 16, (1, 0))
    shape = (1 << rows, columns)
    plain = other.linear(shape).bases["offset"]
    if transposed:
        shape, plain = shape[::-1], [vector[::-1] for vector in plain]
    encoding = NvmmaSharedEncoding(swizzle, width, transposed, False, (), 2)
    assert encoding.linear(shape).bases["offset"] == plain


def test_padded_4_bit_pairs_leave_half_of_16_bytes_free() -> None:
    layout = NvmmaSharedEncoding(128, 8, False, True).linear((8, 64))
    assert layout.bases["offset"][:5] == [[0, 1], [0, 2], [0, 4], [0, 0], [0, 8]]


@pytest.mark.oracle
@given(nvmma())
def test_nvmma_as_triton(case: Case) -> None:
    from tests.layouts import oracle

    encoding, shape = case
    gluon = pytest.importorskip("triton.experimental.gluon.language._layouts").NVMMASharedLayout(
        encoding.swizzling_byte_width,
        encoding.element_bit_width,
        encoding.rank,
        encoding.transposed,
        encoding.fp4_padded,
        cga_layout=[list(v) for v in encoding.cga_layout],
    )
    theirs = oracle.answer_or_none(lambda: oracle.gluon_bases(gluon, shape))
    ours = layout_or_none(case)
    if theirs is not None:
        assert ours is not None
        assert ours.bases == theirs


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: NvmmaSharedEncoding(128, 16).linear((4, 64)),
            "a CTA must hold 8 rows of 64 elements along dimension 1",
        ),
        (
            lambda: NvmmaSharedEncoding(64, 8, False, True).linear((16, 64)),
            "fp4Padded needs swizzlingByteWidth = 128 and elementBitWidth = 8",
        ),
        (
            lambda: NvmmaSharedEncoding(32, 16, True, dimensions=3).linear((16, 8, 4)),
            "a transposed tile must have 8 elements along its last dimension",
        ),
    ],
)
def test_refuses(make, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        make()
    assert message in str(caught.value)
