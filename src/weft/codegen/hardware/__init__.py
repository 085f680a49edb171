"""What differs between the chips below LLVM IR: one class per vendor, behind one protocol.

Everything else in codegen asks a `Hardware` and never which chip it is.
"""

from __future__ import annotations

import importlib

from weft.codegen.hardware.protocol import Hardware, Launch
from weft.errors import UnknownTargetError
from weft.targets import Target

__all__ = ["Hardware", "Launch", "hardware_of"]

_VENDORS = {
    "cuda": "weft.codegen.hardware.nvidia:Nvidia",
    "hip": "weft.codegen.hardware.amd:Amd",
}
"""The class of each vendor, by back end; it is loaded for the first chip of that vendor."""


def hardware_of(target: Target) -> Hardware:
    """Return what codegen asks of a chip.

    Raises: UnknownTargetError: a chip of a back end without code generation.
    """
    vendor = _VENDORS.get(target.backend)
    if vendor is None:
        raise UnknownTargetError(
            f"no machine code for back end {target.backend}", found=str(target), accepted=_VENDORS
        )
    module, _, name = vendor.partition(":")
    return getattr(importlib.import_module(module), name)(target)
