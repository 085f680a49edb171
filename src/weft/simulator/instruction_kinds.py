"""The kind of an instruction that is counted whenever a warp executes it.

    %v1 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(…)     ("shuffle", 32)
    call void asm "mma.sync.aligned.m16n8k16…", …       ("mma", 0)

Accesses to memory, and instructions that one lane issues, are counted where they are simulated,
because their counts depend on addresses and predicates.
"""

from __future__ import annotations

import re
from typing import Final

from weft.simulator.llvm_ir.parser import Instruction

__all__ = ["BARRIER", "fixed_kind"]

BARRIER: Final = "barrier"
_WORD = 32
_PATTERNS = (
    (re.compile(r"@llvm\.nvvm\.shfl\.sync\."), "shuffle", _WORD),
    (
        re.compile(
            r"@llvm\.amdgcn\.(?:update\.dpp|mov\.dpp8|ds\.swizzle|ds\.bpermute|permlane|readlane)"
        ),
        "shuffle",
        _WORD,
    ),
    (re.compile(r"@llvm\.nvvm\.redux\.sync\."), "warp reduction", _WORD),
    (re.compile(r"@llvm\.nvvm\.bar\.warp\.sync"), "warp barrier", 0),
    (re.compile(r"@llvm\.nvvm\.barrier\.cluster\.wait"), "cluster barrier", 0),
    (re.compile(r"@llvm\.amdgcn\.s\.barrier\.wait\(i16 -3\)"), "cluster barrier", 0),
    (re.compile(r"@llvm\.amdgcn\.s\.barrier\.wait"), BARRIER, 0),
    (re.compile(r'asm (?:sideeffect )?"(?:mma\.sync|wgmma\.mma_async)\.'), "mma", 0),
    (re.compile(r"@llvm\.amdgcn\.(?:mfma|wmma|smfmac|swmmac)\."), "mma", 0),
)
_TENSOR_MEMORY = re.compile(r'asm (?:sideeffect )?"(?:@\$\d+ )?tcgen05\.(ld|st)\.[^"{]*\{([^}]*)\}')


def fixed_kind(instruction: Instruction) -> tuple[str, int] | None:
    """Find the kind and width of an instruction, None if no fixed kind is counted for it."""
    if instruction.opcode != "call":
        return None
    text = instruction.rest
    for pattern, kind, bits in _PATTERNS:
        if pattern.search(text):
            return kind, bits
    match = _TENSOR_MEMORY.search(text)
    if match is None:
        return None
    kind = "tensor memory load" if match[1] == "ld" else "tensor memory store"
    return kind, _WORD * (match[2].count(",") + 1)
