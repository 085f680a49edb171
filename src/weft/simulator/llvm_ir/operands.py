"""Read operands of LLVM IR: names of values, and literals as arrays.

%v1                      the name, looked up when the step runs
i32 7                    array([7], int32), for all threads
<2 x half> <0, 0xH3C00>  array([[0, 1]], float16)
"""

from __future__ import annotations

import struct

import ml_dtypes
import numpy as np

from weft.errors import CodegenError
from weft.simulator.llvm_ir.types import Operand, Type, dtype_of

__all__ = ["parse_operand"]

_ZEROS = ("poison", "undef", "zeroinitializer", "null")


def parse_operand(text: str, type_: Type) -> Operand:
    """Read an operand: the name of a value, or a literal as an array of one row.

    Raises:
        CodegenError: The text is neither.
    """
    if text.startswith(("%", "@text.", "@group.")):
        return text
    if text == "@shared":  # shared memory starts at address 0
        return np.zeros(1, np.int64)
    shape = (1, type_.count) if type_.count else (1,)
    if text in _ZEROS:
        return np.zeros(shape, dtype_of(type_))
    if text.startswith("<") and type_.count:
        members = [part.strip().rpartition(" ")[2] for part in text[1:-1].split(",")]
        row = [_parse_number(member, type_) for member in members]
        return np.array([row], dtype_of(type_))
    try:
        return np.full(shape, _parse_number(text, type_), dtype_of(type_))
    except ValueError:
        raise CodegenError("the simulator cannot read this operand", found=text) from None


def _parse_number(text: str, type_: Type) -> object:
    """Read a number; integers wrap to the signed range, hexadecimal floats are bit patterns."""
    if type_.name == "i1":
        return {"true": True, "false": False, "1": True, "0": False, "-1": True}[text]
    if not type_.is_float:
        bits = type_.bits_each
        number = int(text) & ((1 << bits) - 1)
        return number - (1 << bits) if number >> (bits - 1) else number
    if text.startswith("0xH"):
        return np.uint16(int(text[3:], 16)).view(np.float16)
    if text.startswith("0xR"):
        return np.uint16(int(text[3:], 16)).view(ml_dtypes.bfloat16)
    if text.startswith("0x"):
        return struct.unpack("<d", struct.pack("<Q", int(text[2:], 16)))[0]
    return float(text)
