"""Functions of AMD targets."""

from __future__ import annotations

from weft.language.extra.hip import libdevice
from weft.language.extra.hip import special_registers as utils
from weft.language.extra.hip.special_registers import memrealtime

__all__ = ["libdevice", "memrealtime", "utils"]
