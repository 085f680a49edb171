"""`triton._C.libtriton.amd.hipblas`: hipBLASLt, through torch."""

from __future__ import annotations

from weft.compat._C.libtriton.matrix_multiplication import MatrixMultiplication

__all__ = ["HipblasLt"]


class HipblasLt(MatrixMultiplication):
    """Matrix multiplication by AMD's library."""
