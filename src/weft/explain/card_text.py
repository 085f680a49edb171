"""Print the card of a kernel: registers, occupancy, traffic and roofline.

128 registers, 0 bytes spilled; 98304 bytes of shared memory
2 blocks, 16 of 64 warps per SM, limited by registers, shared memory (others: warps 8, blocks 32)
time of a block alone: 4210 cycles if its loads hit in L2, 6004 if none does; …
H200 SXM: memory limits the dots to 26 % of their rate (53.9 of 206 operations per byte)
"""

from __future__ import annotations

from collections.abc import Iterator

from weft.explain.block_time import BlockTime
from weft.explain.card_model import Card, Occupancy, Roofline

__all__ = ["card_lines"]

_UNITS = {
    "issue": "the issue of instructions",
    "alu": "integer units",
    "imad": "integer multipliers",
    "uniform": "uniform registers",
    "xu": "special functions",
    "lsu": "loads and stores",
    "tensor": "tensor cores",
}
"""The units of `instruction_timing.toml` in words."""


def card_lines(card: Card) -> Iterator[str]:
    """Yield the lines of a card."""
    yield f"{_registers(card)}; {_number(card.shared_bytes)} bytes of shared memory"
    if card.occupancy is not None:
        yield _occupancy(card.occupancy)
    yield (
        f"a program loads {_bytes(card.loaded_bytes)} and stores {_bytes(card.stored_bytes)}, "
        f"{_bytes(card.requested_bytes)} in sectors of all requests; "
        f"{card.wavefronts} wavefronts of shared memory, {card.conflicts} of them bank conflicts"
    )
    if card.block_time is not None:
        yield _block_time(card.block_time, card.conflicts)
    elif card.block_time_unknown:
        yield f"time of a block: not predicted: {card.block_time_unknown}"
    if card.operations:
        terms = ", ".join(f"{_count(number)} of {kind}" for kind, number in card.operations)
        yield f"operations: {terms}; {card.intensity:.3g} per byte"
    for roofline in card.rooflines:
        yield _roofline(roofline, card)


def _registers(card: Card) -> str:
    if card.registers is None:
        return "registers unknown: the kernel was not assembled"
    return f"{card.registers} registers, {card.spill_bytes} bytes spilled"


def _occupancy(occupancy: Occupancy) -> str:
    others = ", ".join(
        f"{name} {number}" for name, number in occupancy.limits if number != occupancy.blocks
    )
    of = "CU" if occupancy.unit == "SIMD" else occupancy.unit
    text = (
        f"{occupancy.blocks} block{'' if occupancy.blocks == 1 else 's'} per {of}, "
        f"{occupancy.warps} of {occupancy.max_warps} warps per {occupancy.unit}, "
        f"limited by {', '.join(occupancy.limited_by)}"
    )
    return text + (f" (others: {others})" if others else "")


def _block_time(time: BlockTime, conflicts: int) -> str:
    unit, cycles = max(time.units.items(), key=lambda pair: pair[1])
    left_out = ", without bank conflicts" if conflicts else ""
    return (
        f"time of a block alone: {round(time.from_l2)} cycles if its loads hit in L2, "
        f"{round(time.from_memory)} if none does; the busiest unit, {_UNITS[unit]}, "
        f"needs {round(cycles)} (predicted from SASS{left_out})"
    )


def _roofline(roofline: Roofline, card: Card) -> str:
    name = roofline.board + (" (rates assumed)" if roofline.assumed else "")
    if not roofline.balance:
        return f"{name}: memory limits the program"
    if roofline.limit != "memory":
        return (
            f"{name}: {roofline.limit} operations limit the program "
            f"({card.intensity:.3g} per byte, balanced at {roofline.balance:.3g})"
        )
    return (
        f"{name}: memory limits operations to {100 * roofline.share:.3g} % of their rate "
        f"({card.intensity:.3g} per byte, balanced at {roofline.balance:.3g})"
    )


def _bytes(number: int) -> str:
    return f"{number / 1024:.4g} KiB" if number >= 1024 else f"{number} bytes"


def _count(number: float) -> str:
    return f"{number:,.0f}" if number < 1e6 else f"{number:.3g}"


def _number(value: int | None) -> str:
    return "unknown" if value is None else str(value)
