"""`triton.profiler.hooks`: what weft does not have.

Each name is an error that says what to use instead.
"""

from __future__ import annotations

from weft.compat.profiler.hooks import hook, instrumentation, launch
from weft.compat.unsupported import unsupported_names

__all__ = ["hook", "instrumentation", "launch"]

__getattr__ = unsupported_names(
    "triton.profiler.hooks",
    "knobs.runtime.launch_enter_hook and launch_exit_hook",
)
