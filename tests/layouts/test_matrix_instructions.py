"""Encodings by the name of an instruction."""

from __future__ import annotations

import pytest

from weft.errors import LayoutError
from weft.layouts.matrix_instructions import mma_operand, mma_result


@pytest.mark.parametrize(
    ("instruction", "version", "k_width"),
    [
        ("mma.m16n8k16", None, 2),
        ("mma.m16n8k32", None, 4),
        ("wgmma.m64n128k16", None, 2),
        ("mfma.32x32x8", 3, 4),
        ("mfma.16x16x32", 4, 8),
        ("wmma.16x16x16", 1, 16),
        ("wmma.16x16x16", 2, 8),
    ],
)
def test_an_operand_fits_its_result(instruction: str, version: int | None, k_width: int) -> None:
    warps = (4, 1) if instruction.startswith("wgmma") else (2, 2)
    operand = mma_operand(0, instruction, warps, version=version)
    assert operand.k_width == k_width
    assert operand.parent is mma_result(instruction, warps, version=version)
    assert operand.linear((128, 64)).is_surjective


def test_the_text() -> None:
    assert str(mma_result("mma.m16n8k16", (4, 1))) == (
        "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], "
        "instrShape = [16, 8]}>"
    )
    assert mma_result("wmma.16x16x16", (2, 4), version=2).linear((64, 64)).in_size("warp") == 8


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mma_result("mfmma.32x32x8", (1, 1)), "unknown matrix instruction mfmma.32x32x8"),
        (lambda: mma_result("mfma.32x32x8", (1, 1)), "mfma needs a version"),
        (lambda: mma_result("mma.m16n8k16", (3, 1)), "warps_per_cta must be two powers of two"),
        (
            lambda: mma_result("mma.m16n8k16", (1, 1), transposed=True),
            "mma has no transposed result",
        ),
    ],
)
def test_refuses(make, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        make()
    assert message in str(caught.value)
