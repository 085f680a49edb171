"""`triton._C.libtriton.amd`: matrix multiplication of the vendor's library.

Other names are an error that says what to use instead.
"""

from __future__ import annotations

from weft.compat._C.libtriton.amd import hipblas
from weft.compat.unsupported import unsupported_names

__all__ = ["hipblas"]

__getattr__ = unsupported_names(
    "triton._C.libtriton.amd",
    "weft.compile(kernel, target='hip:gfx942').asm has LLVM IR, AMDGCN and hsaco",
)
