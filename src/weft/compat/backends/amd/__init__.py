"""`triton.backends.amd`."""

from __future__ import annotations

from weft.compat.unsupported import unsupported_names

__getattr__ = unsupported_names(
    "triton.backends.amd",
    "weft.compile(kernel, target='hip:gfx942', …)",
)
