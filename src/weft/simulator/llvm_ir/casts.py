"""Casts of LLVM IR: conversions of values, and of types without change of bits.

trunc i32 %v1 to i8    →    block.set(result, block.get("%v1").astype(int8))
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.operands import parse_operand
from weft.simulator.llvm_ir.parser import Instruction
from weft.simulator.llvm_ir.types import Operand, Type, dtype_of, parse_type

__all__ = ["CASTS", "unsigned"]


def unsigned(values: np.ndarray) -> np.ndarray:
    """View integers as unsigned."""
    if values.dtype == np.bool_:
        return values.astype(np.uint8)
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")


def _cast(instruction: Instruction) -> Step:
    source, rest = parse_type(instruction.rest)
    text, _, target_text = rest.partition(" to ")
    target, _ = parse_type(target_text)
    operand = parse_operand(text.strip(), source)
    convert = _CONVERT[instruction.opcode]
    if instruction.opcode == "bitcast":
        return _bitcast(instruction.result, operand, source, target)
    return lambda block: block.set(instruction.result, convert(block.get(operand), source, target))


def _bitcast(result: str, operand: Operand, source: Type, target: Type) -> Step:
    """Compile a bitcast, which moves registers that a wgmma may still write."""

    def step(block: Block) -> None:
        block.set(result, _reinterpret(block.peek(operand), source, target))
        block.copy_pending(result, operand)

    return step


def _extend_unsigned(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    return unsigned(values).astype(dtype_of(target))


def _truncate(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    if target.name == "i1":
        return (values & 1).astype(np.bool_)
    if values.dtype == np.object_:
        dtype = dtype_of(target)
        unsigned_dtype = np.dtype(f"u{dtype.itemsize}")
        largest = int(np.iinfo(unsigned_dtype).max)
        return (values & largest).astype(unsigned_dtype).view(dtype)
    return values.astype(dtype_of(target))


def _unsigned_to_float(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    return unsigned(values).astype(dtype_of(target))


def _extend_signed(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    extended = values.astype(dtype_of(target))
    return -extended if values.dtype == np.bool_ else extended


def _reinterpret(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    rows = np.ascontiguousarray(values).reshape(values.shape[0], -1).view(dtype_of(target))
    return rows if target.count else rows[:, 0]


def _convert(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        if source.name == "double" and target.name == "bfloat":
            values = _round_to_odd(values)
        return values.astype(dtype_of(target))


def _round_to_odd(values: np.ndarray) -> np.ndarray:
    """Round f64 to f32 so that a second rounding gives the same result as a single one.

    ml_dtypes rounds f64 to bf16 by way of f32. Truncating to f32 and setting the last bit if any
    bit was lost records on which side of a tie the value is (Boldo and Melquiond, "When double
    rounding is odd", 2005).
    """
    nearest = values.astype(np.float32)
    back = nearest.astype(np.float64)
    bits = nearest.view(np.int32) - (np.abs(back) > np.abs(values))
    bits |= (back != values) & ~np.isnan(values)
    return bits.astype(np.int32).view(np.float32)


_CONVERT: dict[str, Callable[[np.ndarray, Type, Type], np.ndarray]] = {
    "sext": _extend_signed,
    "zext": _extend_unsigned,
    "trunc": _truncate,
    "fpext": _convert,
    "fptrunc": _convert,
    "sitofp": lambda v, s, t: _extend_signed(v, s, t) if s.name == "i1" else _convert(v, s, t),
    "uitofp": _unsigned_to_float,
    "fptosi": _convert,
    "fptoui": lambda v, s, t: v.astype(np.uint64).astype(dtype_of(t)),
    "bitcast": _reinterpret,
    "ptrtoint": _convert,
    "inttoptr": _convert,
    "addrspacecast": _convert,
}

CASTS = dict.fromkeys(_CONVERT, _cast)
