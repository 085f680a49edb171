"""The symbol of a function that is lowered for given arguments.

scale(x: fp32[64], n: i32, FACTOR = 2)   →   kernels.scale__fp32S64S_i32_c2
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft.frontend.semantics.values import RuntimeValue, TupleValue, Value, type_of
from weft.language.constexpr import constexpr
from weft.language.kernel_function import KernelFunction


def symbol(function: KernelFunction, values: Sequence[Value]) -> str:
    """Return the symbol of a function for given arguments."""
    arguments = "_".join(mangle(value) for value in values)
    # LLVM identifiers have no brackets.
    return f"{function.qualified_name}__{arguments.replace('[', '_').replace(']', '_')}"


def mangle(value: Value) -> str:
    """Return an argument's part of a symbol."""
    if isinstance(value, TupleValue):
        return f"T{'_'.join(mangle(item) for item in value.items)}T"
    if isinstance(value, RuntimeValue):
        return type_of(value).mangle()
    return f"c{_mangle_constant(value)}"


def _mangle_constant(value: Value) -> str:
    plain: Any = value.value if isinstance(value, constexpr) else value
    if hasattr(plain, "mangle") and not isinstance(plain, type):
        return str(plain.mangle())  # a type or a layout
    if isinstance(plain, KernelFunction):
        module, name = plain.module, plain.qualified_name
        return f"JITFunction({module}:{name.removeprefix(f'{module}.')})"
    return repr(plain).replace("'", "_sq_")
