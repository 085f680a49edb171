"""`triton.runtime.autotuner`."""

from __future__ import annotations

from weft.autotuner.autotuner import Autotuner
from weft.autotuner.config import Config
from weft.autotuner.decorator import autotune
from weft.autotuner.heuristics import Heuristics, heuristics
from weft.compat.errors import AutotunerError, OutOfResources, PTXASError
from weft.compat.runtime import driver
from weft.compat.runtime.cache import get_cache_manager, triton_key
from weft.kernel.jit import JITFunction
from weft.kernel.kernel_interface import KernelInterface

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
    "driver",
    "get_cache_manager",
    "heuristics",
    "triton_key",
]
