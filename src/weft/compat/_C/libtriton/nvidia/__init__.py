"""`triton._C.libtriton.nvidia`: matrix multiplication of the vendor's library.

Other names are an error that says what to use instead.
"""

from __future__ import annotations

from weft.compat._C.libtriton.nvidia import cublas
from weft.compat.unsupported import unsupported_names

__all__ = ["cublas"]

__getattr__ = unsupported_names(
    "triton._C.libtriton.nvidia",
    "weft.compile(kernel, target='cuda:90').asm has LLVM IR, PTX and cubin",
)
