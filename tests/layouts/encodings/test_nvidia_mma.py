"""mma and wgmma: by hand from the PTX ISA, by law, and beside Triton."""

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
from weft.layouts import DotOperandEncoding, NvidiaMmaEncoding

MMA = NvidiaMmaEncoding(2, 0, (1, 1), (16, 8))
OLD = NvidiaMmaEncoding(1, 0, (2, 2), (16, 8))


def test_m16n8() -> None:
    """Lane 4r + c holds columns 2c and 2c + 1 of rows r and r + 8 (fragments of m16n8k16)."""
    layout = MMA.linear((16, 8))
    for lane in range(32):
        elements = [
            tuple(layout.apply({"register": i, "lane": lane, "warp": 0, "block": 0}).values())
            for i in range(4)
        ]
        row, column = lane // 4, 2 * (lane % 4)
        assert elements == [(row + down, column + i) for down in (0, 8) for i in (0, 1)]


@pytest.mark.parametrize(
    ("version", "shape", "warps"),
    [(2, (16, 8), [[0, 8], [16, 0]]), (3, (16, 8, 16), [[16, 0], [0, 8]])],
)
def test_warps_go_along_rows_before_version_3(
    version: int, shape: tuple[int, ...], warps: list[list[int]]
) -> None:
    encoding = NvidiaMmaEncoding(version, 0, (2, 2), shape)
    assert encoding.linear((32, 16)).bases["warp"] == warps


def test_wgmma_repeats_along_n() -> None:
    registers = NvidiaMmaEncoding(3, 0, (4, 1), (16, 32, 16)).linear((64, 32)).bases["register"]
    assert registers == [[0, 1], [8, 0], [0, 8], [0, 16]]


def test_an_operand_of_m16n8k16() -> None:
    left = DotOperandEncoding(0, MMA, 2).linear((16, 16)).bases
    assert left["register"] == [[0, 1], [8, 0], [0, 8]]
    assert left["lane"] == [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]
    right = DotOperandEncoding(1, MMA, 2).linear((16, 8)).bases
    assert right["register"] == [[1, 0], [8, 0]]
    assert right["lane"] == [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]


@given(result_cases(("mma", "wgmma")))
def test_results_hold_every_element(case: Case) -> None:
    check_covers(case)


@pytest.mark.parametrize("encoding", [OLD, DotOperandEncoding(0, OLD)])
def test_version_1_has_no_layout(encoding: NvidiaMmaEncoding) -> None:
    with pytest.raises(LayoutError, match="nvidia_mma: version 1 has no known linear layout"):
        encoding.linear((16, 16))


@pytest.mark.oracle
@given(result_cases(("mma", "wgmma")))
def test_as_triton(case: Case) -> None:
    check_like_triton(case)
