"""The error function of a float, within two units in the last place.

    |x| < 1     x + x P(x²)
    else        1 - 2^-Q(|x|), with the sign of x: Q is the logarithm of 1 - erf, and nearly a line

Beyond 4 the result is 1, so Q is not asked there.
"""

from __future__ import annotations

from weft.codegen.hardware import Hardware
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.elementary.float_builder import FloatBuilder, literal

__all__ = ["error_function"]

_NEAR = (
    0.12837916612625122,
    -0.3761262595653534,
    0.11283594369888306,
    -0.02685421146452427,
    0.005189087241888046,
    -0.000801686430349946,
    7.875874871388078e-05,
)
_FAR = (
    0.0011049569584429264,
    1.6243212223052979,
    0.9220859408378601,
    0.14900316298007965,
    -0.03261179104447365,
    0.004951836541295052,
    -0.00045724347000941634,
    1.9147970306221396e-05,
)
_ONE_FROM_HERE = 4.0


def error_function(hardware: Hardware, writer: Writer, x: str) -> str:
    """Return the error function of a float."""
    f = FloatBuilder(writer)
    near = f.fused(f.polynomial(_NEAR, f.multiply(x, x)), x, x)
    size = f.size(x)
    bounded = f.least(size, literal(_ONE_FROM_HERE))
    rest = f.polynomial(_FAR, bounded)
    power = hardware.arithmetic.approximate(writer, "exp2", writer.value(f"fneg float {rest}"))
    far = f.with_sign(f.subtract(literal(1.0), power), x)
    is_far = f.compare("oge", size, literal(1.0))  # false for NaN, which `near` propagates
    return f.choose(is_far, far, near)
