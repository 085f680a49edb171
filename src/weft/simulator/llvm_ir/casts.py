"""Casts of LLVM IR: from one type to another, by value or by bits.

trunc i32 %v1 to i8    →    block.set(result, block.get("%v1").astype(int8))
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.simulator.block import Block, Operand, Step, constant
from weft.simulator.llvm_ir.parser import Instruction
from weft.simulator.llvm_ir.types import Type, dtype_of, parse_type

__all__ = ["CASTS", "unsigned"]


def unsigned(values: np.ndarray) -> np.ndarray:
    """Return integers read as unsigned."""
    if values.dtype == np.bool_:
        return values.astype(np.uint8)
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")


def _cast(one: Instruction) -> Step:
    source, rest = parse_type(one.rest)
    text, _, target_text = rest.partition(" to ")
    target, _ = parse_type(target_text)
    a = constant(text.strip(), source)
    convert = _CONVERT[one.word]
    if one.word == "bitcast":
        return _moved(one.result, a, source, target)
    return lambda block: block.set(one.result, convert(block.get(a), source, target))


def _moved(result: str, a: Operand, source: Type, target: Type) -> Step:
    """Return a change of type alone: what products still write may pass through it."""

    def step(block: Block) -> None:
        block.set(result, _same_bits(block.held(a), source, target))
        block.carry(result, a)

    return step


def _extend_unsigned(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    return unsigned(values).astype(dtype_of(target))


def _truncate(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    if target.name == "i1":
        return (values & 1).astype(np.bool_)
    if values.dtype == np.object_:
        dtype = dtype_of(target)
        unsigned = np.dtype(f"u{dtype.itemsize}")
        return (values & int(np.iinfo(unsigned).max)).astype(unsigned).view(dtype)
    return values.astype(dtype_of(target))


def _to_float_unsigned(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    return unsigned(values).astype(dtype_of(target))


def _extend_signed(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    wide = values.astype(dtype_of(target))
    return -wide if values.dtype == np.bool_ else wide


def _same_bits(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    rows = np.ascontiguousarray(values).reshape(values.shape[0], -1)
    found = rows.view(dtype_of(target))
    return found if target.count else found[:, 0]


def _convert(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        if source.name == "double" and target.name == "bfloat":
            values = _to_odd(values)
        return values.astype(dtype_of(target))


def _to_odd(values: np.ndarray) -> np.ndarray:
    """Return doubles as floats that round to a smaller type as the doubles do.

    ml_dtypes rounds twice, by way of float; so the float has its last bit set if anything was lost.
    """
    near = values.astype(np.float32)
    back = near.astype(np.float64)
    bits = near.view(np.int32) - (np.abs(back) > np.abs(values))
    bits |= (back != values) & ~np.isnan(values)
    return bits.astype(np.int32).view(np.float32)


_CONVERT: dict[str, Callable[[np.ndarray, Type, Type], np.ndarray]] = {
    "sext": _extend_signed,
    "zext": _extend_unsigned,
    "trunc": _truncate,
    "fpext": _convert,
    "fptrunc": _convert,
    "sitofp": lambda v, s, t: _extend_signed(v, s, t) if s.name == "i1" else _convert(v, s, t),
    "uitofp": _to_float_unsigned,
    "fptosi": _convert,
    "fptoui": lambda v, s, t: v.astype(np.uint64).astype(dtype_of(t)),
    "bitcast": _same_bits,
    "ptrtoint": _convert,
    "inttoptr": _convert,
    "addrspacecast": _convert,
}

CASTS = dict.fromkeys(_CONVERT, _cast)
