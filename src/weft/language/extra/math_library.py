"""The functions of the vendors' math libraries: name, parameters and result.

The symbol tables in `weft.frontend.semantics.builtins` list the functions and types of each target.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import Parameter, Signature

from weft.language.builtin import Builtin
from weft.language.unknown_names import unknown_name

# name: (parameters, result)
FUNCTIONS: dict[str, tuple[str, str]] = {
    "abs": ("x", "the absolute value of x"),
    "acos": ("x", "the arc cosine of x, in radians"),
    "acosh": ("x", "the inverse hyperbolic cosine of x"),
    "add_rd": ("x, y", "x + y rounded down"),
    "add_rn": ("x, y", "x + y rounded to nearest"),
    "add_ru": ("x, y", "x + y rounded up"),
    "add_rz": ("x, y", "x + y rounded toward zero"),
    "asin": ("x", "the arc sine of x, in radians"),
    "asinh": ("x", "the inverse hyperbolic sine of x"),
    "atan": ("x", "the arc tangent of x, in radians"),
    "atan2": ("y, x", "the angle of the point (x, y), in radians"),
    "atanh": ("x", "the inverse hyperbolic tangent of x"),
    "brev": ("x", "the integer x with its bits in reverse order"),
    "byte_perm": ("x, y, s", "four bytes chosen from x and y by the nibbles of s"),
    "cbrt": ("x", "the cube root of x"),
    "ceil": ("x", "the smallest whole number not below x"),
    "clz": ("x", "the number of leading zero bits of the integer x"),
    "copysign": ("x, y", "x with the sign of y"),
    "cos": ("x", "the cosine of x, in radians"),
    "cosh": ("x", "the hyperbolic cosine of x"),
    "cospi": ("x", "the cosine of pi * x"),
    "cyl_bessel_i0": ("x", "the modified Bessel function of the first kind of order 0 at x"),
    "cyl_bessel_i1": ("x", "the modified Bessel function of the first kind of order 1 at x"),
    "div_rd": ("x, y", "x / y rounded down"),
    "div_rn": ("x, y", "x / y rounded to nearest"),
    "div_ru": ("x, y", "x / y rounded up"),
    "div_rz": ("x, y", "x / y rounded toward zero"),
    "double2float_rd": ("x", "the fp64 x as fp32, rounded down"),
    "double2float_rn": ("x", "the fp64 x as fp32, rounded to nearest"),
    "double2float_ru": ("x", "the fp64 x as fp32, rounded up"),
    "double2float_rz": ("x", "the fp64 x as fp32, rounded toward zero"),
    "double2hiint": ("x", "the upper 32 bits of the fp64 x"),
    "double2int_rd": ("x", "the fp64 x as int32, rounded down"),
    "double2int_rn": ("x", "the fp64 x as int32, rounded to nearest"),
    "double2int_ru": ("x", "the fp64 x as int32, rounded up"),
    "double2int_rz": ("x", "the fp64 x as int32, rounded toward zero"),
    "double2ll_rd": ("x", "the fp64 x as int64, rounded down"),
    "double2ll_rn": ("x", "the fp64 x as int64, rounded to nearest"),
    "double2ll_ru": ("x", "the fp64 x as int64, rounded up"),
    "double2ll_rz": ("x", "the fp64 x as int64, rounded toward zero"),
    "double2loint": ("x", "the lower 32 bits of the fp64 x"),
    "double2uint_rd": ("x", "the fp64 x as uint32, rounded down"),
    "double2uint_rn": ("x", "the fp64 x as uint32, rounded to nearest"),
    "double2uint_ru": ("x", "the fp64 x as uint32, rounded up"),
    "double2uint_rz": ("x", "the fp64 x as uint32, rounded toward zero"),
    "double2ull_rd": ("x", "the fp64 x as uint64, rounded down"),
    "double2ull_rn": ("x", "the fp64 x as uint64, rounded to nearest"),
    "double2ull_ru": ("x", "the fp64 x as uint64, rounded up"),
    "double2ull_rz": ("x", "the fp64 x as uint64, rounded toward zero"),
    "double_as_longlong": ("x", "the bits of the fp64 x as an integer"),
    "erf": ("x", "the error function of x"),
    "erfc": ("x", "the complementary error function of x"),
    "erfcinv": ("x", "the inverse of the complementary error function at x"),
    "erfcx": ("x", "the scaled complementary error function of x"),
    "erfinv": ("x", "the inverse of the error function at x"),
    "exp": ("x", "e to the power of x"),
    "exp10": ("x", "10 to the power of x"),
    "exp2": ("x", "2 to the power of x"),
    "expm1": ("x", "e to the power of x, less 1"),
    "fast_cosf": ("x", "the cosine of x, fast and less exact"),
    "fast_dividef": ("x, y", "x / y, fast and less exact"),
    "fast_exp10f": ("x", "10 to the power of x, fast and less exact"),
    "fast_expf": ("x", "e to the power of x, fast and less exact"),
    "fast_log10f": ("x", "the logarithm of x to base 10, fast and less exact"),
    "fast_log2f": ("x", "the logarithm of x to base 2, fast and less exact"),
    "fast_logf": ("x", "the natural logarithm of x, fast and less exact"),
    "fast_powf": ("x, y", "x to the power of y, fast and less exact"),
    "fast_sinf": ("x", "the sine of x, fast and less exact"),
    "fast_tanf": ("x", "the tangent of x, fast and less exact"),
    "fast_tanhf": ("x", "the hyperbolic tangent of x, fast and less exact"),
    "fdim": ("x, y", "x - y, or 0 where that is negative"),
    "ffs": ("x", "the position of the lowest set bit of the integer x, 1-based, or 0"),
    "finitef": ("x", "whether the fp32 x is finite"),
    "float2int_rd": ("x", "the fp32 x as int32, rounded down"),
    "float2int_rn": ("x", "the fp32 x as int32, rounded to nearest"),
    "float2int_ru": ("x", "the fp32 x as int32, rounded up"),
    "float2int_rz": ("x", "the fp32 x as int32, rounded toward zero"),
    "float2ll_rd": ("x", "the fp32 x as int64, rounded down"),
    "float2ll_rn": ("x", "the fp32 x as int64, rounded to nearest"),
    "float2ll_ru": ("x", "the fp32 x as int64, rounded up"),
    "float2ll_rz": ("x", "the fp32 x as int64, rounded toward zero"),
    "float2uint_rd": ("x", "the fp32 x as uint32, rounded down"),
    "float2uint_rn": ("x", "the fp32 x as uint32, rounded to nearest"),
    "float2uint_ru": ("x", "the fp32 x as uint32, rounded up"),
    "float2uint_rz": ("x", "the fp32 x as uint32, rounded toward zero"),
    "float2ull_rd": ("x", "the fp32 x as uint64, rounded down"),
    "float2ull_rn": ("x", "the fp32 x as uint64, rounded to nearest"),
    "float2ull_ru": ("x", "the fp32 x as uint64, rounded up"),
    "float2ull_rz": ("x", "the fp32 x as uint64, rounded toward zero"),
    "float_as_int": ("x", "the bits of the fp32 x as an integer"),
    "float_as_uint": ("x", "the bits of the fp32 x as an unsigned integer"),
    "floor": ("x", "the largest whole number not above x"),
    "fma": ("x, y, z", "x * y + z with one rounding"),
    "fma_rd": ("x, y, z", "x * y + z rounded down"),
    "fma_rn": ("x, y, z", "x * y + z rounded to nearest"),
    "fma_ru": ("x, y, z", "x * y + z rounded up"),
    "fma_rz": ("x, y, z", "x * y + z rounded toward zero"),
    "fmod": ("x, y", "the remainder of x / y with the sign of x"),
    "hadd": ("x, y", "the average of two integers without overflow, rounded down"),
    "hiloint2double": ("hi, lo", "the fp64 whose halves are the integers hi and lo"),
    "hypot": ("x, y", "sqrt(x * x + y * y) without overflow"),
    "ilogb": ("x", "the exponent of x as an integer"),
    "int2double_rn": ("x", "the int32 x as fp64, rounded to nearest"),
    "int2float_rd": ("x", "the int32 x as fp32, rounded down"),
    "int2float_rn": ("x", "the int32 x as fp32, rounded to nearest"),
    "int2float_ru": ("x", "the int32 x as fp32, rounded up"),
    "int2float_rz": ("x", "the int32 x as fp32, rounded toward zero"),
    "int_as_float": ("x", "the fp32 whose bits are the integer x"),
    "isfinited": ("x", "whether the fp64 x is finite"),
    "isinf": ("x", "whether x is infinite"),
    "isnan": ("x", "whether x is not a number"),
    "j0": ("x", "the Bessel function of the first kind of order 0 at x"),
    "j1": ("x", "the Bessel function of the first kind of order 1 at x"),
    "jn": ("n, x", "the Bessel function of the first kind of order n at x"),
    "ldexp": ("x, n", "x * 2**n"),
    "lgamma": ("x", "the logarithm of the absolute value of the gamma function at x"),
    "ll2double_rd": ("x", "the int64 x as fp64, rounded down"),
    "ll2double_rn": ("x", "the int64 x as fp64, rounded to nearest"),
    "ll2double_ru": ("x", "the int64 x as fp64, rounded up"),
    "ll2double_rz": ("x", "the int64 x as fp64, rounded toward zero"),
    "ll2float_rd": ("x", "the int64 x as fp32, rounded down"),
    "ll2float_rn": ("x", "the int64 x as fp32, rounded to nearest"),
    "ll2float_ru": ("x", "the int64 x as fp32, rounded up"),
    "ll2float_rz": ("x", "the int64 x as fp32, rounded toward zero"),
    "llrint": ("x", "x rounded to the nearest integer, ties to even, as int64"),
    "llround": ("x", "x rounded to the nearest integer, ties away from 0, as int64"),
    "log": ("x", "the natural logarithm of x"),
    "log10": ("x", "the logarithm of x to base 10"),
    "log1p": ("x", "the natural logarithm of 1 + x"),
    "log2": ("x", "the logarithm of x to base 2"),
    "logb": ("x", "the exponent of x as a float"),
    "longlong_as_double": ("x", "the fp64 whose bits are the integer x"),
    "mul24": ("x, y", "the lower 32 bits of the product of the lower 24 bits of two integers"),
    "mul_rd": ("x, y", "x * y rounded down"),
    "mul_rn": ("x, y", "x * y rounded to nearest"),
    "mul_ru": ("x, y", "x * y rounded up"),
    "mul_rz": ("x, y", "x * y rounded toward zero"),
    "mulhi": ("x, y", "the upper half of the product of two integers"),
    "nearbyint": ("x", "x rounded to a whole number in the current mode, as a float"),
    "nextafter": ("x, y", "the float next to x on the way to y"),
    "norm3d": ("x, y, z", "the length of the vector (x, y, z)"),
    "norm4d": ("x, y, z, w", "the length of the vector (x, y, z, w)"),
    "normcdf": ("x", "the distribution function of the standard normal distribution at x"),
    "normcdfinv": (
        "x",
        "the inverse of the distribution function of the standard normal distribution at x",
    ),
    "popc": ("x", "the number of set bits of the integer x"),
    "pow": ("x, y", "x to the power of y, a float or an int32"),
    "rcbrt": ("x", "1 / cbrt(x)"),
    "rcp64h": ("x", "the upper half of an approximation of 1 / x, for the fp64 x"),
    "rcp_rd": ("x", "1 / x rounded down"),
    "rcp_rn": ("x", "1 / x rounded to nearest"),
    "rcp_ru": ("x", "1 / x rounded up"),
    "rcp_rz": ("x", "1 / x rounded toward zero"),
    "remainder": ("x, y", "the IEEE remainder of x / y"),
    "rhadd": ("x, y", "the average of two integers without overflow, rounded up"),
    "rhypot": ("x, y", "1 / hypot(x, y)"),
    "rint": ("x", "x rounded to the nearest whole number, ties to even, as a float"),
    "rnorm3d": ("x, y, z", "1 / norm3d(x, y, z)"),
    "rnorm4d": ("x, y, z, w", "1 / norm4d(x, y, z, w)"),
    "round": ("x", "x rounded to the nearest whole number, ties away from 0, as a float"),
    "rsqrt": ("x", "1 / sqrt(x)"),
    "rsqrt_rn": ("x", "1 / sqrt(x) rounded to nearest"),
    "sad": ("x, y, z", "abs(x - y) + z of integers"),
    "saturatef": ("x", "the fp32 x limited to [0, 1]"),
    "scalbn": ("x, n", "x * 2**n"),
    "signbit": ("x", "whether the sign bit of x is set, as int32"),
    "sin": ("x", "the sine of x, in radians"),
    "sinh": ("x", "the hyperbolic sine of x"),
    "sinpi": ("x", "the sine of pi * x"),
    "sqrt": ("x", "the square root of x"),
    "sqrt_rd": ("x", "the square root of x rounded down"),
    "sqrt_rn": ("x", "the square root of x rounded to nearest"),
    "sqrt_ru": ("x", "the square root of x rounded up"),
    "sqrt_rz": ("x", "the square root of x rounded toward zero"),
    "sub_rd": ("x, y", "x - y rounded down"),
    "sub_rn": ("x, y", "x - y rounded to nearest"),
    "sub_ru": ("x, y", "x - y rounded up"),
    "sub_rz": ("x, y", "x - y rounded toward zero"),
    "tan": ("x", "the tangent of x, in radians"),
    "tanh": ("x", "the hyperbolic tangent of x"),
    "tgamma": ("x", "the gamma function at x"),
    "trunc": ("x", "x without its fraction"),
    "uint2double_rn": ("x", "the uint32 x as fp64, rounded to nearest"),
    "uint2float_rd": ("x", "the uint32 x as fp32, rounded down"),
    "uint2float_rn": ("x", "the uint32 x as fp32, rounded to nearest"),
    "uint2float_ru": ("x", "the uint32 x as fp32, rounded up"),
    "uint2float_rz": ("x", "the uint32 x as fp32, rounded toward zero"),
    "uint_as_float": ("x", "the fp32 whose bits are the unsigned integer x"),
    "ull2double_rd": ("x", "the uint64 x as fp64, rounded down"),
    "ull2double_rn": ("x", "the uint64 x as fp64, rounded to nearest"),
    "ull2double_ru": ("x", "the uint64 x as fp64, rounded up"),
    "ull2double_rz": ("x", "the uint64 x as fp64, rounded toward zero"),
    "ull2float_rd": ("x", "the uint64 x as fp32, rounded down"),
    "ull2float_rn": ("x", "the uint64 x as fp32, rounded to nearest"),
    "ull2float_ru": ("x", "the uint64 x as fp32, rounded up"),
    "ull2float_rz": ("x", "the uint64 x as fp32, rounded toward zero"),
    "y0": ("x", "the Bessel function of the second kind of order 0 at x"),
    "y1": ("x", "the Bessel function of the second kind of order 1 at x"),
    "yn": ("n, x", "the Bessel function of the second kind of order n at x"),
}


def lazy_declarations(namespace: str) -> Callable[[str], Builtin]:
    """Create a module's `__getattr__` that declares functions of `tl.<namespace>` on access.

    Args:
        namespace: "extra.libdevice", "extra.cuda.libdevice" or "extra.hip.libdevice".

    Returns:
        A function from a name to its declaration, which raises UnknownNameError for others.
    """

    @cache
    def declaration(name: str) -> Builtin:
        if name not in FUNCTIONS:
            raise unknown_name(f"tl.{namespace}", name, FUNCTIONS)
        return _declare(namespace, name)

    return declaration


def _declare(namespace: str, name: str) -> Builtin:
    parameters, result = FUNCTIONS[name]
    meanings = parameters.split(", ")
    names = [f"arg{index}" for index in range(len(meanings))]  # Triton's

    def function(*args: object) -> None: ...

    function.__name__ = name
    explained = ", ".join(f"{x} = {arg}" for x, arg in zip(meanings, names, strict=True))
    function.__doc__ = f"Return {result} ({explained})."
    function.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(each, Parameter.POSITIONAL_OR_KEYWORD) for each in names]
    )
    return Builtin(function, namespace)
