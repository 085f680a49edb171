"""Functions: ex2, lg2, sin, cos, tanh, rsqrt, copysign. Computed in f64 and rounded once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.ptx.families.floats import FLOATS, flushed
from weft.ptx.kinds import dtype_of
from weft.ptx.registry import Form, Meaning, instruction

_FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "ex2": np.exp2,
    "lg2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}


@instruction(*_FUNCTIONS)
def _function(form: Form) -> Meaning:
    kind = form.kind(*FLOATS)
    form.flag("approx")
    ftz, function = bool(form.flag("ftz")), _FUNCTIONS[form.head]

    def run(x: np.ndarray) -> np.ndarray:
        found = function(flushed(x, ftz).astype(np.float64)).astype(dtype_of(kind))
        return flushed(found, ftz)

    return Meaning(kind, (kind,), run)


@instruction("copysign")
def _copied(form: Form) -> Meaning:
    kind = form.kind("f32", "f64")
    return Meaning(kind, (kind, kind), lambda sign, value: np.copysign(value, sign))
