"""Encodings by the name of a matrix instruction.

    mma_result("mfma.32x32x8", (2, 2), version=3)       # #ttg.amd_mfma<{version = 3, …}>
    mma_operand(0, "mma.m16n8k16", (4, 1))              # #ttg.dot_op<{opIdx = 0, …, kWidth = 2}>

An instruction is its family and its M, N and K; the elements that a lane holds side by side along K
follow from them: a 32x32x8 MFMA has 64 lanes for 32 rows of 8, hence 4 each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from weft.errors import LayoutError, did_you_mean
from weft.layouts.encodings import (
    AmdMfmaEncoding,
    AmdWmmaEncoding,
    DotOperandEncoding,
    NvidiaMmaEncoding,
)
from weft.layouts.encodings.checks import is_power_of_two

__all__ = ["mma_operand", "mma_result"]

_NAME = re.compile(r"(?P<family>[a-z]+)\.m?(?P<m>\d+)[nx](?P<n>\d+)[kx](?P<k>\d+)")
_FAMILIES = ("mma", "wgmma", "mfma", "wmma")
_VERSIONS = {"mma": (2,), "wgmma": (3,), "mfma": (1, 2, 3, 4), "wmma": (1, 2, 3)}
Result = NvidiaMmaEncoding | AmdMfmaEncoding | AmdWmmaEncoding


def _read(instruction: str, version: int | None) -> tuple[str, tuple[int, int, int], int]:
    """Return the family, (M, N, K) and the version."""
    match = _NAME.fullmatch(instruction)
    if match is None or match["family"] not in _FAMILIES:
        raise LayoutError(
            f"unknown matrix instruction {instruction}",
            found=instruction,
            accepted=("mma.m16n8k16", "wgmma.m64n128k16", "mfma.32x32x8", "wmma.16x16x16"),
            hint=did_you_mean(instruction.partition(".")[0], _FAMILIES),
        )
    family = match["family"]
    known = _VERSIONS[family]
    if version is None and len(known) == 1:
        version = known[0]
    if version is None or version not in known:
        raise LayoutError(
            f"{family} needs a version", found=version, accepted=[str(v) for v in known]
        )
    return family, (int(match["m"]), int(match["n"]), int(match["k"])), version


def mma_result(
    instruction: str,
    warps_per_cta: Sequence[int],
    *,
    version: int | None = None,
    transposed: bool = False,
) -> Result:
    """Return the encoding of what an instruction leaves.

    Args: instruction: such as "mma.m16n8k16", "wgmma.m64n128k16", "mfma.32x32x8".
    warps_per_cta: along M and N, powers of two.  version: of AMD's families (see the encodings).
    transposed: of AMD's, whether the operands are swapped.
    Raises: LayoutError.
    """
    family, (m, n, k), version = _read(instruction, version)
    warps = tuple(warps_per_cta)
    if len(warps) != 2 or not all(map(is_power_of_two, warps)):
        raise LayoutError("warps_per_cta must be two powers of two", found=list(warps))
    if family in ("mma", "wgmma"):
        if transposed:
            raise LayoutError(f"{family} has no transposed result", found=instruction)
        sides = (m, n) if family == "mma" else (m, n, k)
        return NvidiaMmaEncoding(version, 0, warps, sides)
    if family == "mfma":
        return AmdMfmaEncoding(version, warps, (m, n, k), transposed)
    vectors = [
        tuple(1 << bit if d == dim else 0 for d in range(2))
        for dim in (1, 0)
        for bit in range(warps[dim].bit_length() - 1)
    ]
    return AmdWmmaEncoding(version, transposed, tuple(vectors), (), (), (m, n, k))


def mma_operand(
    op_idx: int,
    instruction: str,
    warps_per_cta: Sequence[int],
    *,
    version: int | None = None,
    transposed: bool = False,
) -> DotOperandEncoding:
    """Return the encoding of an operand of an instruction.

    Args: op_idx: 0 for the left one, 1 for the right one; others: as of `mma_result`.
    Raises: LayoutError.
    """
    family, (m, n, k), version = _read(instruction, version)
    result = mma_result(instruction, warps_per_cta, version=version, transposed=transposed)
    if family in ("mma", "wgmma"):
        width = k // 8
    elif family == "mfma":
        width = k * min(m, n) // 64
    else:
        width = k if version == 1 else k // 2
    return DotOperandEncoding(op_idx, result, max(1, width))
