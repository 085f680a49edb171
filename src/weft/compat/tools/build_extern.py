"""`triton.tools.build_extern`, which weft does not have."""

from __future__ import annotations

from weft.compat.unsupported import unsupported_names

__getattr__ = unsupported_names(
    "triton.tools.build_extern",
    "WEFT_DEVICE_LIBRARIES names a folder with libraries of LLVM IR",
)
