"""Functions of the vendors' math libraries by their names: __nv_sinf, __nv_sin, __ocml_sin_f32.

They are computed in f64 and rounded once, which is more accurate than the libraries. Functions that
round an exact result are in `libdevice_rounding`, those of integers in `libdevice_integers`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from statistics import NormalDist

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.math.bessel import first_kind, second_kind
from weft.simulator.math.libdevice_integers import integer_function
from weft.simulator.math.libdevice_rounding import exact_function
from weft.simulator.registry import Call, intrinsic

__all__: list[str] = []


def _elementwise(function: Callable[..., float]) -> Callable[..., np.ndarray]:
    """Vectorize a function of Python floats; outside of its domain the result is NaN."""

    def evaluate(*values: float) -> float:
        try:
            return function(*values)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    def run(*values: np.ndarray) -> np.ndarray:
        return np.vectorize(evaluate, otypes=[np.float64])(*values)

    return run


_FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
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
    "erf": _elementwise(math.erf),
    "erfc": _elementwise(math.erfc),
    "tgamma": _elementwise(math.gamma),
    "lgamma": _elementwise(math.lgamma),
    "round": lambda x: np.trunc(x) + np.trunc(2 * (x - np.trunc(x))),
    "nearbyint": np.rint,
    "fdim": lambda x, y: _positive_difference(x, y),
    "remainder": _elementwise(math.remainder),
    "ldexp": lambda x, n: np.ldexp(x, n.astype(np.int64)),
    "scalbn": lambda x, n: np.ldexp(x, n.astype(np.int64)),
    **dict.fromkeys(("powi", "pown"), np.power),
    "logb": _elementwise(lambda x: _logb(x)),
    "saturate": lambda x: np.fmin(np.fmax(x, 0), 1),
    "sinpi": lambda x: np.sin(np.pi * np.remainder(x, 2)),
    "cospi": lambda x: np.cos(np.pi * np.remainder(x, 2)),
    "rcbrt": lambda x: 1 / np.cbrt(x),
    **dict.fromkeys(("norm3d", "norm4d"), lambda *x: _norm(*x)),
    **dict.fromkeys(("rhypot", "rnorm3d", "rnorm4d"), lambda *x: 1 / _norm(*x)),
    **dict.fromkeys(("frsqrt_rn",), lambda x: 1 / np.sqrt(x)),
    "normcdf": _elementwise(lambda x: math.erfc(-x / math.sqrt(2)) / 2),
    "normcdfinv": _elementwise(lambda p: _quantile(p)),
    "erfinv": _elementwise(lambda y: _newton_step_of_erf(_quantile((1 + y) / 2) / math.sqrt(2), y)),
    "erfcinv": _elementwise(lambda y: -_quantile(y / 2) / math.sqrt(2)),
    "erfcx": _elementwise(lambda x: _scaled_erfc(x)),
    **dict.fromkeys(("cyl_bessel_i0", "i0"), _elementwise(lambda x: _bessel_i(0, x))),
    **dict.fromkeys(("cyl_bessel_i1", "i1"), _elementwise(lambda x: _bessel_i(1, x))),
    **{f"j{n}": _elementwise(partial(first_kind, n)) for n in (0, 1)},
    **{f"y{n}": _elementwise(partial(second_kind, n)) for n in (0, 1)},
    "jn": _elementwise(first_kind),
    "yn": _elementwise(second_kind),
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
# Name → type of the result, function.
_TO_INTEGER: dict[str, tuple[type, Callable[..., np.ndarray]]] = {
    "ilogb": (np.int32, lambda x: np.frexp(x)[1] - 1),
    "llrint": (np.int64, np.rint),
    "llround": (np.int64, lambda x: np.trunc(x) + np.trunc(2 * (x - np.trunc(x)))),
}
_NORMAL = NormalDist()


def _logb(x: float) -> float:
    if x and math.isfinite(x):
        return math.frexp(x)[1] - 1
    return -math.inf if x == 0 else abs(x)


def _positive_difference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Compute x - y where x is greater, NaN where either is NaN, and +0 elsewhere."""
    is_nan = np.isnan(x) | np.isnan(y)
    difference = np.where(x > y, x - y, np.zeros((), x.dtype))
    return np.where(is_nan, x + y, difference)


def _norm(*sides: np.ndarray) -> np.ndarray:
    """Compute a Euclidean norm without overflow."""
    largest = np.max(np.abs(sides), axis=0)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    return scale * np.sqrt(sum((side / scale) ** 2 for side in sides))


def _quantile(p: float) -> float:
    """Compute a quantile of the standard normal distribution."""
    return math.copysign(math.inf, p - 0.5) if p in (0.0, 1.0) else _NORMAL.inv_cdf(p)


def _newton_step_of_erf(x: float, y: float) -> float:
    """Improve an approximate solution of erf(x) = y."""
    slope = 2 / math.sqrt(math.pi) * math.exp(-x * x)
    return x if slope < 1e-8 else x - (math.erf(x) - y) / slope


def _scaled_erfc(x: float) -> float:
    """Compute exp(x²) erfc(x), for large x by its asymptotic series."""
    if x < 20:
        return math.exp(x * x) * math.erfc(x)
    series = (-1) ** np.arange(5) * np.array([1, 1, 3, 15, 105]) / (2 * x * x) ** np.arange(5)
    return float(series.sum()) / (x * math.sqrt(math.pi))


def _bessel_i(order: int, x: float) -> float:
    """Sum the series (x/2)^(2k + order) / k! (k + order)!."""
    term = total = (x / 2) ** order
    for k in range(1, 2000):
        term *= (x / 2) ** 2 / (k * (k + order))
        total += term
        if abs(term) <= abs(total) * 1e-17:
            break
    return total


@intrinsic(r"__(?:nv_(\w+)|ocml_(\w+)_f(?:32|64))")
def _compile(call: Call) -> Step:
    """Compile a call of a library function."""
    function = _find_function(call)

    def step(block: Block) -> None:
        arguments = [block.get(argument) for argument in call.arguments]
        with np.errstate(all="ignore"):
            block.set(call.result, function(*arguments))

    return step


def _find_function(call: Call) -> Callable[..., np.ndarray]:
    """Find a library function, as a function of arrays.

    Raises:
        CodegenError: The simulator does not support it.
    """
    name = call.match[2] or call.match[1]
    if call.match[1]:
        function = exact_function(name) or integer_function(name)
        if function is not None:
            return function
    base_name = name.removesuffix("f")
    if base_name == "nextafter":
        return np.nextafter
    function = _FUNCTIONS.get(name) or _FUNCTIONS.get(base_name)
    if function is not None:
        return lambda *args: np.asarray(function(*map(_to_f64, args))).astype(_result_dtype(args))
    if base_name in _TO_INTEGER:
        dtype, to_integer = _TO_INTEGER[base_name]
        return lambda x: np.asarray(to_integer(_to_f64(x))).astype(dtype)
    raise CodegenError(
        "the simulator does not support this library function",
        found=call.match[0],
        accepted=sorted({*_FUNCTIONS, *_TO_INTEGER, "nextafter"}),
    )


def _result_dtype(arguments: Sequence[np.ndarray]) -> np.dtype:
    """Find the type of the first argument that is a float: `jn` has its order before x."""
    return next((x.dtype for x in arguments if x.dtype.kind not in "iu"), arguments[0].dtype)


def _to_f64(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float64)
