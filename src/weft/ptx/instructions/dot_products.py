"""dp4a and dp2a: dot products of the bytes or halves of registers.

dp4a.s32.u32 d, a, b, c    the signed bytes of a by the unsigned bytes of b, added to c
dp2a.lo.u32.u32            the halves of a by the two low bytes of b
"""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.ptx.registry import InstructionName, Semantics, instruction


def _split(values: np.ndarray, type_: str, size: int) -> np.ndarray:
    """Split registers into numbers of a size in bytes, along a last axis."""
    sign = "i" if type_[0] == "s" else "u"
    return np.ascontiguousarray(values)[..., None].view(f"{sign}{size}").astype(np.int64)


@instruction("dp4a", "dp2a")
def _dot_product(name: InstructionName) -> Semantics:
    half = name.modifier("lo", "hi") if name.opcode == "dp2a" else ""
    if len(name.types) != 2 or not set(name.types) <= {"u32", "s32"}:
        raise name.unsupported()
    if (name.opcode == "dp2a") != bool(half):
        raise CodegenError("dp2a needs the modifier .lo or .hi", found=name.text)
    a_type, b_type = name.types
    result = "s32" if "s32" in name.types else "u32"

    def run(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        right = _split(b, b_type, 1)
        if half:
            right = right[..., :2] if half == "lo" else right[..., 2:]
        left = _split(a, a_type, 2 if half else 1)
        return ((left * right).sum(axis=-1) + c).astype(np.int64).astype(np.uint32).view(np.int32)

    return Semantics(result, (a_type, b_type, result), run)
