"""What "fp8" and "bf8" mean on an AMD chip: the OCP formats, or the FNUZ formats of gfx942."""

from __future__ import annotations

from functools import cache

import ml_dtypes
import numpy as np

from weft.errors import CodegenError
from weft.targets.matrix_units import matrix_units

__all__ = ["fp8_dtype"]

# Name in the intrinsics → element types as `matrix_units` names them, and their numpy types.
_CANDIDATES: dict[str, tuple[tuple[str, np.dtype], ...]] = {
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
def fp8_dtype(name: str, chip: str) -> np.dtype:
    """Find the numpy type of a chip's "fp8" or "bf8".

    Args:
        name: "fp8" or "bf8".
        chip: "gfx942".

    Raises:
        CodegenError: The chip supports neither format.
        UnknownTargetError: There is no such AMD chip.
    """
    units = matrix_units(chip)
    for element, dtype in _CANDIDATES[name]:
        if units.takes(element):
            return dtype
    raise CodegenError(
        f"{chip} does not support {name}", accepted=[each for each, _ in _CANDIDATES[name]]
    )
