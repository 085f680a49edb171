"""Roundings that kernels ask for in assembly of their own."""

from __future__ import annotations

import numpy as np

from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import dtype_of, parse_type
from weft.simulator.registry import Call, assembly

__all__: list[str] = []

_LOST = 13  # bits of f32's fraction that tf32 does not have


@assembly(r"cvt\.rna\.tf32\.f32 \$0, \$1;")
def _tf32(call: Call) -> Step:
    """Return a rounding to tf32, to nearest, halves away from zero."""
    (value,) = call.arguments
    kind = dtype_of(parse_type(call.returns)[0])

    def step(block: Block) -> None:
        bits = np.ascontiguousarray(block.get(value)).view(np.uint32)
        finite = (bits & 0x7F800000) != 0x7F800000
        rounded = (bits + np.uint32(1 << _LOST - 1)) & np.uint32(~((1 << _LOST) - 1) & 0xFFFFFFFF)
        block.set(call.result, np.where(finite, rounded, bits).view(kind))

    return step
