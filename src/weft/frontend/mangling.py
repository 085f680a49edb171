"""The symbol of a function lowered for given arguments.

scale(x: fp32[64], n: i32, FACTOR = 2)   →   kernels.scale__fp32S64S_i32_c2
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft.frontend import static_values
from weft.frontend.semantics.values import TupleValue
from weft.language.constexpr import constexpr
from weft.language.dtypes import dtype
from weft.language.kernel_function import KernelFunction


def symbol(function: KernelFunction, values: Sequence[Any]) -> str:
    """Return the symbol of `function` for these arguments."""
    return f"{function.qualified_name}__{'_'.join(argument(value) for value in values)}"


def argument(value: Any) -> str:
    """Return the part of a symbol that stands for one argument."""
    if isinstance(value, TupleValue):
        return f"T{'_'.join(argument(item) for item in value.items)}T"
    if isinstance(value, static_values.SSA_KINDS):
        return value.type.mangle()
    return f"c{_constant(value)}"


def _constant(value: Any) -> str:
    plain = value.value if isinstance(value, constexpr) else value
    if isinstance(plain, dtype):
        return str(plain)
    if isinstance(plain, KernelFunction):
        return plain.qualified_name
    return repr(plain).replace("'", "_sq_")
