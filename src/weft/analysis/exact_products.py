"""Products of 16-bit floats that need no rounding, as those of microscaling do.

    %a = ttg.fp4_to_fp %x                        0, ±0.5, ±1, ±1.5, ±2, ±3, ±4, ±6
    %s = tt.bitcast (arith.shli %exponent, 7)    0, a power of two from 2^-126 on, or infinity
    %y = arith.mulf %a, %s                       a multiple of 2^-127, two significant bits

Every such product is a bf16, infinity where it is too large, or NaN; a chip that computes it in f32
may leave the lower half of the result away.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from weft.ir import types
from weft.ir.rewriting import constant_value

__all__ = ["is_exact_product"]

_MANTISSA = 7  # bits of a bf16
_SAME_ELEMENTS = (
    "tt.broadcast",
    "tt.expand_dims",
    "tt.reshape",
    "tt.splat",
    "tt.trans",
    "ttg.convert_layout",
)


def is_exact_product(op: Operation) -> bool:
    """Tell whether a product of two bf16 is a bf16 without rounding.

    Args: op: an arith.mulf.
    """
    if types.element(op.results[0].type) != types.bf16:
        return False
    owners = [_made_by(operand) for operand in op.operands]
    return any(_is_fp4(a) and _is_power_of_two(b) for a, b in (owners, owners[::-1]))


def _made_by(value: SSAValue) -> Operation | None:
    """Return the operation that computed a tensor's elements; None for an argument."""
    owner = value.owner
    while isinstance(owner, Operation) and owner.name in _SAME_ELEMENTS:
        owner = owner.operands[0].owner
    return owner if isinstance(owner, Operation) else None


def _is_fp4(op: Operation | None) -> bool:
    return op is not None and op.name == "ttg.fp4_to_fp"


def _is_power_of_two(op: Operation | None) -> bool:
    """Tell whether bf16 are exponents alone: bits of an integer that was moved above a mantissa."""
    if op is None or op.name != "tt.bitcast":
        return False
    shift = _made_by(op.operands[0])
    if shift is None or shift.name != "arith.shli":
        return False
    by = constant_value(shift.operands[1])
    return isinstance(by, int) and by >= _MANTISSA
