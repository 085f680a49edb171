"""How many bits an operand of a dot had when it was loaded.

    %x = tt.load … : i8          8 bits
    %y = arith.sitofp %x : f16   16 bits, of which 8 tell something
    %z = tt.dot … %y

A lane of mma.sync holds 32 bits of a row side by side. Where an operand is widened on the way, the
layout of the dot is chosen for the narrow type: then what one load brings stays with its lane.
"""

from __future__ import annotations

from weft.analysis.encoding_inference import is_elementwise, is_view
from weft.analysis.slices import backward_slice
from weft.ir import tt, ttg, types
from weft.ir.builtin import BlockArgument, Operation, SSAValue
from weft.ir.interfaces import Effect, get_effects

__all__ = ["comes_from_load", "original_width"]

_LOADS = (tt.LoadOp, tt.DescriptorLoadOp, tt.DescriptorGatherOp)
_PASSED = (*_LOADS, ttg.Fp4ToFpOp, tt.BroadcastOp, ttg.ConvertLayoutOp)


def original_width(value: SSAValue) -> int:
    """Return the bits of an element of what an operand is computed from.

    4 where 4-bit floats are unpacked; else the least width of the element itself and of the
    loads behind it; half of that where pairs are joined on the way, which puts two loads side by
    side.
    """
    found = backward_slice(value, keep=_is_passed, omit_block_arguments=True)
    if any(isinstance(op, ttg.Fp4ToFpOp) for op in found):
        return 4
    width = types.bit_width(value.type)
    for op in found:
        if isinstance(op, _LOADS) and types.is_tensor(op.results[0].type):
            width = min(width, types.bit_width(op.results[0].type))
    return width // 2 if any(isinstance(op, tt.JoinOp) for op in found) else width


def comes_from_load(value: SSAValue) -> bool:
    """Tell whether an operand is loaded as it is, or carried into its block as it is."""
    while True:
        if isinstance(value, BlockArgument):
            return True
        op = value.owner
        if isinstance(op, _LOADS):
            return True
        if not isinstance(op, ttg.ConvertLayoutOp | tt.TransOp):
            return False
        value = op.operands[0]


def _is_passed(op: Operation) -> bool:
    if isinstance(op, _PASSED) or is_view(op):
        return True
    return is_elementwise(op) and get_effects(op) is Effect.NONE
