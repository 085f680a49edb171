"""Round a float to the nearest integer, halves away from zero, by three instructions.

    x           x + 0.49999997 with x's sign     truncated
    2.5         3.0   (a tie, to even)            3
    0.49999997  0.99999994                        0       + 0.5 would give 1.0, and 1
    -8388609.0  -8388609.0                        -8388609

The addend is the largest number below a half. For a half-integer the sum is a tie between the next
integer and the float just below it, and the integer's mantissa is even. For smaller numbers the sum
stays below the integer. `llvm.round` takes more instructions.
"""

from __future__ import annotations

from collections.abc import Mapping

from weft.codegen.llvm.types import float_literal, intrinsic_suffix, llvm_type
from weft.codegen.llvm.writer import Writer
from weft.ir import types
from weft.ir.builtin import Attribute

__all__ = ["round_half_away"]

_BELOW_A_HALF: Mapping[Attribute, float] = {types.f32: 0.5 - 2.0**-25, types.f64: 0.5 - 2.0**-54}


def round_half_away(writer: Writer, x: str, element: Attribute) -> str:
    """Round an f32 or f64 to an integer; the sign is kept."""
    name = llvm_type(element)
    nearly = float_literal(_BELOW_A_HALF[element], element)
    step = writer.call(name, f"llvm.copysign.{intrinsic_suffix(name)}", (name, nearly), (name, x))
    total = writer.value(f"fadd {name} {x}, {step}")
    return writer.call(name, f"llvm.trunc.{intrinsic_suffix(name)}", (name, total))
