"""Calls of declared functions: arguments to parameters, constants opened, results wrapped.

For example:

    tl.load(p, other=0.0)   →   meaning_of("load")(emitter, pointer=p, mask=None, other=0.0, …)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weft.errors import CompilationError, UnsupportedError, did_you_mean
from weft.frontend.semantics.values import (
    DescriptorValue,
    TensorValue,
    TupleValue,
    Value,
)
from weft.language.builtin import Builtin
from weft.language.constexpr import constexpr

if TYPE_CHECKING:
    from weft.frontend.semantics.emitter import Emitter


def call(
    e: Emitter, function: Builtin, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """Carry out a call of a declared function; see `Emitter.call`."""
    from weft.frontend.semantics.builtins import meaning_of

    implementation = meaning_of(function.qualified_name)
    if implementation is None:
        raise UnsupportedError(
            f"tl.{function.qualified_name} cannot be used here",
            found=f"tl.{function.qualified_name}",
        )
    arguments = bind(function, args, kwargs)
    return wrapped(implementation(e, **arguments))


def bind(function: Builtin, args: Sequence[Value], kwargs: Mapping[str, Value]) -> dict[str, Any]:
    """Return the arguments by parameter name, defaults filled in and constants opened.

    Raises: CompilationError naming the parameter that is missing, unknown or given twice.
    """
    signature = function.signature
    for name in kwargs:
        if name not in signature.parameters:
            raise CompilationError(
                f"tl.{function.qualified_name} has no parameter {name}",
                found=name,
                accepted=signature.parameters,
                hint=did_you_mean(name, signature.parameters),
            )
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise CompilationError(
            f"tl.{function.qualified_name}: {error}",
            found=f"{len(args)} positional and {len(kwargs)} named arguments",
            accepted=(f"{function.__name__}{signature}",),
        ) from None
    bound.apply_defaults()
    return {name: opened(argument) for name, argument in bound.arguments.items()}


def opened(value: Value) -> Any:
    """Return a value with its constants as Python values, tuples as Python tuples."""
    if isinstance(value, constexpr):
        return opened(value.value) if isinstance(value.value, constexpr | tuple) else value.value
    if isinstance(value, TupleValue):
        return tuple(opened(item) for item in value.items)
    if isinstance(value, tuple | list):
        return tuple(opened(item) for item in value)
    return value


def wrapped(result: Any) -> Value:
    """Return what an implementation gave as a kernel value."""
    if isinstance(result, TensorValue | DescriptorValue | TupleValue | constexpr):
        return result
    if isinstance(result, tuple | list):
        return TupleValue(tuple(wrapped(item) for item in result))
    return constexpr(result)
