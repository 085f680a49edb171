"""ex2, lg2, sin, cos, tanh, rsqrt and copysign, computed in f64 and rounded once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.ptx.instructions.float_arithmetic import FLOATS, flush_subnormals
from weft.ptx.registry import InstructionName, Semantics, instruction
from weft.ptx.types import dtype_of

_FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "ex2": np.exp2,
    "lg2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}


@instruction(*_FUNCTIONS)
def _function(name: InstructionName) -> Semantics:
    type_ = name.only_type(*FLOATS)
    name.modifier("approx")
    ftz, function = name.has("ftz"), _FUNCTIONS[name.opcode]

    def run(x: np.ndarray) -> np.ndarray:
        wide = flush_subnormals(x, ftz).astype(np.float64)
        return flush_subnormals(function(wide).astype(dtype_of(type_)), ftz)

    return Semantics(type_, (type_,), run)


@instruction("copysign")
def _copy_sign(name: InstructionName) -> Semantics:
    type_ = name.only_type("f32", "f64")
    return Semantics(type_, (type_, type_), lambda sign, value: np.copysign(value, sign))
