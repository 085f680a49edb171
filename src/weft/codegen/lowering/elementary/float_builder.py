"""Instructions for formulas of 32-bit floats.

f = FloatBuilder(writer)
f.polynomial((c0, c1, c2), x)        # c0 + x (c1 + x c2), by fused multiply-add
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from weft.codegen.llvm.types import float_literal
from weft.codegen.llvm.writer import Writer
from weft.ir import types

__all__ = ["FloatBuilder", "literal"]


def literal(number: float) -> str:
    """Format a number as a constant of type float."""
    return float_literal(number, types.f32)


class FloatBuilder(Struct, frozen=True):
    """Writes instructions on floats; each method returns the name of the result."""

    writer: Writer

    def multiply(self, a: str, b: str) -> str:
        """Write a * b."""
        return self.writer.value(f"fmul float {a}, {b}")

    def add(self, a: str, b: str) -> str:
        """Write a + b."""
        return self.writer.value(f"fadd float {a}, {b}")

    def subtract(self, a: str, b: str) -> str:
        """Write a - b."""
        return self.writer.value(f"fsub float {a}, {b}")

    def fused(self, a: str, b: str, c: str) -> str:
        """Write a * b + c, rounded once."""
        operands = (("float", a), ("float", b), ("float", c))
        return self.writer.call("float", "llvm.fma.f32", *operands)

    def size(self, x: str) -> str:
        """Write |x|."""
        return self.writer.call("float", "llvm.fabs.f32", ("float", x))

    def with_sign(self, x: str, sign: str) -> str:
        """Write copysign(x, sign)."""
        return self.writer.call("float", "llvm.copysign.f32", ("float", x), ("float", sign))

    def least(self, a: str, b: str) -> str:
        """Write minnum(a, b), which ignores a NaN."""
        return self.writer.call("float", "llvm.minnum.f32", ("float", a), ("float", b))

    def choose(self, condition: str, a: str, b: str) -> str:
        """Write a select."""
        return self.writer.value(f"select i1 {condition}, float {a}, float {b}")

    def compare(self, predicate: str, a: str, b: str) -> str:
        """Write fcmp with a predicate."""
        return self.writer.value(f"fcmp {predicate} float {a}, {b}")

    def polynomial(self, coefficients: Sequence[float], x: str) -> str:
        """Write a polynomial by Horner's rule; the constant coefficient comes first."""
        *others, last = coefficients
        total = literal(last)
        for one in reversed(others):
            total = self.fused(total, x, literal(one))
        return total
