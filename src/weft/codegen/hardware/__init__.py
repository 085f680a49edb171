"""What differs between the chips below LLVM IR, by capability.

capabilities/   protocols: module format, program, lanes, memory, asynchronous copies,
                synchronization, conversion, arithmetic, messages
common/         implementations in plain LLVM IR that both vendors use
amd/, nvidia/   the capabilities of each vendor's chips
"""

from __future__ import annotations

from importlib import import_module

from weft.codegen.hardware.chip import Hardware
from weft.errors import UnknownTargetError
from weft.targets import Target

__all__ = ["Hardware", "hardware_of"]

_VENDORS = {"cuda": "weft.codegen.hardware.nvidia", "hip": "weft.codegen.hardware.amd"}


def hardware_of(target: Target) -> Hardware:
    """Get the capabilities of a chip; the vendor's package is imported for its first chip.

    Raises:
        UnknownTargetError: The chip's back end has no code generation.
    """
    vendor = _VENDORS.get(target.backend)
    if vendor is None:
        raise UnknownTargetError(
            f"no machine code for back end {target.backend}", found=str(target), accepted=_VENDORS
        )
    return import_module(vendor).hardware(target)
