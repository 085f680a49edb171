"""Conversions of fp4.

Source: "AMD Instinct CDNA4 Instruction Set Architecture", V_CVT_SCALEF32_PK_BF16_FP4.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from tests.emulator.corrections.correction import Instruction, correction
from tests.emulator.corrections.wave import Wave

__all__: list[str] = []

_FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)


@correction("conversions of fp4", "gfx950", r"V_CVT_SCALEF32_PK_(BF16|F16|F32)_FP4(_E64)?")
def _convert_pair(instruction: Instruction, wave: Wave) -> None:
    """Convert the two fp4 of a byte, scaled by the exponent of a float."""
    codes = wave.source(instruction.register("src0"))[0] >> 8 * (instruction.flag("opsel") & 3)
    exponent = wave.source(instruction.register("src1"))[0] >> 23 & 0xFF
    scale = np.ldexp(np.float32(1), exponent.astype(np.int32) - 127)
    values = [
        np.where(codes >> shift & 8, -1, 1) * _FP4[codes >> shift & 7] * scale for shift in (0, 4)
    ]
    first = instruction.vector("vdst")
    if "_PK_F32" in instruction.name:
        wave.write(first, np.stack(values).astype(np.float32).view(np.uint32))
        return
    narrow = ml_dtypes.bfloat16 if "BF16" in instruction.name else np.float16
    low, high = (value.astype(narrow).view(np.uint16).astype(np.uint32) for value in values)
    wave.write(first, (low | high << 16)[None])
