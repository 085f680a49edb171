"""tt.extern_elementwise: the functions of NVIDIA's libdevice and AMD's ocml, by name.

A symbol is the prefix of the library, the name of the function and a suffix for the type:
`__nv_tanhf`, `__nv_tanh`, `__ocml_tanh_f32`. The name is looked up here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import reduce

import numpy as np
from xdsl.ir import Operation

from weft.errors import LaunchError, did_you_mean
from weft.interpreter import bessel_functions as bessel
from weft.interpreter import special_functions as special
from weft.interpreter import statistical_functions as statistical
from weft.interpreter.directed_rounding import arithmetic, conversion
from weft.interpreter.dtypes import dtype_of
from weft.interpreter.integer_functions import INTEGER
from weft.interpreter.ops.floats import fma, rounding_each
from weft.interpreter.properties import text_of
from weft.interpreter.registry import Evaluate, pure
from weft.interpreter.values import dense
from weft.ir import locations, tt, types

_FLOAT_FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    **{
        name: getattr(np, name)
        for name in (
            "exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan sinh cosh tanh fmod "
            "fmax fmin floor ceil trunc rint hypot nextafter copysign ldexp"
        ).split()
    },
    "acos": np.arccos,
    "asin": np.arcsin,
    "atan": np.arctan,
    "acosh": np.arccosh,
    "asinh": np.arcsinh,
    "atanh": np.arctanh,
    "atan2": np.arctan2,
    "pow": np.power,
    "powi": lambda x, n: np.power(x, n.astype(x.dtype)),
    "pown": lambda x, n: np.power(x, n.astype(x.dtype)),
    "exp10": special.in_f64(lambda x: np.power(10.0, x)),
    "rsqrt": special.rsqrt,
    "rcp": lambda x: 1 / x,
    "fabs": np.abs,
    "erf": special.erf,
    "erfc": special.erfc,
    "tgamma": special.gamma,
    "lgamma": special.lgamma,
    "round": special.round_away,
    "nearbyint": np.rint,
    "llrint": np.rint,
    "fdim": lambda x, y: np.where(x > y, x - y, x - x),
    "remainder": special.elementwise(math.remainder, 2),
    "erfinv": statistical.erfinv,
    "erfcinv": statistical.erfcinv,
    "erfcx": statistical.erfcx,
    "normcdf": statistical.normcdf,
    "normcdfinv": statistical.normcdfinv,
    **dict.fromkeys(("cyl_bessel_i0", "i0"), statistical.bessel_i(0)),
    **dict.fromkeys(("cyl_bessel_i1", "i1"), statistical.bessel_i(1)),
    "j0": special.in_f64(lambda x: bessel.j(0, x)),
    "j1": special.in_f64(lambda x: bessel.j(1, x)),
    "y0": special.in_f64(lambda x: bessel.y(0, x)),
    "y1": special.in_f64(lambda x: bessel.y(1, x)),
    "jn": lambda n, x: bessel.j(dense(n), x.astype(np.float64)).astype(x.dtype),
    "yn": lambda n, x: bessel.y(dense(n), x.astype(np.float64)).astype(x.dtype),
    "rcp64h": lambda x: ((1 / x).view(np.int64) & ~0xFFFFFFFF).view(np.float64),
    "rcbrt": special.in_f64(lambda x: 1 / np.cbrt(x)),
    "rhypot": special.in_f64(lambda *sides: 1 / _norm(*sides)),
    "norm3d": special.in_f64(lambda *sides: _norm(*sides)),
    "norm4d": special.in_f64(lambda *sides: _norm(*sides)),
    "rnorm3d": special.in_f64(lambda *sides: 1 / _norm(*sides)),
    "rnorm4d": special.in_f64(lambda *sides: 1 / _norm(*sides)),
    "logb": lambda x: np.where(x == 0, -np.inf, np.frexp(x)[1] - 1 + 0 * np.abs(x)),
    "scalbn": np.ldexp,
    "saturate": lambda x: np.clip(np.nan_to_num(x, nan=0.0), 0, 1),
    "fast_exp10": special.in_f64(lambda x: np.power(10.0, x)),
    "sinpi": special.in_f64(lambda x: np.sin(np.pi * np.fmod(x, 2.0))),
    "cospi": special.in_f64(lambda x: np.cos(np.pi * np.fmod(x, 2.0))),
    "fast_exp": np.exp,
    "fast_log": np.log,
    "fast_log2": np.log2,
    "fast_log10": np.log10,
    "fast_sin": np.sin,
    "fast_cos": np.cos,
    "fast_tan": np.tan,
    "fast_tanh": np.tanh,
    "fast_pow": np.power,
    "fast_fdivide": np.divide,
    "fdividef": np.divide,
    "frsqrt_rn": special.rsqrt,
}
_TO_INTEGER: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "isnan": np.isnan,
    "isnand": np.isnan,
    "isinf": np.isinf,
    "isinfd": np.isinf,
    "isfinite": np.isfinite,
    "isfinited": np.isfinite,
    "finite": np.isfinite,
    "signbit": np.signbit,
    "signbitd": np.signbit,
    "ilogb": lambda x: np.frexp(x)[1] - 1,
    "llrint": np.rint,
    "lrint": np.rint,
    "llround": special.round_away,
}


def _norm(*sides: np.ndarray) -> np.ndarray:
    return reduce(np.hypot, sides)


_SYMBOL = re.compile(
    r"^(?:__nv_|__ocml_|__imf_|__triton_hip_)?(?P<name>\w+?)(?:_f16|_f32|_f64|_i32|_i64|_u32)?$"
)
_BITS = re.compile(r"(?:float|double|int|uint|longlong)_as_(?:float|double|int|uint|longlong)")
_HALVES = {"double2hiint": 32, "double2loint": 0}
_FUSED = frozenset({"__nv_fma_rn", "__nv_fmaf_rn"})
KNOWN = sorted({*_FLOAT_FUNCTIONS, *_TO_INTEGER, *INTEGER, "fma", "ffma"})


def _base_name(symbol: str, table: Mapping[str, object]) -> str | None:
    match = _SYMBOL.match(symbol)
    name = match["name"] if match else symbol
    if symbol.startswith("__ocml_native_"):
        name = name.removeprefix("native_")
    return next((n for n in (name, name.removesuffix("f")) if n in table), None)


@pure(tt.ExternElementwiseOp)
def extern_elementwise(op: Operation) -> Evaluate:
    """Apply a library function to each element."""
    symbol = text_of(op, "symbol")
    result, first = op.results[0].type, op.operands[0].type
    dtype = dtype_of(result)
    if symbol in _FUSED or _base_name(symbol, {"fma": 0, "ffma": 0}):
        return fma(op)
    if (function := _rounding_or_bitcast(symbol.removeprefix("__nv_"), dtype)) is not None:
        return function
    if not types.is_float(types.element(first)) and not types.is_float(types.element(result)):
        name = _base_name(symbol, INTEGER)
        if name is not None:
            f = INTEGER[name]
            return lambda *operands: f(*map(dense, operands)).astype(dtype)
    elif types.is_float(types.element(result)):
        name = _base_name(symbol, _FLOAT_FUNCTIONS)
        if name is not None:
            return rounding_each(_FLOAT_FUNCTIONS[name], dtype)
    else:
        name = _base_name(symbol, _TO_INTEGER)
        if name is not None:
            g = _TO_INTEGER[name]
            return lambda x: g(x).astype(dtype)
    raise LaunchError(
        "the interpreter does not support this library function",
        location=locations.position(op.location),
        found=symbol,
        hint=did_you_mean(symbol.removeprefix("__nv_").removeprefix("__ocml_"), KNOWN),
    )


def _rounding_or_bitcast(name: str, dtype: np.dtype) -> Evaluate | None:
    """Look up a function with a rounding mode in its name, or one that reinterprets bits."""
    if (operation := arithmetic(name)) is not None:
        return operation
    if (cast := conversion(name, dtype)) is not None:
        return cast
    if _BITS.fullmatch(name):
        return lambda x: dense(x).view(dtype)
    if name in _HALVES:
        return lambda x: (dense(x).view(np.int64) >> _HALVES[name]).astype(dtype)
    if name == "hiloint2double":
        return lambda high, low: (
            (dense(high).astype(np.int64) << 32) | dense(low).view(np.uint32)
        ).view(dtype)
    return None
