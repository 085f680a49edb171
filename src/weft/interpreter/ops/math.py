"""The math dialect: elementary functions, rounded to the operand's type."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.ir import Operation

from weft.interpreter import special_functions
from weft.interpreter.dtypes import dtype_of
from weft.interpreter.ops.floats import rounding_each
from weft.interpreter.registry import Evaluate, pure

_FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "math.exp": np.exp,
    "math.exp2": np.exp2,
    "math.expm1": np.expm1,
    "math.log": np.log,
    "math.log2": np.log2,
    "math.log10": np.log10,
    "math.log1p": np.log1p,
    "math.sqrt": np.sqrt,
    "math.rsqrt": special_functions.rsqrt,
    "math.sin": np.sin,
    "math.cos": np.cos,
    "math.tan": np.tan,
    "math.tanh": np.tanh,
    "math.erf": special_functions.erf,
    "math.floor": np.floor,
    "math.ceil": np.ceil,
    "math.trunc": np.trunc,
    "math.roundeven": np.rint,
    "math.round": special_functions.round_away,
    "tt.precise_sqrt": np.sqrt,
}


@pure(*_FUNCTIONS)
def unary(op: Operation) -> Evaluate:
    """Apply a function to each element."""
    return rounding_each(_FUNCTIONS[op.name], dtype_of(op.results[0].type))
