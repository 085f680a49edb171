"""The whole number next to a float, halves away from zero, by three instructions.

    x           x + 0.49999997 with x's sign     cut off behind the point
    2.5         3.0   (a tie, to even)            3
    0.49999997  0.99999994                        0       + 0.5 would give 1.0, and 1
    -8388609.0  -8388609.0                        -8388609

What is added is the largest number below a half. To 2.5 and its like it brings a tie between the
next whole number and what lies just below that, and the whole number is even; from anything
smaller the sum stays below. LLVM's own `llvm.round` looks at the size of the number as well.
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
    """Return a float of 32 or 64 bits rounded to a whole number; it keeps its sign."""
    name = llvm_type(element)
    nearly = float_literal(_BELOW_A_HALF[element], element)
    step = writer.call(name, f"llvm.copysign.{intrinsic_suffix(name)}", (name, nearly), (name, x))
    moved = writer.value(f"fadd {name} {x}, {step}")
    return writer.call(name, f"llvm.trunc.{intrinsic_suffix(name)}", (name, moved))
