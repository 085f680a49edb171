"""What the name of a memory instruction says: what it loads or stores, and where in a register."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["MemoryForm", "memory_form"]

_NAME = re.compile(
    r"\w+?_(?P<access>LOAD|READ|STORE|WRITE)_"
    r"(?P<rdna>D16_(?:HI_)?)?(?P<kind>[USI]?BYTE|[US]?SHORT|DWORD(?:X\d)?|[UIB]\d+)"
    r"(?P<cdna>_D16(?:_HI)?)?"
)
_BITS = {"BYTE": 8, "SHORT": 16, "DWORD": 32}


@dataclass(frozen=True, slots=True)
class MemoryForm:
    """What a memory instruction transfers for each lane.

    Attributes:
        is_store: Whether it stores.
        size: Bytes of memory.
        is_signed: Whether a load extends the sign.
        half: The half of the register that it reads or writes, 0 or 1; None for the whole.
    """

    is_store: bool
    size: int
    is_signed: bool
    half: int | None


def memory_form(name: str) -> MemoryForm:
    """Read a name: BUFFER_LOAD_SBYTE_D16_HI of CDNA, BUFFER_LOAD_D16_HI_I8 of RDNA."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise NotImplementedError(name)
    kind, is_store = match["kind"], match["access"] in ("STORE", "WRITE")
    half = match["rdna"] or match["cdna"]
    stem, _, count = kind.partition("X")
    unsigned = stem.lstrip("USI") if stem[-4:] == "BYTE" else stem.removeprefix("U")
    word = next((each for each in _BITS if unsigned.endswith(each)), None)
    bits = _BITS[word] * int(count or 1) if word else int(kind[1:])
    is_signed = kind[0] == "I" or kind.startswith(("SB", "SS"))
    return MemoryForm(is_store, bits // 8, is_signed, int("HI" in half) if half else None)
