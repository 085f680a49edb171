"""Functions by way of powers of two: e^x, and the hyperbolic tangent, within two units.

e^x      x log2 e is rounded to a float; what that loses, times log 2, corrects the power
tanh x   |x| < 0.6: x + x³ P(x²); else 1 - 2 / (e^2|x| + 1), with the sign of x
"""

from __future__ import annotations

from math import e, log, log2

from weft.codegen.hardware import Hardware
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.elementary.float_builder import FloatBuilder, literal

__all__ = ["exponential", "hyperbolic_tangent"]

_LOG2_E = 1.44269502162933349609375  # log2 e as a float
_LOG2_E_REST = log2(e) - _LOG2_E
_OVERFLOWS = 100.0
_NEAR = (
    -0.3333333134651184,
    0.13332915306091309,
    -0.053873948752880096,
    0.021110959351062775,
    -0.006269119679927826,
)
_NEAR_UNTIL = 0.6


def exponential(hardware: Hardware, writer: Writer, x: str) -> str:
    """Return e to the power of a float."""
    f = FloatBuilder(writer)
    scaled = f.multiply(x, literal(_LOG2_E))
    lost = f.fused(x, literal(_LOG2_E), writer.value(f"fneg float {scaled}"))
    lost = f.fused(x, literal(_LOG2_E_REST), lost)
    power = hardware.arithmetic.exp2(writer, scaled)
    corrected = f.fused(power, f.multiply(lost, literal(log(2.0))), power)
    ordinary = f.compare("olt", f.size(x), literal(_OVERFLOWS))
    return f.choose(ordinary, corrected, power)


def hyperbolic_tangent(hardware: Hardware, writer: Writer, x: str) -> str:
    """Return the hyperbolic tangent of a float."""
    f = FloatBuilder(writer)
    square = f.multiply(x, x)
    # Adding zero makes the term +0 if x is ±0, so that the result keeps the sign of x.
    near = f.fused(f.fused(f.polynomial(_NEAR, square), square, literal(0.0)), x, x)
    size = f.size(x)
    power = hardware.arithmetic.approximate(writer, "exp2", f.multiply(size, literal(2 * log2(e))))
    inverse = hardware.arithmetic.approximate(writer, "reciprocal", f.add(power, literal(1.0)))
    far = f.with_sign(f.fused(inverse, literal(-2.0), literal(1.0)), x)
    is_far = f.compare("oge", size, literal(_NEAR_UNTIL))
    return f.choose(is_far, far, near)
