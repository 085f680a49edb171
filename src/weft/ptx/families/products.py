"""Sums of products of a register's parts: dp4a and dp2a.

dp4a.s32.u32 d, a, b, c    the bytes of a, signed, by those of b, unsigned, added to c
dp2a.lo.u32.u32            halves of a by the two lower bytes of b
"""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.ptx.registry import Form, Meaning, instruction


def _parts(values: np.ndarray, kind: str, size: int) -> np.ndarray:
    """Return the parts of a register as numbers, along a last axis."""
    letter = "i" if kind[0] == "s" else "u"
    return np.ascontiguousarray(values)[..., None].view(f"{letter}{size}").astype(np.int64)


@instruction("dp4a", "dp2a")
def _dot(form: Form) -> Meaning:
    half = form.flag("lo", "hi") if form.head == "dp2a" else ""
    if len(form.types) != 2 or not set(form.types) <= {"u32", "s32"}:
        raise CodegenError(f"no {form.head} of PTX that is known here", found=form.name)
    if (form.head == "dp2a") != bool(half):
        raise CodegenError("dp2a takes the lower or the upper bytes", found=form.name)
    first, second = form.types
    result = "s32" if "s32" in form.types else "u32"

    def run(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        right = _parts(b, second, 1)
        if half:
            right = right[..., :2] if half == "lo" else right[..., 2:]
        left = _parts(a, first, 2 if half else 1)
        return ((left * right).sum(axis=-1) + c).astype(np.int64).astype(np.uint32).view(np.int32)

    return Meaning(result, (first, second, result), run)
