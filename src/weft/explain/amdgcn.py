"""Read AMDGCN: the kind and width of an instruction, and the source positions of `.loc`.

ds_read2_b64 v[0:3], v4 offset1:8         two of ("shared load", 64), which LLVM merged
v_add_f32_dpp v0, v1, v1 quad_perm:[…]    ("shuffle", 32): the move is part of the sum
.loc 2 291 36 ; standard.py:291:36 @[ softmax.py:34:20 ]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from weft.explain.ptx import Chain

__all__ = ["classify_amdgcn", "positions_of_amdgcn"]

_FILE = re.compile(r'\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?')
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)[^;]*(?:;\s*(.*))?")
_CALL = re.compile(r"([^\s@\[\]]+):(\d+):\d+")
_INSTRUCTION = re.compile(r"\s+([a-z][a-z0-9_]*)\s*(.*)")
_DPP = re.compile(r"\b(quad_perm|row_\w+|wave_\w+|dpp8):|\brow_mirror|\brow_half_mirror")
_WIDTHS = (
    (r"(?:dwordx4|b128)", 128),
    (r"(?:dwordx3|b96)", 96),
    (r"(?:dwordx2|[bui]64|f64)", 64),
    (r"(?:dword|[bui]32|f32)", 32),
    (r"(?:\w*short\w*|\w*[bui]16\w*)", 16),
    (r"(?:\w*byte\w*|\w*[bui]8\w*)", 8),
)
_MEMORY = re.compile(r"(?:global|buffer|flat)_(load|store)_(\w+)")
_ATOMIC = re.compile(r"(?:global|buffer|flat)_atomic_(\w+)")
_LDS = re.compile(r"ds_(?:(read|load)|write|store)(2(?:st64)?|_2addr(?:_stride64)?)?_(\w+)")
_CLUSTER = "-3"  # the number of the cluster's barrier


def positions_of_amdgcn(text: str) -> Iterator[tuple[str, Chain]]:
    """Yield the instruction lines of AMDGCN with their source positions."""
    files = {
        number: f"{first}/{second}" if second else first
        for number, first, second in _FILE.findall(text)
    }
    by_name = {name.rpartition("/")[2]: name for name in files.values()}
    chain: Chain = ()
    for line in text.splitlines():
        loc = _LOC.match(line)
        if loc is None:
            yield line, chain
            continue
        number, row, _, comment = loc.groups()
        calls = [
            (by_name.get(name.rpartition("/")[2], name), int(at))
            for name, at in _CALL.findall(comment or "")
        ]
        chain = ((files.get(number, ""), int(row)), *calls[1:])


def classify_amdgcn(line: str) -> Iterator[tuple[str, int, str]]:
    """Yield the kind, width and opcode of an instruction, once per access that it merges."""
    match = _INSTRUCTION.match(line.partition(";")[0])
    if match is None:
        return
    opcode, operands = match.groups()
    for kind, bits in _kinds(opcode, operands):
        yield kind, bits, opcode


def _kinds(opcode: str, operands: str) -> Iterator[tuple[str, int]]:
    if opcode.startswith("ds_"):
        yield from _lds_kinds(opcode)
    elif opcode.startswith(("tensor_load", "tensor_store")):
        yield "tile copy", 0
    elif "_lds" in opcode or re.search(r"\blds\b", operands):
        yield "async copy", _width(opcode.replace("_lds", "").rpartition("load_")[2])
    elif (access := _MEMORY.match(opcode)) is not None:
        yield f"global {access[1]}", _width(access[2])
    elif (atomic := _ATOMIC.match(opcode)) is not None:
        yield "global atomic", _atomic_width(atomic[1])
    elif opcode.startswith("scratch_"):
        yield "local load" if "_load" in opcode else "local store", 32
    elif opcode.startswith(("s_load_", "s_buffer_load_")):
        yield "scalar load", 0
    elif opcode.startswith(("v_mfma", "v_wmma", "v_smfmac", "v_swmmac")):
        yield "mma", 0
    elif opcode in ("s_barrier", "s_barrier_wait"):
        yield "cluster barrier" if operands.strip() == _CLUSTER else "barrier", 0
    elif opcode.startswith(("v_readlane", "v_permlane")) or _DPP.search(operands):
        yield "shuffle", 32


def _lds_kinds(opcode: str) -> Iterator[tuple[str, int]]:
    """Yield the kinds of an instruction of LDS."""
    if "permute" in opcode or "swizzle" in opcode:
        yield "shuffle", 32
    elif "_tr" in opcode:
        width = re.search(r"_b(\d+)", opcode)
        yield "matrix load", int(width[1]) if width else 0
    elif (access := _LDS.match(opcode)) is not None:
        kind = "shared load" if access[1] else "shared store"
        for _ in range(2 if access[2] else 1):
            yield kind, _width(access[3])
    elif re.match(r"ds_(?:add|inc|sub|max|min|or|and|xor|cmpst|wrxchg)", opcode):
        yield "shared atomic", 64 if "64" in opcode else 32


def _width(suffix: str) -> int:
    """Read the bits of an access from the end of an opcode: "dwordx4", "b128", "ushort"."""
    return next((bits for pattern, bits in _WIDTHS if re.fullmatch(pattern, suffix)), 0)


def _atomic_width(suffix: str) -> int:
    return 64 if "x2" in suffix or "64" in suffix else 32
