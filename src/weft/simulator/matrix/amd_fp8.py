"""What AMD's instructions mean by fp8 and bf8: OCP's floats, or on some chips those without -0."""

from __future__ import annotations

from functools import cache

import ml_dtypes
import numpy as np

from weft.errors import CodegenError
from weft.targets.matrix_units import matrix_units

__all__ = ["eight_bits"]

# The name of an 8-bit float in the rows of matrix instructions, and its numpy type.
_KINDS: dict[str, tuple[tuple[str, np.dtype], ...]] = {
    "fp8": (
        ("f8E4M3FNUZ", np.dtype(ml_dtypes.float8_e4m3fnuz)),
        ("f8E4M3FN", np.dtype(ml_dtypes.float8_e4m3fn)),
    ),
    "bf8": (
        ("f8E5M2FNUZ", np.dtype(ml_dtypes.float8_e5m2fnuz)),
        ("f8E5M2", np.dtype(ml_dtypes.float8_e5m2)),
    ),
}


@cache
def eight_bits(name: str, chip: str) -> np.dtype:
    """Return the numpy type of what a chip calls "fp8" or "bf8".

    Args: chip: "gfx942".
    Raises: CodegenError: it has neither form; UnknownTargetError: no chip of AMD.
    """
    units = matrix_units(chip)
    for kind, dtype in _KINDS[name]:
        if units.takes(kind):
            return dtype
    raise CodegenError(f"{chip} has no {name}", accepted=[kind for kind, _ in _KINDS[name]])
