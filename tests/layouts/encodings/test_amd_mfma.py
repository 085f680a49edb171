"""MFMA: by hand from the CDNA 3 ISA, by law, and beside Triton."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.layouts.encodings.matrix_cases import (
    Case,
    check_covers,
    check_like_triton,
    result_cases,
)
from weft.errors import LayoutError
from weft.layouts import AmdMfmaEncoding, DotOperandEncoding

MFMA = AmdMfmaEncoding(3, (1, 1), (32, 32, 8))


def test_32x32() -> None:
    """Lane l holds column l % 32, four rows from 4 * (l // 32) of each eight."""
    layout = MFMA.linear((32, 32))
    transposed = AmdMfmaEncoding(3, (1, 1), (32, 32, 8), is_transposed=True).linear((32, 32))
    for lane in (0, 5, 31, 32, 63):
        for i in range(16):
            place = {"register": i, "lane": lane, "warp": 0, "block": 0}
            row = 8 * (i // 4) + 4 * (lane // 32) + i % 4
            assert layout.apply(place) == {"dim0": row, "dim1": lane % 32}
            assert transposed.apply(place) == {"dim0": lane % 32, "dim1": row}


def test_f64_results_have_runs_of_one_element() -> None:
    layout = AmdMfmaEncoding(3, (1, 1), (16, 16, 4), element_bit_width=64).linear((16, 16))
    assert layout.bases["register"] == [[4, 0], [8, 0]]
    assert layout.bases["lane"] == [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0]]


def test_tiles_per_warp_come_before_warps() -> None:
    encoding = AmdMfmaEncoding(3, (2, 2), (16, 16, 16), tiles_per_warp=(2, 2))
    bases = encoding.linear((64, 64)).bases
    assert bases["register"] == [[1, 0], [2, 0], [0, 16], [16, 0]]
    assert bases["warp"] == [[0, 32], [32, 0]]


def test_operands() -> None:
    left = DotOperandEncoding(0, MFMA, 4).linear((32, 16)).bases
    assert left["register"] == [[0, 1], [0, 2], [0, 8]]
    assert left["lane"] == [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]]
    wide = AmdMfmaEncoding(3, (1, 1), (4, 64, 64), is_transposed=False)
    assert DotOperandEncoding(1, wide, 4).linear((64, 64)).bases["register"] == [
        [1, 0],
        [2, 0],
        [4, 0],
        [8, 0],
        [16, 0],
        [32, 0],
    ]


@given(result_cases(("mfma",)))
def test_results_hold_every_element(case: Case) -> None:
    check_covers(case)


def test_64x4_is_transposed() -> None:
    plain = AmdMfmaEncoding(3, (1, 1), (64, 4, 64), is_transposed=False)
    with pytest.raises(LayoutError, match="a result of 64x4 must be transposed"):
        plain.linear((64, 64))
    # Its operands have layouts all the same.
    assert DotOperandEncoding(0, plain, 4).linear((64, 64)).is_surjective


@pytest.mark.oracle
@given(result_cases(("mfma",)))
def test_as_triton(case: Case) -> None:
    check_like_triton(case)
