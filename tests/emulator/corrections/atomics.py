"""Atomic operations on memory, lane by lane.

The emulator runs those of global memory right, but on CDNA and RDNA 4 it does not return the value
before, and on RDNA 4 it adds pairs of bf16 wrongly.

Sources: "AMD Instinct MI300" and "RDNA4 Instruction Set Architecture", GLOBAL_ATOMIC_ADD and its
like.
"""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from tests.emulator.corrections.correction import Instruction, correction
from tests.emulator.corrections.wave import MEMORY, Wave

__all__ = ["global_addresses", "run_atomic"]

_NO_SGPR = 124  # from here on no pair of SGPRs has the base address
_NAME = re.compile(
    r"\w+?_ATOMIC_(?P<sign>[SU](?=MIN|MAX))?(?P<operation>PK_ADD|CMPSWAP|[A-Z]+?)(?:_NUM)?"
    r"(?:_(?P<type>[BUIF]16|BF16|[BUIF](?:32|64)))?(?P<wide>_X2)?"
)


def _element_type(sign: str | None, kind: str | None, wide: bool) -> np.dtype[np.generic]:
    """Find the element type: MIN_I32, SMIN_X2, PK_ADD_BF16, ADD."""
    if kind == "BF16":
        return np.dtype(ml_dtypes.bfloat16)
    letter = {"F": "f", "I": "i"}.get((kind or "U")[0], "u")
    bits = int(kind[1:]) if kind else 64 if wide else 32
    return np.dtype(f"{'i' if sign == 'S' else letter}{bits // 8}")


def _combine(operation: str, old: NDArray[Any], data: NDArray[Any]) -> NDArray[Any]:
    """Compute the value that an atomic stores; for CMPSWAP, `data` has also the comparand."""
    value = data[: len(old)]
    if operation == "CMPSWAP":
        return value if (old == data[len(old) :]).all() else old
    if operation == "INC":
        return np.where(old >= value, old.dtype.type(0), old + old.dtype.type(1))
    if operation == "DEC":
        wraps = (old == 0) | (old > value)
        return np.where(wraps, value, old - old.dtype.type(1))
    functions = {
        "ADD": np.add, "PK_ADD": np.add, "SUB": np.subtract, "MIN": np.minimum,
        "MAX": np.maximum, "AND": np.bitwise_and, "OR": np.bitwise_or, "XOR": np.bitwise_xor,
    }  # fmt: skip
    if operation == "SWAP":
        return value
    with np.errstate(over="ignore"):
        return functions[operation](old, value)  # pyright: ignore[reportArgumentType]


def run_atomic(
    instruction: Instruction,
    wave: Wave,
    addresses: NDArray[np.int64],
    lanes: NDArray[np.bool_],
    data: str,
    result: str,
) -> None:
    """Run an atomic on memory.

    Args:
        instruction: The instruction.
        wave: The wave.
        addresses: The address of each lane.
        lanes: The lanes that take part.
        data: The field with the register of the operand.
        result: The field with the register of the value before, if it is returned.
    """
    match = _NAME.fullmatch(instruction.name)
    assert match, instruction.name
    dtype = _element_type(match["sign"], match["type"], bool(match["wide"]))
    size = max(4, dtype.itemsize)
    count = (size // 4) * (2 if match["operation"] == "CMPSWAP" else 1)
    operands = np.ascontiguousarray(wave.source(256 + instruction.vector(data), count).T)
    previous = np.zeros((wave.lanes, size // 4), np.uint32)
    for lane in np.flatnonzero(lanes):
        at = addresses[lane : lane + 1]
        old = MEMORY.load(at, size).view(dtype)[0]
        new = _combine(match["operation"], old, operands[lane].view(dtype))
        MEMORY.store(at, np.ascontiguousarray(new).astype(dtype).view(np.uint8)[None])
        previous[lane] = old.view(np.uint32)
    if _returns(instruction):
        active, wave.active = wave.active, lanes
        wave.write(instruction.vector(result), np.ascontiguousarray(previous.T))
        wave.active = active


def _returns(instruction: Instruction) -> bool:
    """Check for TH_ATOMIC_RETURN of RDNA 4, glc of RDNA 3, sc0 of CDNA."""
    return bool(instruction.flag("th") & 1 or instruction.flag("glc") or instruction.flag("sc0"))


def global_addresses(instruction: Instruction, wave: Wave) -> NDArray[np.int64]:
    """Compute the address of each lane: a pair of VGPRs, or one and a pair of SGPRs."""
    fields = instruction.fields
    is_rdna4 = hasattr(fields, "ioffset")
    bits = 24 if is_rdna4 else 13
    offset = fields.ioffset if is_rdna4 else fields.offset
    offset = (offset ^ 1 << bits - 1) - (1 << bits - 1)
    low, high = wave.source(256 + instruction.vector("vaddr" if is_rdna4 else "addr"), 2).astype(
        np.int64
    )
    base = fields.saddr.offset
    if base < _NO_SGPR:
        return (wave.scalar(base) | wave.scalar(base + 1) << 32) + low + offset
    return (high << 32 | low) + offset


@correction("atomics that return a value", "gfx9.*|gfx12.*", "(GLOBAL|FLAT)_ATOMIC_.*", _returns)
def _atomic(instruction: Instruction, wave: Wave) -> None:
    data = "vsrc" if hasattr(instruction.fields, "vsrc") else "data"
    run_atomic(instruction, wave, global_addresses(instruction, wave), wave.active, data, "vdst")


@correction("atomics on pairs of bf16", "gfx12.*", "(GLOBAL|FLAT)_ATOMIC_PK_ADD_BF16")
def _pair_of_bf16(instruction: Instruction, wave: Wave) -> None:
    _atomic(instruction, wave)
