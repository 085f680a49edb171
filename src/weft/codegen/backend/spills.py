"""How much of a kernel for AMD's chips lies elsewhere because registers did not suffice.

.private_segment_fixed_size: 92      in assembly, behind the code; in an object, among its notes,
.sgpr_spill_count: 4                 a name and behind it the number as MessagePack writes it
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Spills", "Way", "spills_of"]

_SMALL = 0x7F  # MessagePack's numbers up to here are a byte of their own
_BYTES = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}


class Spills(NamedTuple):
    """What does not fit: the worse first.

    scratch: bytes of memory of each thread.  scalars: scalar registers that are kept in lanes of
    vector registers.
    """

    scratch: int
    scalars: int


class Way(NamedTuple):
    """A way to compile a module.

    text: of the module, for the usual passes; None for what those left of the last text.
    passes: of LLVM's that run over that besides.  replaced: what stands in what was left, and what
    is to stand there instead.
    """

    text: str | None = None
    passes: tuple[str, ...] = ()
    replaced: tuple[str, str] = ("", "")


def spills_of(code: bytes) -> Spills:
    """Return what a kernel spills, by AMDGCN assembly or an object; zeros if that says nothing."""
    return Spills(_found(code, b".private_segment_fixed_size"), _found(code, b".sgpr_spill_count"))


def _found(code: bytes, name: bytes) -> int:
    if name not in code:
        return 0
    if code.startswith(b"\x7fELF"):
        return sum(_number(code, found.end()) for found in re.finditer(re.escape(name), code))
    return sum(map(int, re.findall(re.escape(name) + rb":\s+(\d+)", code)))


def _number(code: bytes, start: int) -> int:
    """Return MessagePack's number at a place, 0 where something else stands."""
    first = code[start]
    if first <= _SMALL:
        return first
    size = _BYTES.get(first, 0)
    return int.from_bytes(code[start + 1 : start + 1 + size], "big")
