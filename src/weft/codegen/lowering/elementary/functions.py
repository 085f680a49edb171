"""The functions of a 32-bit float that have expansions, by their names in C."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from weft.codegen.hardware import Hardware
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.elementary.error_function import error_function
from weft.codegen.lowering.elementary.exponentials import exponential, hyperbolic_tangent
from weft.codegen.lowering.elementary.trigonometry import cosine, sine

__all__ = ["FLOAT32_FUNCTIONS", "Function"]

Function = Callable[[Hardware, Writer, str], str]


def _approximate(name: str) -> Function:
    return lambda hardware, writer, x: hardware.arithmetic.approximate(writer, name, x)


FLOAT32_FUNCTIONS: Mapping[str, Function] = {
    "sin": lambda hardware, writer, x: sine(writer, x),
    "cos": lambda hardware, writer, x: cosine(writer, x),
    "erf": error_function,
    "tanh": hyperbolic_tangent,
    "exp": exponential,
    "exp2": lambda hardware, writer, x: hardware.arithmetic.exp2(writer, x),
    "log": lambda hardware, writer, x: hardware.arithmetic.logarithm(writer, x, base_two=False),
    "log2": lambda hardware, writer, x: hardware.arithmetic.logarithm(writer, x, base_two=True),
    "rsqrt": _approximate("rsqrt"),
}
"""Each takes the chip, where to write, and the number; it returns the result."""
