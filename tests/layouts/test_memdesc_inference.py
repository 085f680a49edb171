"""Views of buffers: transposed and reshaped layouts say the same bytes."""

from __future__ import annotations

import pytest

from weft.errors import LayoutError
from weft.layouts import (
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SharedLinearEncoding,
    SwizzledSharedEncoding,
)
from weft.layouts.memdesc_inference import (
    infer_memdesc_reshape,
    infer_memdesc_trans,
    shared_alignment,
)

ROWS = NvmmaSharedEncoding(128, 16)
SWIZZLED = SwizzledSharedEncoding(8, 1, 8, (1, 0))


@pytest.mark.parametrize("encoding", [ROWS, SWIZZLED])
def test_transposing_twice_is_nothing(encoding):
    assert infer_memdesc_trans(infer_memdesc_trans(encoding, (1, 0)), (1, 0)) is encoding


@pytest.mark.parametrize("encoding", [ROWS, SWIZZLED])
def test_a_transposed_view_has_the_same_bytes(encoding):
    before = encoding.linear((64, 64)).bases["offset"]
    after = infer_memdesc_trans(encoding, (1, 0)).linear((64, 64)).bases["offset"]
    assert [list(reversed(vector)) for vector in before] == [list(vector) for vector in after]


def test_basis_vectors_are_permuted():
    view = SharedLinearEncoding(((0, 1), (1, 0)), 16)
    assert infer_memdesc_trans(view, (1, 0)) == SharedLinearEncoding(((1, 0), (0, 1)), 16)


def test_a_layout_without_transposed_view():
    padded = PaddedSharedEncoding.with_identity((8,), (1,), (8, 8), (1, 0))
    with pytest.raises(LayoutError, match="has no transposed view"):
        infer_memdesc_trans(padded, (1, 0))
    with pytest.raises(LayoutError, match="has no transposed view"):
        infer_memdesc_trans(NvmmaSharedEncoding(128, 16, dimensions=3), (0, 2, 1))


def test_nvmma_stays_where_its_inner_dimension_does():
    assert infer_memdesc_reshape(ROWS, (64, 64), (8, 8, 64)) == NvmmaSharedEncoding(
        128, 16, dimensions=3
    )


def test_other_views_are_shared_linear():
    plain = NvmmaSharedEncoding(0, 8, dimensions=2)
    view = infer_memdesc_reshape(plain, (2, 256), (2, 16, 16))
    assert isinstance(view, SharedLinearEncoding)
    assert view.offset[:5] == ((0, 0, 1), (0, 0, 2), (0, 0, 4), (0, 0, 8), (0, 1, 0))
    assert view.alignment == 128


def test_a_reshape_keeps_the_elements():
    with pytest.raises(LayoutError, match="must keep the number of elements"):
        infer_memdesc_reshape(ROWS, (64, 64), (64, 32))


def test_alignments():
    assert [shared_alignment(NvmmaSharedEncoding(width, 16)) for width in (0, 32, 64, 128)] == [
        128, 256, 512, 1024,
    ]  # fmt: skip
    assert shared_alignment(SWIZZLED) == 16
