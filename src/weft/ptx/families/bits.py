"""Bits: logic, shifts, fields, bytes that are picked, and moves.

lop3.b32 d, a, b, c, 0x96     the bit of d is bit (4a + 2b + c) of 0x96
prmt.b32 d, a, b, 0x5410      bytes of b:a by number; 8 more spreads the byte's sign
bfe.u32 d, a, start, length   a field, as a number
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.ptx.registry import Form, Meaning, instruction

_PLAIN = ("pred", "b16", "b32", "b64")
_MOVED = (*_PLAIN, "u16", "u32", "u64", "s16", "s32", "s64", "f16", "bf16", "f32", "f64", "b8")
_SHIFTED = ("b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64")
_FIELDS = ("u32", "s32", "u64", "s64")
_LOGIC: dict[str, Callable[..., np.ndarray]] = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


@instruction("mov")
def _move(form: Form) -> Meaning:
    kind = form.kind(*_MOVED)
    return Meaning(kind, (kind,), lambda a: a)


@instruction("and", "or", "xor")
def _logic(form: Form) -> Meaning:
    kind = form.kind(*_PLAIN)
    return Meaning(kind, (kind, kind), _LOGIC[form.head])


@instruction("not", "cnot")
def _inverse(form: Form) -> Meaning:
    kind = form.kind(*_PLAIN)
    if form.head == "not":
        return Meaning(kind, (kind,), np.invert)
    return Meaning(kind, (kind,), lambda a: (a == 0).astype(a.dtype))


@instruction("shl", "shr")
def _shift(form: Form) -> Meaning:
    kind = form.kind(*_SHIFTED)
    bits = int(kind[1:])

    def run(a: np.ndarray, by: np.ndarray) -> np.ndarray:
        a, by = np.broadcast_arrays(a, by)
        inside = np.minimum(by, bits - 1).astype(a.dtype)
        if form.head == "shl":
            return np.where(by < bits, a << inside, 0).astype(a.dtype)
        return a >> inside if a.dtype.kind == "i" else np.where(by < bits, a >> inside, 0)

    return Meaning(kind, (kind, "u32"), run)


@instruction("shf")
def _funnel(form: Form) -> Meaning:
    side, mode = form.flag("l", "r"), form.flag("wrap", "clamp")
    kind = form.kind("b32")

    def run(low: np.ndarray, high: np.ndarray, by: np.ndarray) -> np.ndarray:
        whole = high.astype(np.uint64) << np.uint64(32) | low.astype(np.uint64)
        count = (by & 31 if mode == "wrap" else np.minimum(by, 32)).astype(np.uint64)
        return whole >> count if side == "r" else (whole << count) >> np.uint64(32)

    return Meaning(kind, (kind, kind, "u32"), lambda *given: run(*given).astype(np.uint32))


@instruction("lop3")
def _any_logic(form: Form) -> Meaning:
    kind = form.kind("b32")

    def run(a: np.ndarray, b: np.ndarray, c: np.ndarray, table: np.ndarray) -> np.ndarray:
        found = np.zeros(1, np.uint32)
        for row in range(8):
            bit = -(table >> np.uint32(row) & np.uint32(1))
            sides = (each if row & 4 >> n else ~each for n, each in enumerate((a, b, c)))
            found = found | bit & np.bitwise_and.reduce(np.broadcast_arrays(*sides))
        return found

    return Meaning(kind, (kind,) * 4, run)


@instruction("prmt")
def _pick(form: Form) -> Meaning:
    kind = form.kind("b32")

    def run(a: np.ndarray, b: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        a, b, chosen = (each.astype(np.uint64) for each in np.broadcast_arrays(a, b, chosen))
        whole, found = b << np.uint64(32) | a, np.zeros(1, np.uint64)
        for place in range(4):
            pick = chosen >> np.uint64(4 * place) & np.uint64(15)
            byte = whole >> np.uint64(8) * (pick & np.uint64(7)) & np.uint64(255)
            sign = np.where(byte & np.uint64(128), np.uint64(255), np.uint64(0))
            byte = np.where(pick & np.uint64(8), sign, byte)
            found = found | byte << np.uint64(8 * place)
        return found.astype(np.uint32)

    return Meaning(kind, (kind,) * 3, run)


@instruction("bfe")
def _field(form: Form) -> Meaning:
    kind = form.kind(*_FIELDS)
    bits = int(kind[1:])

    def one(value: int, start: int, length: int) -> int:
        start, length = start & 255, length & 255
        if length == 0:
            return 0
        field = value >> start & (1 << length) - 1  # beyond the top are signs: value is signed
        top = min(start + length, bits) - 1
        if kind[0] == "s" and value >> top & 1:
            field |= -1 << length
        return field

    run = np.frompyfunc(one, 3, 1)
    return Meaning(kind, (kind, "u32", "u32"), lambda *given: _numbers(run, given, kind))


@instruction("bfi")
def _insert(form: Form) -> Meaning:
    kind = form.kind("b32", "b64")
    bits = int(kind[1:])

    def one(field: int, value: int, start: int, length: int) -> int:
        start, length = start & 255, length & 255
        mask = ((1 << length) - 1 << start) & (1 << bits) - 1
        return value & ~mask | field << start & mask

    run = np.frompyfunc(one, 4, 1)
    return Meaning(kind, (kind, kind, "u32", "u32"), lambda *given: _numbers(run, given, kind))


def _numbers(run: Callable[..., object], given: tuple[np.ndarray, ...], kind: str) -> np.ndarray:
    found = run(*(each.astype(object) for each in given))
    return np.asarray(found).astype(np.int64 if kind[0] == "s" else np.uint64)


@instruction("popc", "clz", "bfind", "brev")
def _counted(form: Form) -> Meaning:
    signed = ("u32", "s32", "u64", "s64") if form.head == "bfind" else ("b32", "b64")
    kind = form.kind(*signed)
    bits = int(kind[1:])
    counts: dict[str, Callable[[int], int]] = {
        "popc": lambda value: value.bit_count(),
        "clz": lambda value: bits - value.bit_length(),
        "bfind": lambda value: (~value if value < 0 else value).bit_length() - 1,
        "brev": lambda value: int(f"{value:0{bits}b}"[::-1], 2),
    }
    run = np.frompyfunc(counts[form.head], 1, 1)
    result = kind if form.head == "brev" else "u32"

    def counted(a: np.ndarray) -> np.ndarray:
        return (np.asarray(run(a.astype(object))) & (1 << 64) - 1).astype(np.uint64)

    return Meaning(result, (kind,), counted)
