"""Encodings by the name of a matrix instruction.

    mma_result("mfma.32x32x8", (2, 2), version=3)       # #ttg.amd_mfma<{version = 3, …}>
    mma_operand(0, "mma.m16n8k16", (4, 1))              # #ttg.dot_op<{opIdx = 0, …, kWidth = 2}>

A name has the instruction and its M, N and K, from which kWidth follows: a 32x32x8 MFMA reads 32
rows of 8 elements with 64 lanes, so a lane holds 4 elements side by side along K.
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

_NAME = re.compile(r"(?P<instruction>[a-z]+)\.m?(?P<m>\d+)[nx](?P<n>\d+)[kx](?P<k>\d+)")
_VERSIONS = {"mma": (2,), "wgmma": (3,), "mfma": (1, 2, 3, 4), "wmma": (1, 2, 3)}
Result = NvidiaMmaEncoding | AmdMfmaEncoding | AmdWmmaEncoding


def _parse_name(name: str, version: int | None) -> tuple[str, tuple[int, int, int], int]:
    """Return the instruction, (M, N, K) and the version."""
    match = _NAME.fullmatch(name)
    if match is None or match["instruction"] not in _VERSIONS:
        raise LayoutError(
            f"unknown matrix instruction {name}",
            found=name,
            accepted=("mma.m16n8k16", "wgmma.m64n128k16", "mfma.32x32x8", "wmma.16x16x16"),
            hint=did_you_mean(name.partition(".")[0], _VERSIONS),
        )
    instruction = match["instruction"]
    known = _VERSIONS[instruction]
    if version is None and len(known) == 1:
        version = known[0]
    if version is None or version not in known:
        raise LayoutError(
            f"{instruction} needs a version", found=version, accepted=[str(v) for v in known]
        )
    return instruction, (int(match["m"]), int(match["n"]), int(match["k"])), version


def mma_result(
    instruction: str,
    warps_per_cta: Sequence[int],
    *,
    version: int | None = None,
    transposed: bool = False,
) -> Result:
    """Compute the encoding of the result of an instruction.

    Args:
        instruction: the name: "mma.m16n8k16", "wgmma.m64n128k16", "mfma.32x32x8", ….
        warps_per_cta: the warps along M and N, powers of two.
        version: the version of AMD's instructions; see the encodings.
        transposed: for AMD's instructions, whether the operands are swapped.

    Raises:
        LayoutError: the name is unknown, or an argument is illegal.
    """
    name, (m, n, k), version = _parse_name(instruction, version)
    warps = tuple(warps_per_cta)
    if len(warps) != 2 or not all(map(is_power_of_two, warps)):
        raise LayoutError("warps_per_cta must be two powers of two", found=list(warps))
    if name in ("mma", "wgmma"):
        if transposed:
            raise LayoutError(f"{name} has no transposed result", found=instruction)
        return NvidiaMmaEncoding(version, 0, warps, (m, n) if name == "mma" else (m, n, k))
    if name == "mfma":
        return AmdMfmaEncoding(version, warps, (m, n, k), transposed)
    vectors = tuple(
        tuple(1 << bit if d == dim else 0 for d in range(2))
        for dim in (1, 0)
        for bit in range(warps[dim].bit_length() - 1)
    )
    return AmdWmmaEncoding(version, transposed, vectors, (), (), (m, n, k))


def mma_operand(
    op_idx: int,
    instruction: str,
    warps_per_cta: Sequence[int],
    *,
    version: int | None = None,
    transposed: bool = False,
) -> DotOperandEncoding:
    """Compute the encoding of an operand of an instruction.

    Args:
        op_idx: 0 for the left operand, 1 for the right one.
        instruction: as for `mma_result`.
        warps_per_cta: as for `mma_result`.
        version: as for `mma_result`.
        transposed: as for `mma_result`.

    Raises:
        LayoutError: the name is unknown, or an argument is illegal.
    """
    name, (m, n, k), version = _parse_name(instruction, version)
    result = mma_result(instruction, warps_per_cta, version=version, transposed=transposed)
    if name in ("mma", "wgmma"):
        k_width = k // 8
    elif name == "mfma":
        k_width = k * min(m, n) // 64
    else:
        k_width = k if version == 1 else k // 2
    return DotOperandEncoding(op_idx, result, max(1, k_width))
