"""Dot products of two pairs of 16 bits.

Source: "RDNA3.5" and "RDNA4 Instruction Set Architecture", V_DOT2_F16_F16 and V_DOT2_BF16_BF16.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from tests.emulator.corrections.correction import Instruction, correction
from tests.emulator.corrections.wave import Wave

__all__: list[str] = []

_UPPER_ADDEND, _UPPER_RESULT = 4, 8  # bits of op_sel


@correction("dot products of bf16", "gfx1.*", "V_DOT2_BF16_BF16")
@correction(
    "dot products of f16 with an upper half",
    "gfx1.*",
    "V_DOT2_F16_F16",
    lambda each: bool(each.flag("opsel") & _UPPER_ADDEND),
)
def _dot(instruction: Instruction, wave: Wave) -> None:
    """Add both products to a half of the third operand; the result is a half of the register.

    The emulator computes bf16 as f16, and takes the lower half of the third operand.
    """
    if instruction.flag("neg") or instruction.flag("abs") or instruction.flag("clmp"):
        raise NotImplementedError("dot products with modifiers")
    narrow = ml_dtypes.bfloat16 if "BF16" in instruction.name else np.float16
    a, b, c = (_pair(wave, instruction.register(f"src{n}"), narrow) for n in range(3))
    selected = c[:, int(bool(instruction.flag("opsel") & _UPPER_ADDEND))]
    bits = ((a * b).sum(1) + selected).astype(narrow).view(np.uint16).astype(np.uint32)
    first = instruction.vector("vdst")
    shift = np.uint32(16 if instruction.flag("opsel") & _UPPER_RESULT else 0)
    other_half = wave.vgpr[first] & ~(np.uint32(0xFFFF) << shift)
    wave.write(first, (other_half | bits << shift)[None])


def _pair(wave: Wave, operand: int, narrow: type) -> NDArray[np.float64]:
    """Read the two halves of each lane's operand; a row per lane."""
    words = np.ascontiguousarray(wave.source(operand)[0])
    return words.view(narrow).astype(np.float64).reshape(wave.lanes, 2)
