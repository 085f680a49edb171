"""Arithmetic of integers; opcodes that floats have too are registered in `float_arithmetic`.

mul.lo.s32   mul.hi.u32   mul.wide.s16   mad.lo.s32   add.sat.s32   div.u32   min.s32   abs.s32
"""

from __future__ import annotations

import numpy as np

from weft.ptx.registry import InstructionName, Semantics, instruction
from weft.ptx.types import limits_of

__all__ = ["INTEGERS", "integer_semantics"]

INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")
_NUMPY = {"min": np.minimum, "max": np.maximum, "abs": np.abs, "neg": np.negative}


def _to_python(values: np.ndarray) -> np.ndarray:
    """Convert to Python integers, which do not overflow."""
    return values.astype(object)


def _wrap(values: np.ndarray, type_: str) -> np.ndarray:
    """Reduce Python integers modulo 2 to the bits of a type."""
    smallest, largest = limits_of(type_)
    span = largest - smallest + 1
    return ((values - smallest) % span + smallest).astype(np.dtype("i8" if smallest < 0 else "u8"))


def integer_semantics(name: InstructionName) -> Semantics:
    """Build the semantics of an arithmetic instruction on integers.

    Raises:
        CodegenError: The name does not have one integer type.
    """
    type_ = name.only_type(*INTEGERS)
    opcode = name.opcode
    if opcode in ("add", "sub"):
        return _add(name, type_)
    if opcode in ("mul", "mad"):
        return _multiply(name, type_)
    if opcode == "div":
        return Semantics(type_, (type_, type_), lambda a, b: _divide(a, b)[0])
    return Semantics(type_, (type_,) * (1 if opcode in ("abs", "neg") else 2), _NUMPY[opcode])


def _add(name: InstructionName, type_: str) -> Semantics:
    saturates, sign = name.has("sat"), -1 if name.opcode == "sub" else 1

    def run(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        total = _to_python(a) + sign * _to_python(b)
        return np.clip(total, *limits_of(type_)) if saturates else _wrap(total, type_)

    return Semantics(type_, (type_, type_), run)


def _multiply(name: InstructionName, type_: str) -> Semantics:
    part = name.modifier("lo", "hi", "wide")
    bits = int(type_[1:])
    result = f"{type_[0]}{2 * bits}" if part == "wide" else type_
    shift = bits if part == "hi" else 0

    def run(a: np.ndarray, b: np.ndarray, *addend: np.ndarray) -> np.ndarray:
        product = (_to_python(a) * _to_python(b)) >> shift
        return _wrap(product + (_to_python(addend[0]) if addend else 0), result)

    sources = (type_, type_, result) if name.opcode == "mad" else (type_, type_)
    return Semantics(result, sources, run)


def _divide(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute quotients, rounded toward zero, and remainders; all bits set if b is 0."""
    x, y = np.broadcast_arrays(_to_python(a), _to_python(b))
    divisor = np.where(y == 0, 1, y)
    magnitude = np.abs(x) // np.abs(divisor)
    quotient = np.where((x < 0) != (divisor < 0), -magnitude, magnitude)
    dtype = np.int64 if a.dtype.kind == "i" else object
    results = (quotient, x - quotient * divisor)
    first, second = (np.where(y == 0, -1, each).astype(dtype) for each in results)
    return first, second


@instruction("rem")
def _remainder(name: InstructionName) -> Semantics:
    type_ = name.only_type(*INTEGERS)
    return Semantics(type_, (type_, type_), lambda a, b: _divide(a, b)[1])
