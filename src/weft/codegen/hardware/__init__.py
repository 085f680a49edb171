"""What differs between the chips below LLVM IR: one class per vendor, behind one protocol.

Everything else in codegen asks a `Hardware` and never which chip it is.
"""

from __future__ import annotations

from weft.codegen.hardware.amd import Amd
from weft.codegen.hardware.nvidia import Nvidia
from weft.codegen.hardware.protocol import Hardware, Launch
from weft.errors import UnknownTargetError
from weft.targets import Target

__all__ = ["Hardware", "Launch", "hardware_of"]

_VENDORS: dict[str, type[Amd] | type[Nvidia]] = {"cuda": Nvidia, "hip": Amd}


def hardware_of(target: Target) -> Hardware:
    """Return what codegen asks of a chip.

    Raises: UnknownTargetError: a chip of a back end without code generation.
    """
    vendor = _VENDORS.get(target.backend)
    if vendor is None:
        raise UnknownTargetError(
            f"no machine code for back end {target.backend}", found=str(target), accepted=_VENDORS
        )
    return vendor(target)
