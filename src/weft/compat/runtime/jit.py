"""`triton.runtime.jit`."""

from __future__ import annotations

from weft.compat.reinterpret import MockTensor, TensorWrapper, reinterpret
from weft.kernel.jit import JITFunction, KernelInterface, jit

__all__ = [
    "JITFunction",
    "KernelInterface",
    "MockTensor",
    "TensorWrapper",
    "jit",
    "reinterpret",
]
