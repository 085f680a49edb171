"""Assembly that kernels write themselves: PTX on the registers of each thread.

    %7 = call { <2 x half>, i32 } asm "…", "=r,=r,r"(<4 x i8> %x)

A vector is one register: its bits, the first element lowest.
"""

from __future__ import annotations

import re

import numpy as np

from weft.errors import CodegenError
from weft.ptx import read
from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Type, dtype_of, parse_type
from weft.simulator.registry import Operands

__all__ = ["run_assembly"]

_ESCAPED = re.compile(r"\\([0-9A-F]{2})")


def run_assembly(
    result: str, returns: str, text: str, constraints: str, operands: Operands
) -> Step:
    """Return a call of assembly as a step.

    Args: result: the name of what it gives.  returns: its type.  text: escaped as in LLVM IR.
    Raises: CodegenError: what is no PTX, or PTX that needs a machine.
    """
    try:
        assembly = read(_ESCAPED.sub(lambda m: chr(int(m[1], 16)), text), constraints)
    except CodegenError as error:
        raise CodegenError(
            "the simulator does not know this assembly", found=text, hint=str(error)
        ) from None
    type_, _ = parse_type(returns)
    members = (type_.members or (type_,)) if result else ()
    if (len(members), len(operands)) != (len(assembly.outputs), len(assembly.inputs)):
        raise CodegenError("assembly takes and gives what its constraints say", found=constraints)

    def step(block: Block) -> None:
        found = assembly.run([_bits_of(block.get(operand), kind) for operand, kind in operands])
        values = tuple(_value_of(bits, kind) for bits, kind in zip(found, members, strict=True))
        if type_.members:
            block.set_members(result, values)
        elif result:
            block.set(result, values[0])

    return step


def _whole(kind: Type) -> np.dtype:
    """Return the register of a type: unsigned numbers."""
    return np.dtype(f"u{kind.bits_each * max(1, kind.count) // 8}")


def _bits_of(values: np.ndarray, kind: Type) -> np.ndarray:
    if values.dtype == np.bool_:
        return values
    flat = np.ascontiguousarray(values).reshape(values.shape[0], -1)
    return flat.view(_whole(kind))[:, 0]


def _value_of(bits: np.ndarray, kind: Type) -> np.ndarray:
    if dtype_of(kind) == np.bool_:
        return (bits & 1).astype(np.bool_)
    held = bits.astype(_whole(kind), copy=False)
    values = np.ascontiguousarray(held)[:, None].view(dtype_of(kind))
    return values if kind.count else values[:, 0]
