"""Read wait_counters.toml: the counters of outstanding memory operations on AMD chips.

    wait_instruction("gfx942", "load", 3)     # ("s.waitcnt", 3955): at most 3 loads outstanding

The argument of s_waitcnt has a field per counter, vmcnt, expcnt and lgkmcnt; a wait on one sets the
others to their maximum, which waits for nothing:

    gfx942     vmcnt 3 (bits 0 to 3, 14 and 15: 0b000011)   expcnt 7   lgkmcnt 15     → 0x0f73
    gfx1250    one wait instruction per counter
"""

from __future__ import annotations

from functools import cache

from msgspec import Struct

from weft.errors import WeftError
from weft.targets.loading import load_kind
from weft.targets.schema import (
    Tables,
    check_choice,
    check_keys,
    parse_toml,
    read_rows,
    read_sources,
)

__all__ = ["KINDS", "WaitCounter", "read_wait_counters", "wait_counters", "wait_instruction"]

KINDS = ("load", "store", "shared", "copy", "tensor")
"""Operations that are counted: global loads and stores, LDS accesses, async copies, TDM copies."""


class WaitCounter(Struct, frozen=True):
    """A counter of outstanding operations.

    Attributes:
        kind: Operations that it counts, one of KINDS.
        intrinsic: The LLVM intrinsic that waits, without "llvm.amdgcn.".
        bits: Bits of the intrinsic's argument that hold the count, lowest first.
        rest: Value of the argument's other bits.
        source: Source of the row.
    """

    kind: str
    intrinsic: str
    bits: tuple[int, ...]
    rest: int
    source: str

    @property
    def max_count(self) -> int:
        """Largest number of outstanding operations that the argument can express."""
        return (1 << len(self.bits)) - 1

    def argument(self, outstanding: int) -> int:
        """Compute the argument of a wait until at most so many operations are outstanding."""
        count = min(outstanding, self.max_count)
        field = sum((count >> n & 1) << bit for n, bit in enumerate(self.bits))
        return self.rest | field


@cache
def wait_counters(arch: str) -> tuple[WaitCounter, ...]:
    """List the counters of a chip such as "gfx942".

    Raises:
        UnknownTargetError: There is no such AMD chip, or it has no wait_counters.toml.
    """
    return read_wait_counters(load_kind("wait_counters", arch, "wait counters"), arch)


def read_wait_counters(text: str | Tables, folder: str) -> tuple[WaitCounter, ...]:
    """Read the rows of a file.

    Args:
        text: TOML, or its tables.
        folder: The chip's folder, for messages.

    Raises:
        WeftError: A row is malformed; the message names it.
    """
    file = f"{folder}/wait_counters.toml"
    tables = check_keys(file, "table", parse_toml(text, file), ("sources", "rows"))
    sources = read_sources(file, tables["sources"])
    lists = check_keys(file, "list", tables["rows"], ("counters",))
    rows = read_rows(file, "counters", ("counter", "kind"), WaitCounter, lists["counters"], sources)
    for row in rows:
        check_choice(f"{file}: unknown kind of operation", row.kind, KINDS)
        if sum(1 << bit for bit in row.bits) & row.rest:
            raise WeftError(f"{file}: counter {row.kind}: bits and rest overlap", found=row.rest)
    return rows


def wait_instruction(arch: str, kind: str, outstanding: int) -> tuple[str, int]:
    """Compute the instruction that waits until few enough operations are outstanding.

    Args:
        arch: The chip, "gfx942".
        kind: Operations to wait for, one of KINDS.
        outstanding: How many of them may remain.

    Returns:
        The intrinsic, without "llvm.amdgcn.", and its argument.

    Raises:
        WeftError: The chip has no counter for such operations.
    """
    for row in wait_counters(arch):
        if row.kind == kind:
            return row.intrinsic, row.argument(outstanding)
    raise WeftError(
        f"{arch} has no counter for operations of kind {kind}",
        found=kind,
        accepted=[row.kind for row in wait_counters(arch)],
    )
