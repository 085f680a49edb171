"""Shifts, and what chips do with an amount that is not less than the width.

    shl i32 %x, 40     NVIDIA: 0, as if by 32      AMD: x << 8, by the lower 5 bits of 40

LLVM leaves such a shift undefined; kernels rely on the instruction all the same, for example to
mask the columns of a causal attention.
Source: PTX ISA, "Logic and Shift Instructions: shl, shr"; AMD's ISA documents, V_LSHLREV_B32.
"""

from __future__ import annotations

import numpy as np

from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.casts import unsigned
from weft.simulator.llvm_ir.operands import parse_operand
from weft.simulator.llvm_ir.parser import Instruction, split_arguments
from weft.simulator.llvm_ir.types import parse_type

__all__ = ["SHIFTS", "compile_shift"]

SHIFTS = ("shl", "lshr", "ashr")
_FLAGS = ("nsw ", "nuw ", "exact ")


def compile_shift(instruction: Instruction) -> Step:
    """Compile a shift."""
    text = instruction.rest
    while text.startswith(_FLAGS):
        text = text.partition(" ")[2]
    type_, rest = parse_type(text)
    value, amount = (parse_operand(part, type_) for part in split_arguments(rest)[:2])

    def step(block: Block) -> None:
        x, y = np.broadcast_arrays(block.get(value), block.get(amount))
        is_bool = x.dtype == np.bool_
        if is_bool:
            x, y = -x.astype(np.int8), y.astype(np.int8)
        result = _shift(instruction.opcode, x, y, clamps=not block.launch.chip)
        block.set(instruction.result, (result & 1).astype(np.bool_) if is_bool else result)

    return step


def _shift(opcode: str, x: np.ndarray, y: np.ndarray, clamps: bool) -> np.ndarray:
    """Shift x by y, which is unsigned.

    Args:
        opcode: One of `SHIFTS`.
        x: The values.
        y: The amounts.
        clamps: Whether amounts are clamped to the width, else the lower bits of them count.
    """
    if x.dtype == np.object_:
        return x << y if opcode == "shl" else x >> y
    width = np.array(8 * x.dtype.itemsize, unsigned(y).dtype)
    amount = unsigned(y)
    if not clamps:
        amount = amount % width
    if opcode == "ashr":
        return x >> np.minimum(amount, width - 1).astype(x.dtype)
    bits = unsigned(x)
    shifted = bits << (amount % width) if opcode == "shl" else bits >> (amount % width)
    return np.where(amount < width, shifted, np.zeros_like(shifted)).view(x.dtype)
