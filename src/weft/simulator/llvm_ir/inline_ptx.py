"""Inline PTX of the kernel's author, run by `weft.ptx` on the registers of each thread.

    %7 = call { <2 x half>, i32 } asm "…", "=r,=r,r"(<4 x i8> %x)

A vector occupies one register, with the first element in the lowest bits.
"""

from __future__ import annotations

import re

import numpy as np

from weft.errors import CodegenError
from weft.ptx import read
from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Type, dtype_of, parse_type
from weft.simulator.registry import Operands

__all__ = ["run_inline_ptx"]

_ESCAPE = re.compile(r"\\([0-9A-F]{2})")


def run_inline_ptx(
    result: str, result_type: str, text: str, constraints: str, operands: Operands
) -> Step:
    """Compile inline PTX to a step.

    Args:
        result: Name of the result, "" if there is none.
        result_type: Its type.
        text: The assembly, escaped as in LLVM IR.
        constraints: Constraints of the operands.
        operands: The arguments.

    Raises:
        CodegenError: The text is not PTX, or uses instructions that `weft.ptx` does not support.
    """
    try:
        assembly = read(_ESCAPE.sub(lambda match: chr(int(match[1], 16)), text), constraints)
    except CodegenError as error:
        raise CodegenError(
            "the simulator does not support this inline assembly", found=text, hint=str(error)
        ) from None
    type_, _ = parse_type(result_type)
    members = (type_.members or (type_,)) if result else ()
    if (len(members), len(operands)) != (len(assembly.outputs), len(assembly.inputs)):
        raise CodegenError(
            "results and arguments of inline assembly do not match its constraints",
            found=constraints,
        )

    def step(block: Block) -> None:
        inputs = [_to_bits(block.get(operand), kind) for operand, kind in operands]
        registers = assembly.run(inputs)
        values = tuple(_from_bits(*each) for each in zip(registers, members, strict=True))
        if type_.members:
            block.set_members(result, values)
        elif result:
            block.set(result, values[0])

    return step


def _register_dtype(type_: Type) -> np.dtype:
    """Compute the unsigned integer type of a register that holds a value."""
    return np.dtype(f"u{type_.bits_each * max(1, type_.count) // 8}")


def _to_bits(values: np.ndarray, type_: Type) -> np.ndarray:
    if values.dtype == np.bool_:
        return values
    rows = np.ascontiguousarray(values).reshape(values.shape[0], -1)
    return rows.view(_register_dtype(type_))[:, 0]


def _from_bits(bits: np.ndarray, type_: Type) -> np.ndarray:
    if dtype_of(type_) == np.bool_:
        return (bits & 1).astype(np.bool_)
    registers = bits.astype(_register_dtype(type_), copy=False)
    values = np.ascontiguousarray(registers)[:, None].view(dtype_of(type_))
    return values if type_.count else values[:, 0]
