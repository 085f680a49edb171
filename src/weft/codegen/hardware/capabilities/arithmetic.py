"""Arithmetic whose instructions differ between chips."""

from __future__ import annotations

from typing import Protocol, Self

from weft.codegen.llvm.writer import Writer

__all__ = ["Arithmetic"]


class Arithmetic(Protocol):
    """Floating-point arithmetic; each method writes instructions and returns the result."""

    def keeping_denormals(self) -> Self:
        """Get arithmetic whose approximate instructions keep subnormal numbers, if it can."""
        ...

    def approximate(self, writer: Writer, name: str, value: str) -> str:
        """Compute exp2, sqrt, rsqrt or the reciprocal of a float by one instruction.

        Subnormal numbers count as zero, except after `keeping_denormals`; otherwise the error is
        the chip's, 1 to 2 ulp.
        """
        ...

    def exp2(self, writer: Writer, value: str) -> str:
        """Compute 2 to the power of a float, subnormal results included."""
        ...

    def logarithm(self, writer: Writer, value: str, *, base_two: bool) -> str:
        """Compute the natural or binary logarithm of a float within 2 ulp."""
        ...

    def clamp(
        self, writer: Writer, type_: str, x: str, least: str, most: str, *, propagate_nan: bool
    ) -> str:
        """Clamp a float; a NaN becomes the lower bound unless it propagates."""
        ...

    def divide(self, writer: Writer, type_: str, a: str, b: str) -> str:
        """Divide; floats within 2 ulp."""
        ...

    def library_symbol(self, name: str, type_: str) -> str:
        """Get the vendor library's symbol for a C function of "float" or "double"."""
        ...
