"""`triton.profiler.hooks.launch`: what weft does not have.

Each name is an error that says what to use instead.
"""

from __future__ import annotations

from weft.compat.unsupported import unsupported_names

__getattr__ = unsupported_names(
    "triton.profiler.hooks.launch",
    "knobs.runtime.launch_enter_hook and launch_exit_hook",
)
