"""Counts of an assembly for AMD's chips: instructions by kind and by class, and registers.

counted(text)["lds load 128"]      how many loads of 16 bytes from shared memory
by_class(text)["integers"]         how many of an instruction's classes; each is of one class
warps("gfx942", {"vgprs": 98})     4: how many warps of such a kernel a SIMD's registers hold
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache

from weft.targets import target

__all__ = ["CLASSES", "FACTS", "KINDS", "by_class", "counted", "warps"]

_MEMORY = "(?:buffer|global|flat)"
# The number is the width in bits; "32" includes 8, 16 and, in LDS, 96 bits.
KINDS: tuple[tuple[str, str], ...] = (
    ("mfma", r"v_mfma\w*"),
    ("wmma", r"v_wmma\w*"),
    ("lds load 128", r"ds_(?:read|load)(?:_b128|2_b64|2st64_b64|_2addr(?:_stride64)?_b64)"),
    ("lds load 64", r"ds_(?:read|load)(?:_b64|2_b32|2st64_b32|_2addr(?:_stride64)?_b32)"),
    ("lds load 32", r"ds_(?:read|load)_(?:b96|b32|[ui]8\w*|[ui]16\w*)"),
    ("lds load transposed", r"ds_(?:read|load)\w*_tr\w*"),
    ("lds store 128", r"ds_(?:write|store)(?:_b128|2_b64|2st64_b64|_2addr(?:_stride64)?_b64)"),
    ("lds store 64", r"ds_(?:write|store)(?:_b64|2_b32|2st64_b32|_2addr(?:_stride64)?_b32)"),
    ("lds store 32", r"ds_(?:write|store)_(?:b96|b32|b8\w*|b16\w*)"),
    ("global load 128", rf"{_MEMORY}_load_(?:dwordx4|b128)"),
    ("global load 64", rf"{_MEMORY}_load_(?:dwordx[23]|b64|b96)"),
    ("global load 32", rf"{_MEMORY}_load_(?:dword|b32|[usd]\w*(?:8|16)\w*|\w*(?:byte|short)\w*)"),
    ("global store 128", rf"{_MEMORY}_store_(?:dwordx4|b128)"),
    ("global store 64", rf"{_MEMORY}_store_(?:dwordx[23]|b64|b96)"),
    ("global store 32", rf"{_MEMORY}_store_(?:dword|(?:d16_hi_)?b(?:8|16|32)|(?:byte|short)\w*)"),
    ("copy to lds", r"(?:global_load_lds\w*|global_load_async\w*|tensor_load\w*|tensor_store\w*)"),
    ("barrier", r"s_barrier(?:_wait)?"),
    ("lane permute", r"(?:ds_bpermute_b32|ds_permute_b32|ds_swizzle_b32|v_permlane\w*)"),
    ("accumulator move", r"v_accvgpr_\w+"),
    ("scratch access", r"scratch_\w+"),
    ("branch", r"s_cbranch\w*"),
)  # fmt: skip
FACTS = {
    "vgprs": r"\.vgpr_count:\s+(\d+)",
    "sgprs": r"\.sgpr_count:\s+(\d+)",
    "scratch bytes": r"\.private_segment_fixed_size:\s+(\d+)",
    "lds bytes": r"; lds_bytes:\s+(\d+)",  # of the launch: a kernel does not declare them
}
# An instruction belongs to the first class whose pattern matches.
CLASSES: tuple[tuple[str, str], ...] = (
    ("matrix", r"v_(?:mfma|wmma|smfmac|swmmac)\w*"),
    ("cross-lane", r"ds_(?:b?permute|swizzle)\w*|v_(?:permlane|read\w*lane|writelane)\w*|\w+_dpp"),
    ("shared memory", r"ds_\w+"),
    ("scratch", r"scratch_\w+"),
    ("scalar loads", r"s_(?:buffer_)?load_\w+"),
    ("cache control", rf"{_MEMORY}_(?:gl\d_)?(?:inv|wb|wbl2|wbinvl1_vol)\w*"),
    ("global memory", rf"(?:{_MEMORY}|tensor|cluster)_\w+"),
    ("barriers", r"s_barrier\w*"),
    ("waits", r"s_(?:wait\w*|delay_alu|nop|clause|set_vgpr_msb|sleep\w*|setprio)"),
    ("branches", r"s_(?:c?branch\w*|endpgm|setpc\w*|\w+_saveexec\w*)"),
    ("moves", r"(?:v_(?:dual_)?mov|v_accvgpr|v_swap|s_c?mov)\w*"),
    ("comparisons", r"(?:v_cmpx?|v_(?:dual_)?cndmask|s_cmp|s_cselect|s_bitcmp)\w*"),
    ("conversions", r"v_(?:cvt|pack|perm_|bfi|alignbit|alignbyte)\w*"),
    ("floats", r"v_\w*(?:_bf16|_f16|_f32|_f64|_num_f\d+|_legacy)\w*"),
    ("integers", r"v_\w+"),
    ("scalars", r"s_\w+"),
)  # fmt: skip
_INSTRUCTION = re.compile(r"^\s+([vsdgbft]\w*_\w*|cluster_\w+)", re.MULTILINE)
# Scalar registers of a warp and how many such warps fit on a SIMD of GCN and CDNA, 7 with more; on
# RDNA they limit nothing. Source: LLVM, AMDGPUBaseInfo (getOccupancyWithNumSGPRs).
_MOST_SCALARS = ((80, 10), (88, 9), (100, 8))
_GCN_LANES = 64


def counted(assembly: str) -> Counter[str]:
    """Count the instructions of each kind in assembly, and read the kernel's metadata."""
    counts: Counter[str] = Counter()
    for word, count in _words(assembly).items():
        counts["instructions"] += count
        for name in _kinds(word):
            counts[name] += count
    for name, pattern in FACTS.items():
        values = re.findall(pattern, assembly)
        counts[name] = int(values[-1]) if values else 0
    return counts


def by_class(assembly: str) -> Counter[str]:
    """Count the instructions of each class in assembly."""
    counts: Counter[str] = Counter()
    for word, count in _words(assembly).items():
        counts[_class(word)] += count
    return counts


def warps(chip: str, facts: Mapping[str, int]) -> int:
    """Compute how many warps of a kernel fit in the registers of one SIMD.

    Args:
        chip: the chip, "gfx942".
        facts: "vgprs" and "sgprs" of the kernel; a missing entry does not limit the result.
    Raises: UnknownTargetError: the chip is unknown.
    """
    simd = target(f"hip:{chip}")
    by_vectors, scalars = simd.warps_per_simd(facts.get("vgprs", 0)), facts.get("sgprs", 0)
    if simd.threads_per_warp != _GCN_LANES:
        return by_vectors
    return min(by_vectors, next((fit for most, fit in _MOST_SCALARS if scalars <= most), 7))


def _words(assembly: str) -> Counter[str]:
    return Counter(_INSTRUCTION.findall(assembly))


@cache
def _kinds(word: str) -> tuple[str, ...]:
    return tuple(name for name, pattern in KINDS if re.fullmatch(pattern, word))


@cache
def _class(word: str) -> str:
    return next((name for name, pattern in CLASSES if re.fullmatch(pattern, word)), "others")
