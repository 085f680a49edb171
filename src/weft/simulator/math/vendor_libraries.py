"""Functions of the vendors' libraries, by their names in C: __nv_sinf, __nv_sin, __ocml_sin_f32.

They are computed in double precision and rounded once, which is closer than the libraries are;
those that are exact but for a rounding, and those of integers, have files of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.math.bessel import first_kind, second_kind
from weft.simulator.math.libdevice_integers import integer_function
from weft.simulator.math.libdevice_rounding import exact_function
from weft.simulator.registry import Call, intrinsic

__all__: list[str] = []


def _each(function: Callable[..., float]) -> Callable[..., np.ndarray]:
    """Return a function of Python's floats as one of arrays; outside of its domain it is NaN."""

    def safe(*values: float) -> float:
        try:
            return function(*values)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    def run(*values: np.ndarray) -> np.ndarray:
        return np.vectorize(safe, otypes=[np.float64])(*values)

    return run


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(np, name)
        for name in (
            "exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan sinh cosh tanh fmod hypot "
            "fmax fmin floor ceil trunc rint copysign"
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
    "fabs": np.abs,
    "exp10": lambda x: np.power(10.0, x),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "erf": _each(math.erf),
    "erfc": _each(math.erfc),
    "tgamma": _each(math.gamma),
    "lgamma": _each(math.lgamma),
    "round": lambda x: np.trunc(x) + np.trunc(2 * (x - np.trunc(x))),
    "nearbyint": np.rint,
    "fdim": lambda x, y: np.where(x > y, x - y, 0 * (x - y)),
    "remainder": _each(math.remainder),
    "ldexp": lambda x, n: np.ldexp(x, n.astype(np.int64)),
    "scalbn": lambda x, n: np.ldexp(x, n.astype(np.int64)),
    **dict.fromkeys(("powi", "pown"), np.power),
    "logb": _each(lambda x: math.frexp(x)[1] - 1 if x and math.isfinite(x) else _of_edge(x)),
    "saturate": lambda x: np.fmin(np.fmax(x, 0), 1),
    "sinpi": lambda x: np.sin(np.pi * np.remainder(x, 2)),
    "cospi": lambda x: np.cos(np.pi * np.remainder(x, 2)),
    "rcbrt": lambda x: 1 / np.cbrt(x),
    **dict.fromkeys(("norm3d", "norm4d"), lambda *x: _length(*x)),
    **dict.fromkeys(("rhypot", "rnorm3d", "rnorm4d"), lambda *x: 1 / _length(*x)),
    **dict.fromkeys(("frsqrt_rn",), lambda x: 1 / np.sqrt(x)),
    "normcdf": _each(lambda x: math.erfc(-x / math.sqrt(2)) / 2),
    "normcdfinv": _each(lambda p: _quantile(p)),
    "erfinv": _each(lambda y: _settled(_quantile((1 + y) / 2) / math.sqrt(2), y)),
    "erfcinv": _each(lambda y: -_quantile(y / 2) / math.sqrt(2)),
    "erfcx": _each(lambda x: _scaled_erfc(x)),
    **dict.fromkeys(("cyl_bessel_i0", "i0"), _each(lambda x: _bessel_i(0, x))),
    **dict.fromkeys(("cyl_bessel_i1", "i1"), _each(lambda x: _bessel_i(1, x))),
    **{f"j{n}": _each(partial(first_kind, n)) for n in (0, 1)},
    **{f"y{n}": _each(partial(second_kind, n)) for n in (0, 1)},
    "jn": _each(first_kind),
    "yn": _each(second_kind),
    "rcp64h": lambda x: ((1 / x).view(np.int64) & ~0xFFFFFFFF).view(np.float64),
    **{
        f"fast_{name}": function
        for name, function in (
            *((each, getattr(np, each)) for each in "exp log log2 log10 sin cos tan".split()),
            ("exp10", lambda x: np.power(10.0, x)),
            ("pow", np.power),
            ("fdivide", np.divide),
        )
    },
}
# name: (the type of the result, the function)
_TO_INTEGER: dict[str, tuple[type, Callable[..., np.ndarray]]] = {
    "ilogb": (np.int32, lambda x: np.frexp(x)[1] - 1),
    "llrint": (np.int64, np.rint),
    "llround": (np.int64, lambda x: np.trunc(x) + np.trunc(2 * (x - np.trunc(x)))),
}
_NORMAL = NormalDist()


def _of_edge(x: float) -> float:
    return -math.inf if x == 0 else abs(x)


def _length(*sides: np.ndarray) -> np.ndarray:
    largest = np.max(np.abs(sides), axis=0)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    return scale * np.sqrt(sum((side / scale) ** 2 for side in sides))


def _quantile(p: float) -> float:
    return math.copysign(math.inf, p - 0.5) if p in (0.0, 1.0) else _NORMAL.inv_cdf(p)


def _settled(x: float, y: float) -> float:
    """Return the x near a first one with erf(x) = y."""
    slope = 2 / math.sqrt(math.pi) * math.exp(-x * x)
    return x if slope < 1e-8 else x - (math.erf(x) - y) / slope


def _scaled_erfc(x: float) -> float:
    if x < 20:
        return math.exp(x * x) * math.erfc(x)
    series = (-1) ** np.arange(5) * np.array([1, 1, 3, 15, 105]) / (2 * x * x) ** np.arange(5)
    return float(series.sum()) / (x * math.sqrt(math.pi))


def _bessel_i(order: int, x: float) -> float:
    """Return the sum of the series (x/2)^(2k + order) / k! (k + order)!."""
    term = total = (x / 2) ** order
    for k in range(1, 2000):
        term *= (x / 2) ** 2 / (k * (k + order))
        total += term
        if abs(term) <= abs(total) * 1e-17:
            break
    return total


@intrinsic(r"__(?:nv_(\w+)|ocml_(\w+)_f(?:32|64))")
def _library(call: Call) -> Step:
    function = _function(call)

    def step(block: Block) -> None:
        given = [block.get(argument) for argument in call.arguments]
        with np.errstate(all="ignore"):
            block.set(call.result, function(*given))

    return step


def _function(call: Call) -> Callable[..., np.ndarray]:
    """Return what a library's function makes of arrays.

    Raises: CodegenError: it is not known here.
    """
    name = call.match[2] or call.match[1]
    if call.match[1] and (found := exact_function(name) or integer_function(name)) is not None:
        return found
    short = name.removesuffix("f")
    if short == "nextafter":
        return np.nextafter
    if (function := _FUNCTIONS.get(name) or _FUNCTIONS.get(short)) is not None:
        return lambda *given: np.asarray(function(*map(_wide, given))).astype(_float_of(given))
    if short in _TO_INTEGER:
        kind, whole = _TO_INTEGER[short]
        return lambda x: np.asarray(whole(_wide(x))).astype(kind)
    raise CodegenError(
        "the simulator does not have this library function",
        found=call.match[0],
        accepted=sorted({*_FUNCTIONS, *_TO_INTEGER, "nextafter"}),
    )


def _float_of(given: Sequence[np.ndarray]) -> np.dtype:
    """Return the type of the first argument that is a float: jn has its order before x."""
    return next((x.dtype for x in given if x.dtype.kind not in "iu"), given[0].dtype)


def _wide(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float64)
