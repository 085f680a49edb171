"""Values known when compiling: how a Python object enters a kernel, and leaves it again.

5, 1.5, True, None, "x", tl.float32, slice(None)   →  constexpr
(1, 2), [1, 2], a named tuple                      →  TupleValue of such
functions, builtins, classes, modules              →  themselves
an object of Triton                                →  weft's own of the same name
"""

from __future__ import annotations

from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from weft import language
from weft.errors import UnsupportedError
from weft.frontend.semantics.values import (
    BoundMethod,
    DescriptorValue,
    TensorValue,
    TupleValue,
    handles_of,
)
from weft.ir.builtin import SSAValue
from weft.language.constexpr import ConstexprFunction, constexpr
from weft.language.from_triton import is_from_triton
from weft.language.kernel_function import KernelFunction

SSA_KINDS = (TensorValue, DescriptorValue)
CALLABLES = (
    KernelFunction,
    language.Builtin,
    ConstexprFunction,
    BoundMethod,
    FunctionType,
    BuiltinFunctionType,
    MethodType,
    type,
)
_PLAIN = frozenset({int, float, bool, str, type(None)})
_OURS = (*SSA_KINDS, TupleValue, KernelFunction, language.Builtin, ConstexprFunction, BoundMethod)
_AS_THEY_ARE = (*_OURS, *CALLABLES, ModuleType)


def enter(value: Any) -> Any:
    """Return the kernel value of a Python object, as the table above says.

    Raises: UnsupportedError: an object of Triton that weft has no counterpart of.
    """
    if type(value) in _PLAIN:
        return constexpr(value)
    if isinstance(value, constexpr):
        inner = value.value
        stands_for_itself = isinstance(inner, (tuple, list, *_AS_THEY_ARE)) or is_from_triton(inner)
        return enter(inner) if stands_for_itself else value
    if isinstance(value, _OURS):
        return value
    if is_from_triton(value):
        return _adopt(value)
    if isinstance(value, _AS_THEY_ARE):
        return value
    if isinstance(value, tuple | list):
        return TupleValue(tuple(enter(item) for item in value), getattr(value, "_fields", None))
    return constexpr(value)


def _adopt(value: Any) -> Any:
    """Return weft's counterpart of an object of Triton."""
    ours = language.resolve(value)
    if ours is not None:
        return enter(ours)
    if hasattr(value, "fn"):
        return KernelFunction.of(value)
    if isinstance(value, ModuleType):
        return value
    name = getattr(value, "__name__", None) or str(value)
    module = getattr(value, "__module__", "triton")
    raise UnsupportedError(
        f"weft has no counterpart of {module}.{name}", found=type(value).__name__
    )


def is_static(value: Any) -> bool:
    """Tell whether a value is wholly known when compiling."""
    if isinstance(value, TupleValue):
        return all(is_static(item) for item in value.items)
    return not isinstance(value, SSA_KINDS)


def leave(value: Any) -> Any:
    """Return the Python object of a static value: constexprs opened, tuples as tuples."""
    if isinstance(value, constexpr):
        return value.value
    if isinstance(value, TupleValue):
        return tuple(leave(item) for item in value.items)
    return value


def truth(value: Any) -> bool:
    """Return whether a static value counts as true in Python."""
    return bool(leave(value))


def same(one: Any, other: Any) -> bool:
    """Tell whether two values of a kernel are the same SSA values and the same constants."""
    if one is other:
        return True
    if isinstance(one, TupleValue) and isinstance(other, TupleValue):
        return len(one.items) == len(other.items) and all(
            same(a, b) for a, b in zip(one.items, other.items, strict=True)
        )
    if isinstance(one, SSA_KINDS) or isinstance(other, SSA_KINDS):
        left, right = handles_of(one), handles_of(other)
        return (
            type(one) is type(other)
            and len(left) == len(right)
            and all(a is b for a, b in zip(left, right, strict=True))
        )
    a, b = leave(one), leave(other)
    return a is b or (type(a) is type(b) and bool(a == b))


def with_handles(value: Any, handles: Iterator[SSAValue]) -> Any:
    """Return the same kind of value over the next of `handles`; a static one stays."""
    return value if is_static(value) else value.rebuild(handles)
