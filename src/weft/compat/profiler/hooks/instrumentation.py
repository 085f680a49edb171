"""`triton.profiler.hooks.instrumentation`: what weft does not have.

Each name is an error that says what to use instead.
"""

from __future__ import annotations

from weft.compat.unsupported import unsupported_names

__getattr__ = unsupported_names(
    "triton.profiler.hooks.instrumentation",
    "weft explain reports costs inside a kernel",
)
