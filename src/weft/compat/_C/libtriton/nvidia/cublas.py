"""`triton._C.libtriton.nvidia.cublas`: cuBLASLt, through torch."""

from __future__ import annotations

from weft.compat._C.libtriton.matrix_multiplication import MatrixMultiplication
from weft.errors import UnsupportedError

__all__ = ["CublasLt"]


class CublasLt(MatrixMultiplication):
    """Matrix multiplication by NVIDIA's library."""

    def block_scaled_matmul_mxfp8(self, *arguments: object) -> None:
        """Refuse.

        Raises:
            UnsupportedError: Always.
        """
        raise _unsupported("block_scaled_matmul_mxfp8")

    def block_scaled_matmul_nvfp4(self, *arguments: object) -> None:
        """Refuse.

        Raises:
            UnsupportedError: Always.
        """
        raise _unsupported("block_scaled_matmul_nvfp4")


def _unsupported(name: str) -> UnsupportedError:
    return UnsupportedError(
        f"weft has no CublasLt.{name}", found=name, hint="torch._scaled_mm calls cuBLAS"
    )
