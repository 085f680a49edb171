"""Latencies of operations as attributes, between the passes that assign and schedule them.

    %a = tt.load %p {tt.latency = 2 : i32}      users run two stages later

`tt.self_latency` is how many stages after an MMA its own next iteration waits for it.
"""

from __future__ import annotations

from collections.abc import Mapping

from weft.ir import attributes, types
from weft.ir.builtin import Operation

__all__ = [
    "LATENCY",
    "SELF_LATENCY",
    "latency_of",
    "take_latencies",
    "take_self_latency",
    "write_latencies",
]

LATENCY, SELF_LATENCY = "tt.latency", "tt.self_latency"


def latency_of(op: Operation) -> int | None:
    """Read the latency of an operation, None if it has none."""
    number = attributes.number(op.attributes.get(LATENCY))
    return number if isinstance(number, int) else None


def write_latencies(latencies: Mapping[Operation, int], name: str = LATENCY) -> None:
    """Write latencies to attributes of the operations."""
    for op, latency in latencies.items():
        op.attributes[name] = attributes.integer(latency, types.i32)


def take_latencies(root: Operation) -> dict[Operation, int]:
    """Read the latencies of everything inside an operation, and remove the attributes."""
    latencies: dict[Operation, int] = {}
    for op in root.walk():
        latency = latency_of(op)
        if latency is not None:
            latencies[op] = latency
            del op.attributes[LATENCY]
    return latencies


def take_self_latency(op: Operation) -> int:
    """Read the self latency of an MMA, 0 if it has none, and remove the attribute."""
    number = attributes.number(op.attributes.pop(SELF_LATENCY, None))
    return number if isinstance(number, int) else 0
