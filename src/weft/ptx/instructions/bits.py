"""Bits: logic, shifts, bit fields, byte permutation, counts, and moves.

lop3.b32 d, a, b, c, 0x96     the bit of d is bit (4a + 2b + c) of 0x96
prmt.b32 d, a, b, 0x5410      bytes of b:a by number; 8 more replicates the byte's sign
bfe.u32 d, a, start, length   a bit field, as a number
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.ptx.registry import InstructionName, Semantics, instruction

_LOGIC_TYPES = ("pred", "b16", "b32", "b64")
_MOVE_TYPES = (
    *_LOGIC_TYPES, "u16", "u32", "u64", "s16", "s32", "s64", "f16", "bf16", "f32", "f64", "b8"
)  # fmt: skip
_SHIFT_TYPES = ("b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64")
_INTEGER_TYPES = ("u32", "s32", "u64", "s64")
_LOGIC: dict[str, Callable[..., np.ndarray]] = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


@instruction("mov")
def _move(name: InstructionName) -> Semantics:
    type_ = name.only_type(*_MOVE_TYPES)
    return Semantics(type_, (type_,), lambda a: a)


@instruction("and", "or", "xor")
def _logic(name: InstructionName) -> Semantics:
    type_ = name.only_type(*_LOGIC_TYPES)
    return Semantics(type_, (type_, type_), _LOGIC[name.opcode])


@instruction("not", "cnot")
def _not(name: InstructionName) -> Semantics:
    type_ = name.only_type(*_LOGIC_TYPES)
    if name.opcode == "not":
        return Semantics(type_, (type_,), np.invert)
    return Semantics(type_, (type_,), lambda a: (a == 0).astype(a.dtype))


@instruction("shl", "shr")
def _shift(name: InstructionName) -> Semantics:
    type_ = name.only_type(*_SHIFT_TYPES)
    bits = int(type_[1:])

    def run(a: np.ndarray, amount: np.ndarray) -> np.ndarray:
        a, amount = np.broadcast_arrays(a, amount)
        clamped = np.minimum(amount, bits - 1).astype(a.dtype)
        if name.opcode == "shl":
            return np.where(amount < bits, a << clamped, 0).astype(a.dtype)
        if a.dtype.kind == "i":
            return a >> clamped
        return np.where(amount < bits, a >> clamped, 0)

    return Semantics(type_, (type_, "u32"), run)


@instruction("shf")
def _funnel_shift(name: InstructionName) -> Semantics:
    direction, mode = name.modifier("l", "r"), name.modifier("wrap", "clamp")
    type_ = name.only_type("b32")

    def run(low: np.ndarray, high: np.ndarray, amount: np.ndarray) -> np.ndarray:
        both = high.astype(np.uint64) << np.uint64(32) | low.astype(np.uint64)
        limited = amount & 31 if mode == "wrap" else np.minimum(amount, 32)
        count = limited.astype(np.uint64)
        shifted = both >> count if direction == "r" else (both << count) >> np.uint64(32)
        return shifted.astype(np.uint32)

    return Semantics(type_, (type_, type_, "u32"), run)


@instruction("lop3")
def _logic_by_table(name: InstructionName) -> Semantics:
    type_ = name.only_type("b32")

    def run(a: np.ndarray, b: np.ndarray, c: np.ndarray, table: np.ndarray) -> np.ndarray:
        result = np.zeros(1, np.uint32)
        for entry in range(8):
            is_set = -(table >> np.uint32(entry) & np.uint32(1))  # all bits set, or none
            sides = (each if entry & 4 >> n else ~each for n, each in enumerate((a, b, c)))
            result = result | is_set & np.bitwise_and.reduce(np.broadcast_arrays(*sides))
        return result

    return Semantics(type_, (type_,) * 4, run)


@instruction("prmt")
def _permute_bytes(name: InstructionName) -> Semantics:
    type_ = name.only_type("b32")

    def run(a: np.ndarray, b: np.ndarray, selector: np.ndarray) -> np.ndarray:
        a, b, selector = (each.astype(np.uint64) for each in np.broadcast_arrays(a, b, selector))
        source, result = b << np.uint64(32) | a, np.zeros(1, np.uint64)
        for position in range(4):
            nibble = selector >> np.uint64(4 * position) & np.uint64(15)
            byte = source >> np.uint64(8) * (nibble & np.uint64(7)) & np.uint64(255)
            sign = np.where(byte & np.uint64(128), np.uint64(255), np.uint64(0))
            byte = np.where(nibble & np.uint64(8), sign, byte)
            result = result | byte << np.uint64(8 * position)
        return result.astype(np.uint32)

    return Semantics(type_, (type_,) * 3, run)


@instruction("bfe")
def _extract_field(name: InstructionName) -> Semantics:
    type_ = name.only_type(*_INTEGER_TYPES)
    bits = int(type_[1:])

    def extract(value: int, start: int, length: int) -> int:
        start, length = start & 255, length & 255
        if length == 0:
            return 0
        field = value >> start & (1 << length) - 1  # past the top, a signed value has sign bits
        top = min(start + length, bits) - 1
        if type_[0] == "s" and value >> top & 1:
            field |= -1 << length
        return field

    return Semantics(type_, (type_, "u32", "u32"), _on_integers(extract, 3, type_))


@instruction("bfi")
def _insert_field(name: InstructionName) -> Semantics:
    type_ = name.only_type("b32", "b64")
    bits = int(type_[1:])

    def insert(field: int, value: int, start: int, length: int) -> int:
        start, length = start & 255, length & 255
        mask = ((1 << length) - 1 << start) & (1 << bits) - 1
        return value & ~mask | field << start & mask

    return Semantics(type_, (type_, type_, "u32", "u32"), _on_integers(insert, 4, type_))


def _on_integers(
    function: Callable[..., int], arguments: int, type_: str
) -> Callable[..., np.ndarray]:
    """Vectorize a function of Python integers."""
    vectorized = np.frompyfunc(function, arguments, 1)
    dtype = np.int64 if type_[0] == "s" else np.uint64

    def run(*arrays: np.ndarray) -> np.ndarray:
        return np.asarray(vectorized(*(each.astype(object) for each in arrays))).astype(dtype)

    return run


@instruction("popc", "clz", "bfind", "brev")
def _count(name: InstructionName) -> Semantics:
    is_bfind = name.opcode == "bfind"
    type_ = name.only_type(*(_INTEGER_TYPES if is_bfind else ("b32", "b64")))
    bits = int(type_[1:])
    functions: dict[str, Callable[[int], int]] = {
        "popc": lambda value: value.bit_count(),
        "clz": lambda value: bits - value.bit_length(),
        "bfind": lambda value: (~value if value < 0 else value).bit_length() - 1,
        "brev": lambda value: int(f"{value:0{bits}b}"[::-1], 2),
    }
    vectorized = np.frompyfunc(functions[name.opcode], 1, 1)

    def run(a: np.ndarray) -> np.ndarray:
        # bfind of 0 is -1, all bits set.
        return (np.asarray(vectorized(a.astype(object))) & (1 << 64) - 1).astype(np.uint64)

    return Semantics(type_ if name.opcode == "brev" else "u32", (type_,), run)
