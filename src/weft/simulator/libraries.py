"""Functions of the vendors' libraries, by their names in C: __nv_sinf, __nv_sin, __ocml_sin_f32.

They are computed in double precision and rounded once, which is closer than the libraries are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from weft.errors import CodegenError
from weft.simulator.registry import Call, intrinsic
from weft.simulator.state import Block, Step

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
}


@intrinsic(r"__(?:nv_(\w+)|ocml_(\w+)_f(?:32|64))")
def _library(call: Call) -> Step:
    name = call.match[2] or call.match[1]
    function = _FUNCTIONS.get(name) or _FUNCTIONS.get(name.removesuffix("f"))
    if function is None:
        raise CodegenError(
            "the simulator does not have this library function",
            found=call.match[0],
            accepted=sorted(_FUNCTIONS),
        )

    def step(block: Block) -> None:
        given = [block.get(argument) for argument in call.arguments]
        with np.errstate(all="ignore"):
            found = function(*(one.astype(np.float64) for one in given))
            block.set(call.result, np.asarray(found).astype(given[0].dtype))

    return step
