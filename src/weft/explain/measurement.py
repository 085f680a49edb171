"""The costs of one kernel as numbers that a baseline records and compares.

    measure(module, registers=(96, 0))
    →  totals    conversions 2, bytes converted 16384, global sectors 512, registers 96, …
       accesses  tt.load a: 128 bits, tt.store c: 64 bits

The totals are those of `counted_cost`, of one program, loops multiplied. More is worse for every
total, and fewer bits are worse for an access.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from xdsl.dialects.builtin import ModuleOp

from weft.explain.counted_cost import counted_cost
from weft.explain.global_memory import find_accesses
from weft.explain.labels import Labels
from weft.explain.matching import variable_of
from weft.explain.model import Access

__all__ = ["TOTALS", "Measurement", "access_names", "find_about", "measure"]

_SHARED_MEMORY, _COST = "bytes of shared memory", "counted cost"
_REGISTERS = ("registers", "bytes spilled")  # of a thread
# Name, and what the findings about it are about; "" for all findings. The number of matrix
# instructions is left out: a wider one does more.
_COUNTS = {
    "conversions": "conversion",
    "bytes converted": "conversion",
    "bytes converted in loops": "conversion",
    "global sectors": "memory",
    "global instructions": "memory",
    "shared wavefronts": "",
    "bank conflicts": "",
    "shuffles": "",
    "barriers": "",
    "multiply-adds by FMA": "dot",
}
TOTALS = (*_COUNTS, _SHARED_MEMORY, _COST, *_REGISTERS)


class Measurement(Struct, frozen=True):
    """The costs of one kernel on one target.

    Attributes:
        totals: Each total by its name.
        accesses: The bits that one instruction of a thread accesses, for each access to global
            memory by operation and variable.
    """

    totals: dict[str, int]
    accesses: dict[str, int]


def find_about(total: str) -> str:
    """Get what findings about a total are about: "conversion", …, or "" for all findings."""
    return _COUNTS.get(total, "")


def measure(module: ModuleOp, registers: tuple[int, int] | None = None) -> Measurement:
    """Count the costs of a kernel.

    Args:
        module: Its final TTGIR.
        registers: The registers of a thread and the bytes that it spills; None if the kernel is not
            assembled.

    Raises:
        UnknownTargetError: The module is for a target that weft does not know.
    """
    cost = counted_cost(module)
    totals = {name: cost.quantities[name] for name in _COUNTS}
    if cost.shared_bytes is not None:
        totals[_SHARED_MEMORY] = cost.shared_bytes
    totals[_COST] = round(cost.total)
    if registers is not None:
        totals |= dict(zip(_REGISTERS, registers, strict=True))
    accesses = tuple(find_accesses(module, Labels(module)))
    bits = [access.vector_bits for access in accesses]
    return Measurement(totals, dict(zip(access_names(accesses), bits, strict=True)))


def access_names(accesses: Sequence[Access]) -> list[str]:
    """Name each access to global memory: "tt.load a", and "tt.load a #2" for the next of the name.

    Lines are no part of a name, as every edit moves them.
    """
    numbers: Counter[str] = Counter()
    names: list[str] = []
    for access in accesses:
        name = f"{access.op} {variable_of(access.value)}".rstrip()
        numbers[name] += 1
        names.append(f"{name} #{numbers[name]}" if numbers[name] > 1 else name)
    return names
