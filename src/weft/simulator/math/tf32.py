"""cvt.rna.tf32.f32, which kernels write as inline PTX."""

from __future__ import annotations

import numpy as np

from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import dtype_of, parse_type
from weft.simulator.registry import Call, assembly

__all__: list[str] = []

_DROPPED_BITS = 13  # bits of the fraction of f32 that tf32 does not have


@assembly(r"cvt\.rna\.tf32\.f32 \$0, \$1;")
def _round_to_tf32(call: Call) -> Step:
    """Compile a rounding to tf32: to nearest, ties away from zero."""
    (operand,) = call.arguments
    dtype = dtype_of(parse_type(call.result_type)[0])

    def step(block: Block) -> None:
        bits = np.ascontiguousarray(block.get(operand)).view(np.uint32)
        is_finite = (bits & 0x7F800000) != 0x7F800000
        half, mask = 1 << _DROPPED_BITS - 1, ~((1 << _DROPPED_BITS) - 1) & 0xFFFFFFFF
        rounded = (bits + np.uint32(half)) & np.uint32(mask)
        block.set(call.result, np.where(is_finite, rounded, bits).view(dtype))

    return step
