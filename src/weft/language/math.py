"""Elementwise mathematical functions (`tl.math`, and `tl` itself).

Where a docstring says "float", x is fp32 or fp64; cast narrower floats first.
"""

from __future__ import annotations

from weft.language.builtin import builtin_of

_declare = builtin_of("math")


@_declare
def exp(x):
    """Return e to the power of the float x."""


@_declare
def exp2(x):
    """Return 2 to the power of the float x."""


@_declare
def log(x):
    """Return the natural logarithm of the float x."""


@_declare
def log2(x):
    """Return the logarithm to base 2 of the float x."""


@_declare
def sin(x):
    """Return the sine of the float x, in radians."""


@_declare
def cos(x):
    """Return the cosine of the float x, in radians."""


@_declare
def erf(x):
    """Return the error function of the float x."""


@_declare
def sqrt(x):
    """Return the square root of the float x, approximated by the fast instruction of the target."""


@_declare
def sqrt_rn(x):
    """Return the square root of the fp32 x, rounded to nearest (IEEE 754)."""


@_declare
def rsqrt(x):
    """Return 1 / sqrt(x) of the float x."""


@_declare
def floor(x):
    """Return the largest integer that is at most the float x, as a float."""


@_declare
def ceil(x):
    """Return the smallest integer that is at least the float x, as a float."""


@_declare
def abs(x):
    """Return the absolute value of the float or integer x."""


@_declare
def fdiv(x, y, ieee_rounding=False):
    """Return the quotient of two floats; `ieee_rounding` has no effect, as in Triton, and warns."""


@_declare
def div_rn(x, y):
    """Return the quotient of two fp32, rounded to nearest (IEEE 754)."""


@_declare
def fma(x, y, z):
    """Return x * y + z, rounded once."""


@_declare
def umulhi(x, y):
    """Return the upper half of the unsigned product of two 32-bit or 64-bit integers."""
