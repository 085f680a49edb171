"""`triton._C.libtriton.proton`: passes of Triton's instrumentation, which weft does not have.

Each name is an error that says what to use instead.
"""

from __future__ import annotations

from weft.compat.unsupported import unsupported_names

__getattr__ = unsupported_names(
    "triton._C.libtriton.proton",
    "weft explain reports costs inside a kernel",
)
