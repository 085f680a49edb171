"""The amdg dialect, whole: what reads and prints text must know all of it."""

from __future__ import annotations

from xdsl.ir import Dialect

from weft.ir.amdg.buffer import OPERATIONS as _BUFFER
from weft.ir.amdg.copies import OPERATIONS as _COPIES
from weft.ir.amdg.program import OPERATIONS as _PROGRAM
from weft.ir.amdg.registers import OPERATIONS as _REGISTERS
from weft.ir.amdg.types import SchedHintVariantAttr

__all__ = ["Amdg"]

Amdg = Dialect("amdg", [*_BUFFER, *_REGISTERS, *_COPIES, *_PROGRAM], [SchedHintVariantAttr])
