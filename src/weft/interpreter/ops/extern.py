"""tt.extern_elementwise: the functions of NVIDIA's libdevice and AMD's ocml, by name.

A symbol is a library's prefix, a function's name and a type's mark: `__nv_tanhf`, `__nv_tanh`,
`__ocml_tanh_f32`. The name in between decides.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.ir import Operation

from weft.errors import LaunchError, did_you_mean
from weft.interpreter import special
from weft.interpreter.dtypes import dtype_of, unsigned
from weft.interpreter.ops.floats import fma, rounding_each
from weft.interpreter.properties import text_of
from weft.interpreter.registry import Evaluate, pure
from weft.interpreter.values import dense
from weft.ir import locations, types

_ELEMENT: dict[str, Callable[..., Any]] = {
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
    "div_rn": np.divide,
    "sqrt_rn": np.sqrt,
    "rsqrt_rn": special.rsqrt,
    "rcp_rn": lambda x: 1 / x,
    "add_rn": np.add,
    "sub_rn": np.subtract,
    "mul_rn": np.multiply,
}
_TO_INTEGER: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "isnan": np.isnan,
    "isnand": np.isnan,
    "isinf": np.isinf,
    "isinfd": np.isinf,
    "isfinite": np.isfinite,
    "finite": np.isfinite,
    "signbit": np.signbit,
    "ilogb": lambda x: np.frexp(x)[1] - 1,
    "llrint": np.rint,
    "lrint": np.rint,
    "llround": special.round_away,
}
_INTEGER: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "llabs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "popc": lambda x: np.bitwise_count(x.view(unsigned(x.dtype))),
    "popcll": lambda x: np.bitwise_count(x.view(unsigned(x.dtype))),
    "clz": lambda x: _leading_zeros(x),
    "clzll": lambda x: _leading_zeros(x),
    "ffs": lambda x: _first_set(x),
    "ffsll": lambda x: _first_set(x),
    "brev": lambda x: _reversed_bits(x),
    "brevll": lambda x: _reversed_bits(x),
}


def _leading_zeros(x: np.ndarray) -> np.ndarray:
    bits = 8 * x.dtype.itemsize
    rest, count = x.view(unsigned(x.dtype)).copy(), np.full(x.shape, bits)
    while rest.any():
        count -= rest != 0
        rest >>= rest.dtype.type(1)
    return count


def _first_set(x: np.ndarray) -> np.ndarray:
    lowest = x & -x
    return np.where(x == 0, 0, 8 * x.dtype.itemsize - _leading_zeros(lowest))


def _reversed_bits(x: np.ndarray) -> np.ndarray:
    raw = np.ascontiguousarray(x).view(np.uint8).reshape(*x.shape, x.dtype.itemsize)
    bits = np.unpackbits(raw, axis=-1, bitorder="little")[..., ::-1]
    return np.packbits(bits, axis=-1, bitorder="little").view(x.dtype)[..., 0]


_SYMBOL = re.compile(r"^(?:__nv_|__ocml_|__imf_)?(?P<name>\w+?)(?:_f16|_f32|_f64|_i32|_i64|_u32)?$")
KNOWN = sorted({*_ELEMENT, *_TO_INTEGER, *_INTEGER, "fma", "ffma"})


def _base_name(symbol: str, table: dict[str, Any]) -> str | None:
    match = _SYMBOL.match(symbol)
    name = match["name"] if match else symbol
    if symbol.startswith("__ocml_native_"):
        name = name.removeprefix("native_")
    return next((n for n in (name, name.removesuffix("f")) if n in table), None)


@pure("tt.extern_elementwise")
def extern_elementwise(op: Operation) -> Evaluate:
    """Apply a library function to each element."""
    symbol = text_of(op, "symbol")
    result, first = op.results[0].type, op.operands[0].type
    dtype = dtype_of(result)
    if _base_name(symbol, {"fma": 0, "ffma": 0, "fma_rn": 0}):
        return fma(op)
    if not types.is_float(types.element(first)):
        name = _base_name(symbol, _INTEGER)
        if name is not None:
            f = _INTEGER[name]
            return lambda *operands: f(*map(dense, operands)).astype(dtype)
    elif types.is_float(types.element(result)):
        name = _base_name(symbol, _ELEMENT)
        if name is not None:
            return rounding_each(_ELEMENT[name], dtype)
    else:
        name = _base_name(symbol, _TO_INTEGER)
        if name is not None:
            g = _TO_INTEGER[name]
            return lambda x: g(x).astype(dtype)
    raise LaunchError(
        "the interpreter does not have this library function",
        location=locations.position(op.location),
        found=symbol,
        hint=did_you_mean(symbol.removeprefix("__nv_").removeprefix("__ocml_"), KNOWN),
    )
