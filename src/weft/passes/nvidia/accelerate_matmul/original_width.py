"""The bits of the elements of a dot operand when they were loaded.

    %x = tt.load … : i8          8 bits
    %y = arith.sitofp %x : f16   16 bits, extended from 8
    %z = tt.dot … %y

A lane of mma.sync holds 32 contiguous bits of a row. If an operand is extended after its load, the
layout of the dot is chosen for the narrow type, so that loaded elements stay in their lane.
"""

from __future__ import annotations

from weft.analysis.encoding_inference import is_elementwise, is_view
from weft.analysis.slices import backward_slice
from weft.ir import tt, ttg, types
from weft.ir.builtin import BlockArgument, Operation, SSAValue
from weft.ir.interfaces import Effect, get_effects

__all__ = ["is_loaded", "original_width"]

_LOADS = (tt.LoadOp, tt.DescriptorLoadOp, tt.DescriptorGatherOp)
_SLICE_OPS = (*_LOADS, ttg.Fp4ToFpOp, tt.BroadcastOp, ttg.ConvertLayoutOp)


def original_width(value: SSAValue) -> int:
    """Compute the bits of the elements that an operand is computed from.

    4 if fp4 elements are unpacked, else the minimum of the width of the operand and of the loads
    in its slice; half of that if a tt.join interleaves two loads.
    """
    ops = backward_slice(value, keep=_is_in_slice, omit_block_arguments=True)
    if any(isinstance(op, ttg.Fp4ToFpOp) for op in ops):
        return 4
    width = types.bit_width(value.type)
    for op in ops:
        if isinstance(op, _LOADS) and types.is_tensor(op.results[0].type):
            width = min(width, types.bit_width(op.results[0].type))
    return width // 2 if any(isinstance(op, tt.JoinOp) for op in ops) else width


def is_loaded(value: SSAValue) -> bool:
    """Check whether an operand is a loaded value or block argument, up to conversions."""
    while True:
        if isinstance(value, BlockArgument):
            return True
        op = value.owner
        if isinstance(op, _LOADS):
            return True
        if not isinstance(op, ttg.ConvertLayoutOp | tt.TransOp):
            return False
        value = op.operands[0]


def _is_in_slice(op: Operation) -> bool:
    if isinstance(op, _SLICE_OPS) or is_view(op):
        return True
    return is_elementwise(op) and get_effects(op) is Effect.NONE
