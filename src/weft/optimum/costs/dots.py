"""The work of dots: multiply-adds of matrix units, or an instruction each without them.

64x64x32 f16, #mma           131072 multiply-adds, and those of warps that repeat others
the same in #blocked         131072 / lanes instructions of a warp
"""

from __future__ import annotations

from math import prod

from weft.ir import types
from weft.ir.builtin import Operation
from weft.layouts import BlockedEncoding, Encoding
from weft.optimum.costs.arithmetic import distinct_registers
from weft.optimum.costs.work import NOTHING, Work

__all__ = ["dot_work", "matrix_unit_work"]

_RATED_BITS = 16  # the operands whose multiply-adds `Prices` has
_MIN_BITS = 8


def dot_work(op: Operation, result: Encoding | None) -> Work:
    """Count the work of a dot with a result in registers.

    Args:
        op: The dot.
        result: The layout of its result.
    """
    a = op.operands[0].type
    if result is None or not op.results or not types.is_tensor(op.results[0].type):
        return NOTHING
    shape = types.shape(op.results[0].type)
    a_shape = types.shape(a) if types.is_tensor(a) else tuple(getattr(a, "shape", ()))
    if not a_shape:
        return NOTHING
    layout = result.linear(shape)
    registers, warps = distinct_registers(result, shape), layout.in_size("warp")
    k = a_shape[-1]
    if isinstance(result, BlockedEncoding):
        return Work(instructions=registers * k * warps)
    # All lanes of all warps, so that replicated tiles count as often as they are computed.
    lanes = layout.in_size("lane")
    computed = max(prod(shape), registers * warps * lanes) * k
    return matrix_unit_work(computed, _operand_bits(op))


def matrix_unit_work(multiply_adds: int, bits: int) -> Work:
    """Count multiply-adds of matrix units, whose rate is in proportion to the bits of an operand.

    Args:
        multiply_adds: How many there are.
        bits: Bits of an element of the operands.
    """
    return Work(fused_multiply_adds=multiply_adds * max(_MIN_BITS, bits) // _RATED_BITS)


def _operand_bits(op: Operation) -> int:
    a = op.operands[0].type
    return types.bit_width(types.element(a)) if types.is_tensor(a) else _RATED_BITS
