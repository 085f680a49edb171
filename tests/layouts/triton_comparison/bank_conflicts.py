"""Bank conflicts of random tiles in registers and shared memory.

Triton counts the extra passes of one access, for 32 banks of 4 bytes and warps of 32 lanes.
"""

from __future__ import annotations

import dataclasses
from random import Random
from typing import Any

from tests.layouts import oracle
from tests.layouts.triton_comparison.random_encodings import order_of, power, random_split
from weft.layouts import (
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    NvidiaMmaEncoding,
    NvmmaSharedEncoding,
    SwizzledSharedEncoding,
)
from weft.layouts.bank_conflicts import bank_report

__all__ = ["Tile", "case", "ours", "theirs"]


@dataclasses.dataclass(frozen=True, slots=True)
class Tile:
    """A question: a tile that is copied between registers and shared memory."""

    registers: Encoding
    shared: Encoding
    shape: tuple[int, int]
    bits: int


def case(number: int) -> Tile:
    """Return the question with this number."""
    random = Random(f"banks {number}")
    shape = (1 << random.randint(4, 7), 1 << random.randint(4, 7))
    bits = random.choice([8, 16, 16, 32, 32, 32, 64, 64])
    kind = random.choice(["blocked", "blocked", "blocked", "mma", "operand"])
    mma = NvidiaMmaEncoding(2, 0, random_split(random, random.randint(0, 3), 2), (16, 8))
    registers: Encoding = mma
    if kind == "blocked":
        registers = BlockedEncoding(
            random_split(random, random.randint(0, 4), 2),
            random_split(random, 5, 2),
            random_split(random, random.randint(0, 3), 2),
            order_of(random, 2),
        )
    elif kind == "operand":
        registers = DotOperandEncoding(random.randint(0, 1), mma, power(random, 3))
    return Tile(registers, _shared(random, shape, bits), shape, bits)


def _shared(random: Random, shape: tuple[int, int], bits: int) -> Encoding:
    if random.random() < 0.25:
        swizzle, turned = random.choice([0, 32, 64, 128]), random.random() < 0.5
        inner = shape[0] if turned else shape[1]
        if inner * bits >= 8 * swizzle and min(shape) >= 8:
            return NvmmaSharedEncoding(swizzle, bits, turned)
    return SwizzledSharedEncoding(
        power(random, 4), power(random, 3), power(random, 4), order_of(random, 2)
    )


def ours(one: Tile) -> list[int] | None:
    """Count the extra passes of an access; None below 32 bits per lane.

    Triton assumes that a lane accesses at least one 4-byte word.
    """
    report = bank_report(
        one.registers.linear(one.shape),
        one.shared,
        one.shape,
        one.bits,
        oracle.shared_memory("sm_90"),
        "read",
    )
    return [round(report.ways) - 1] if report.bits >= 32 else None


def theirs(one: Tile) -> Any:
    """Return Triton's count."""
    builder = oracle.builder()
    tensor = oracle.value_with(one.registers, one.shape)
    memory = oracle.value_with(one.shared, one.shape, shared=True)
    registers = builder.get_gluon_layout_from_tensor(tensor)._to_ir(builder)
    shared = builder.get_gluon_layout_from_memdesc(memory)._to_ir(builder)
    return [builder.get_shared_bank_conflicts(registers, shared, list(one.shape), one.bits)]
