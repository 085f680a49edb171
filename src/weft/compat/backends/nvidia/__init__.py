"""`triton.backends.nvidia`."""

from __future__ import annotations

from weft.compat.unsupported import unsupported_names

__getattr__ = unsupported_names(
    "triton.backends.nvidia",
    "weft.compile(kernel, target='cuda:90', …)",
)
