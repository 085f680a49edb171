"""WMMA: by hand from the RDNA ISA, by law, and beside Triton."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.layouts.encodings.matrix_cases import (
    Case,
    check_covers,
    check_like_triton,
    result_cases,
    result_cases_of_triton,
)
from weft.layouts import AmdWmmaEncoding, DotOperandEncoding


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("transposed", [False, True])
def test_16x16(version: int, transposed: bool) -> None:
    """Lane l holds column l % 16: on gfx11 every other row, on later chips eight in a row."""
    shape = (16, 16, 16) if version < 3 else (16, 16, 32)
    encoding = AmdWmmaEncoding(version, transposed, (), instr_shape=shape)
    layout = encoding.linear((16, 16))
    for lane in (0, 7, 16, 31):
        for i in range(8):
            row = 2 * i + lane // 16 if version == 1 else 8 * (lane // 16) + i
            dims = ("dim1", "dim0") if transposed else ("dim0", "dim1")
            place = layout.apply({"register": i, "lane": lane, "warp": 0, "block": 0})
            assert place == dict(zip(dims, (row, lane % 16), strict=True))


def test_tiles_of_warps_and_registers() -> None:
    encoding = AmdWmmaEncoding(2, False, ((0, 2), (1, 0)), register=((0, 1),))
    bases = encoding.linear((32, 64)).bases
    assert bases["register"] == [[1, 0], [2, 0], [4, 0], [0, 16]]
    assert bases["warp"] == [[0, 32], [16, 0]]


def test_operands() -> None:
    parent = AmdWmmaEncoding(2, False, ((0, 1), (1, 0)))
    left = DotOperandEncoding(0, parent, 8).linear((32, 32)).bases
    assert left["register"] == [[0, 1], [0, 2], [0, 4], [0, 16]]
    assert left["lane"] == [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8]]
    assert left["warp"] == [[0, 0], [16, 0]]
    gfx11 = DotOperandEncoding(0, AmdWmmaEncoding(1, False, ()), 16).linear((16, 16)).bases
    assert gfx11["lane"][4] == [0, 0]  # both halves of the wavefront hold the same


@given(result_cases(("wmma",)))
def test_results_hold_every_element(case: Case) -> None:
    check_covers(case)


def test_a_single_warp_may_have_a_batch_dimension() -> None:
    """Triton prints no rank, so no text says it, but an encoding that was built knows."""
    batched = AmdWmmaEncoding(2, True, (), dimensions=3)
    assert (batched.rank, AmdWmmaEncoding(2, True, ()).rank) == (3, 2)
    assert str(batched) == str(AmdWmmaEncoding(2, True, ()))
    assert tuple(batched.linear((2, 16, 16)).out_dims.values()) == (2, 16, 16)
    fields = {"version": 2, "isTranspose": True, "ctaLayout": {}, "rank": 3}
    assert AmdWmmaEncoding.from_fields(fields) is batched


@pytest.mark.oracle
@given(result_cases_of_triton(("wmma",)))
def test_as_triton(case: Case) -> None:
    check_like_triton(case)
