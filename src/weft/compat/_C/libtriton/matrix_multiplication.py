"""Matrix multiplication by the library of a GPU's vendor, which torch calls.

Programs for Triton compare the speed of their kernels with it.
"""

from __future__ import annotations

import sys
from typing import Any

from weft.errors import LaunchError

__all__ = ["MatrixMultiplication"]

Tensor = Any
"""A torch tensor. torch is not a dependency of weft."""


class MatrixMultiplication:
    """A handle of the library.

    Args:
        workspace: A tensor of scratch memory. torch has its own, so it has no effect.
    """

    def __init__(self, workspace: Tensor) -> None:
        self.workspace = workspace

    def matmul(self, a: Tensor, b: Tensor, c: Tensor) -> None:
        """Compute c = a @ b.T.

        Args:
            a: M x K, of 16 or 32-bit floats or of fp8.
            b: N x K, of the same type.
            c: M x N, the result.
        """
        torch = _torch()
        if a.element_size() > 1:
            torch.mm(a, b.T, out=c)
            return
        one = torch.ones((), device=a.device)
        # Rounded once, from 32-bit accumulators to the type of c, and added up within the tensor
        # cores, as Triton's library does: other orders differ in the last bit of fp8.
        torch._scaled_mm(
            a, b.T, scale_a=one, scale_b=one, out_dtype=c.dtype, use_fast_accum=True, out=c
        )

    def gemm(self, a: Tensor, b: Tensor, c: Tensor, d: Tensor, alpha: float, beta: float) -> None:
        """Compute d = alpha (a @ b.T) + beta c."""
        _torch().addmm(c, a, b.T, alpha=alpha, beta=beta, out=d)


def _torch() -> Any:
    torch = sys.modules.get("torch")
    if torch is None:
        raise LaunchError("a matrix multiplication needs torch", found="torch is not imported")
    return torch
