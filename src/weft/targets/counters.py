"""By what a chip of AMD counts memory operations that are under way: rows, strictly read.

    wait_of("gfx942", "load", 3)     # ("s.waitcnt", 3955): until at most 3 loads are under way

s_waitcnt has a field for each counter in one number, of which the others are left at their most:

    gfx942     loads 3 (bits 0 to 3, and 14, 15: 0b000011)   exports 7   shared 15     → 0x0f73
    gfx1250    an instruction for each counter

The rows stand in counters/<chip>.toml.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from weft.errors import WeftError
from weft.targets.files import tables_of_chip
from weft.targets.rows import (
    Tables,
    check_among,
    check_keys,
    parse,
    read_list,
    read_row,
    read_sources,
)

__all__ = ["KINDS", "Counter", "counters", "read_counters", "wait_of"]

KINDS = ("load", "store", "shared", "copy", "tensor")


@dataclass(frozen=True, slots=True)
class Counter:
    """One counter: of which operations, the intrinsic that waits, and how it is told a number."""

    kind: str
    intrinsic: str
    bits: tuple[int, ...]
    rest: int
    source: str

    @property
    def most(self) -> int:
        """The largest number that can be told."""
        return (1 << len(self.bits)) - 1

    def argument(self, pending: int) -> int:
        """Return what to tell the instruction for at most so many operations under way."""
        number = min(pending, self.most)
        told = sum((number >> n & 1) << bit for n, bit in enumerate(self.bits))
        return self.rest | told


@cache
def counters(arch: str) -> tuple[Counter, ...]:
    """Return the counters of a chip.

    Raises: UnknownTargetError: no such chip of AMD, or none with a file here.
    """
    return read_counters(tables_of_chip("counters", arch, arch, "counters of memory"), arch)


def read_counters(text: str | Tables, arch: str) -> tuple[Counter, ...]:
    """Return what a file says.

    Raises: WeftError with the row and what is wrong in it.
    """
    file = f"{arch}.toml"
    data = check_keys(file, "table", parse(text, file), ("sources", "rows"))
    sources = read_sources(file, data["sources"])
    rows = check_keys(file, "list of rows", data["rows"], ("counters",))
    found = tuple(
        read_row(file, ("counter", "kind"), Counter, row, sources)
        for row in read_list(f"{file}: counters", rows["counters"])
    )
    for row in found:
        check_among(f"{file}: unknown kind of operation", row.kind, KINDS)
        if sum(1 << bit for bit in row.bits) & row.rest:
            raise WeftError(f"{file}: counter {row.kind}: bits and rest meet", found=row.rest)
    return found


def wait_of(arch: str, kind: str, pending: int) -> tuple[str, int]:
    """Return the intrinsic, behind llvm.amdgcn, and the argument of a wait.

    Args: kind: of operations, one of KINDS.  pending: how many may be under way.
    Raises: WeftError: the chip does not count those.
    """
    for row in counters(arch):
        if row.kind == kind:
            return row.intrinsic, row.argument(pending)
    raise WeftError(
        f"{arch} does not count operations of kind {kind}",
        found=kind,
        accepted=[row.kind for row in counters(arch)],
    )
