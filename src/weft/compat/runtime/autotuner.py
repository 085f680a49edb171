"""`triton.runtime.autotuner`."""

from __future__ import annotations

from weft.autotuner.autotuner import Autotuner, autotune
from weft.autotuner.config import Config
from weft.autotuner.heuristics import Heuristics, heuristics
from weft.compat.errors import AutotunerError, OutOfResources, PTXASError
from weft.kernel.jit import JITFunction, KernelInterface

__all__ = [
    "Autotuner",
    "AutotunerError",
    "Config",
    "Heuristics",
    "JITFunction",
    "KernelInterface",
    "OutOfResources",
    "PTXASError",
    "autotune",
    "heuristics",
]
