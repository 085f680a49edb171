"""The symbol of a function that is lowered for given arguments.

scale(x: fp32[64], n: i32, FACTOR = 2)   →   kernels.scale__fp32S64S_i32_c2
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.frontend.semantics.values import DescriptorValue, TensorValue, TupleValue, Value
from weft.language.constexpr import constexpr
from weft.language.dtypes import dtype
from weft.language.kernel_function import KernelFunction


def symbol(function: KernelFunction, values: Sequence[Value]) -> str:
    """Return the symbol of a function for given arguments."""
    return f"{function.qualified_name}__{'_'.join(mangle(value) for value in values)}"


def mangle(value: Value) -> str:
    """Return an argument's part of a symbol."""
    if isinstance(value, TupleValue):
        return f"T{'_'.join(mangle(item) for item in value.items)}T"
    if isinstance(value, TensorValue | DescriptorValue):
        return value.type.mangle()
    return f"c{_mangle_constant(value)}"


def _mangle_constant(value: Value) -> str:
    plain = value.value if isinstance(value, constexpr) else value
    if isinstance(plain, dtype):
        return str(plain)
    if isinstance(plain, KernelFunction):
        return plain.qualified_name
    return repr(plain).replace("'", "_sq_")
