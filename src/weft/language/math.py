"""Functions of mathematics, element by element (`tl.math`, and `tl` itself).

Those that say "float" accept fp32 and fp64; convert narrower floats first.
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
    """Return the square root of the float x, by the fast instruction of the target."""


@_declare
def sqrt_rn(x):
    """Return the square root of the fp32 x rounded to nearest, as IEEE 754 asks."""


@_declare
def rsqrt(x):
    """Return 1 / sqrt(x) of the float x."""


@_declare
def floor(x):
    """Return the largest whole number that is not above the float x."""


@_declare
def ceil(x):
    """Return the smallest whole number that is not below the float x."""


@_declare
def abs(x):
    """Return x without its sign: any float or integer; an unsigned one as it is."""


@_declare
def fdiv(x, y, ieee_rounding=False):
    """Return the quotient of two floats; `ieee_rounding` is accepted and changes nothing."""


@_declare
def div_rn(x, y):
    """Return the quotient of two fp32 rounded to nearest, as IEEE 754 asks."""


@_declare
def fma(x, y, z):
    """Return x * y + z with one rounding."""


@_declare
def umulhi(x, y):
    """Return the upper half of the product of two int32 or int64, taken as unsigned."""
