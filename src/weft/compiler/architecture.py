"""Compile for another chip of the same vendor: the option `arch` and `knobs.runtime.override_arch`.

kernel.warmup(x, grid=(1,), arch="sm80")        # PTX for sm_80 on any NVIDIA GPU
"""

from __future__ import annotations

import re

from weft import knobs
from weft.compiler.options import CPU
from weft.errors import OptionError
from weft.targets import Target
from weft.targets import target as find_target

__all__ = ["override_architecture"]

# Back end → the form of its architectures.
_FORMS = {"cuda": r"sm_?(\d+)a?", "hip": r"(gfx\w+)"}


def override_architecture(chip: Target, arch: object = None) -> Target:
    """Replace the chip to compile for, if an option or the knob names another one.

    Args:
        chip: The chip of the device, or of the compile.
        arch: The option: "sm80", "gfx942"; None for the knob.

    Raises:
        OptionError: It is no architecture of the back end. The CPU device accepts any.
        UnknownTargetError: weft does not support the chip.
    """
    name = arch or knobs.runtime.override_arch
    if name is None or chip.backend == CPU:
        return chip
    form = _FORMS[chip.backend]
    match = re.fullmatch(form, str(name))
    if match is None:
        raise OptionError(
            f"TRITON_OVERRIDE_ARCH must have the form ^{form}$",
            found=f"arch={name!r}",
            accepted=["sm80, sm90, …" if chip.backend == "cuda" else "gfx942, gfx1201, …"],
        )
    return find_target(f"{chip.backend}:{match[1]}")
