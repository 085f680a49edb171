"""What only AMD targets have."""

from __future__ import annotations

from weft.language.extra.hip import libdevice
from weft.language.extra.hip.registers import memrealtime

__all__ = ["libdevice", "memrealtime"]
