"""Conversion between Python objects and the compile-time values of a kernel.

5, 1.5, True, None, "x", tl.float32, slice(None)   →  constexpr
(1, 2), [1, 2], a named tuple                      →  TupleValue
functions, builtins, classes, modules              →  unchanged
tl.constexpr(function)                             →  ConstexprFunction
an object of Triton                                →  weft's counterpart
"""

from __future__ import annotations

from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

from weft import language
from weft.errors import UnsupportedError
from weft.frontend.semantics.aggregates import AggregateValue
from weft.frontend.semantics.values import (
    BoundMethod,
    RuntimeValue,
    TensorValue,
    TupleValue,
    Value,
    handles_of,
)
from weft.ir.builtin import SSAValue
from weft.language.aggregates import Aggregate
from weft.language.constexpr import ConstexprFunction, constexpr
from weft.language.from_triton import is_from_triton
from weft.language.host_functions import HostFunction
from weft.language.kernel_function import KernelFunction

_SCALAR_TYPES = frozenset({int, float, bool, str, type(None)})
_VALUE_KINDS = (
    RuntimeValue,
    KernelFunction,
    language.Builtin,
    ConstexprFunction,
    HostFunction,
    BoundMethod,
)
_UNCHANGED = (
    *_VALUE_KINDS,
    FunctionType,
    BuiltinFunctionType,
    MethodType,
    type,
    ModuleType,
)


def from_python(value: object) -> Value:
    """Convert a Python object to a value of a kernel, as listed above.

    Raises:
        UnsupportedError: It is an object of Triton that weft has no counterpart of.
    """
    if type(value) in _SCALAR_TYPES:
        return constexpr(value)
    if isinstance(value, constexpr):
        inner = value.value
        if isinstance(inner, FunctionType):  # what `@tl.constexpr` makes of a function
            return ConstexprFunction(inner)
        is_wrapper = isinstance(inner, (tuple, list, *_UNCHANGED)) or is_from_triton(inner)
        return from_python(inner) if is_wrapper else value
    if isinstance(value, _VALUE_KINDS):
        return value
    if isinstance(value, Aggregate):
        members = tuple(from_python(getattr(value, name)) for name in value.fields)
        return AggregateValue(type(value), members)
    if is_from_triton(value):
        return _from_triton(value)
    if isinstance(value, _UNCHANGED):
        return value
    if isinstance(value, tuple | list):
        fields = getattr(value, "_fields", None) or getattr(value, "fields", None)
        return TupleValue(tuple(from_python(item) for item in value), fields)
    return constexpr(value)


def _from_triton(value: object) -> Value:
    counterpart = language.resolve(value)
    if counterpart is not None:
        return from_python(counterpart)
    if hasattr(value, "fn"):
        return KernelFunction.of(value)
    if isinstance(value, ModuleType):
        return value
    name = getattr(value, "__name__", None) or str(value)
    module = getattr(value, "__module__", "triton")
    raise UnsupportedError(
        f"weft has no counterpart of {module}.{name}", found=type(value).__name__
    )


def is_static(value: Value) -> bool:
    """Check whether a value is a compile-time constant, with all its members."""
    if isinstance(value, TupleValue):
        return all(is_static(item) for item in value.items)
    if isinstance(value, AggregateValue):
        return all(is_static(each) for each in value.members)
    return not isinstance(value, RuntimeValue)


def is_known(value: Value) -> bool:
    """Check whether compile-time functions can take a value: anything but a tensor.

    They see the types, shapes and layouts of buffers and descriptors.
    """
    if isinstance(value, TupleValue):
        return all(is_known(item) for item in value.items)
    return not isinstance(value, TensorValue)


def to_python(value: Value) -> object:
    """Convert a compile-time value to a Python object: constants unwrapped, tuples to tuples."""
    if isinstance(value, constexpr):
        return value.value
    if isinstance(value, TupleValue):
        items = tuple(to_python(item) for item in value.items)
        return language.tuple(items, value.fields) if value.fields else items
    return value


def is_true(value: Value) -> bool:
    """Evaluate the truth of a compile-time value."""
    return bool(to_python(value))


def is_same(one: Value, other: Value) -> bool:
    """Check whether two values are the same SSA values and equal constants."""
    if one is other:
        return True
    if isinstance(one, TupleValue) and isinstance(other, TupleValue):
        return len(one.items) == len(other.items) and all(
            is_same(a, b) for a, b in zip(one.items, other.items, strict=True)
        )
    if not (is_static(one) and is_static(other)):
        left, right = handles_of(one), handles_of(other)
        return (
            type(one) is type(other)
            and len(left) == len(right)
            and all(a is b for a, b in zip(left, right, strict=True))
        )
    a, b = to_python(one), to_python(other)
    return a is b or (type(a) is type(b) and bool(a == b))


def with_handles(value: Value, handles: Iterator[SSAValue]) -> Value:
    """Create a value of the same type from the next of `handles`; return a constant unchanged."""
    if not isinstance(value, RuntimeValue) or is_static(value):
        return value
    return value.rebuild(handles)
