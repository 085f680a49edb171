"""Calls of builtins: arguments are bound to parameters, constants unwrapped, results wrapped.

tl.load(p, other=0.0)
    → implementation_of("load")(e, pointer=p, mask=None, other=0.0, …)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.errors import CompilationError, UnsupportedError, did_you_mean
from weft.frontend.semantics.builtins import implementation_of
from weft.frontend.semantics.emission_context import EmissionContext
from weft.frontend.semantics.values import RuntimeValue, TupleValue, Value
from weft.language.builtin import Builtin
from weft.language.constexpr import constexpr


def call(
    e: EmissionContext, function: Builtin, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """Emit a call of a builtin.

    Raises:
        CompilationError: The arguments do not match its parameters.
        UnsupportedError: It has no implementation.
    """
    implementation = implementation_of(function.qualified_name)
    if implementation is None:
        raise UnsupportedError(
            f"{function} cannot be called here",
            found=str(function),
        )
    arguments = bind(function, args, kwargs)
    return wrap_result(implementation(e, **arguments))


def bind(function: Builtin, args: Sequence[Value], kwargs: Mapping[str, Value]) -> dict[str, Value]:
    """Bind arguments to parameters, with defaults, and unwrap constants.

    Raises:
        CompilationError: A parameter is missing, unknown or has two arguments.
    """
    signature = function.signature
    for name in kwargs:
        if name not in signature.parameters:
            raise CompilationError(
                f"{function}() got an unexpected keyword argument '{name}'",
                found=name,
                accepted=signature.parameters,
                hint=did_you_mean(name, signature.parameters),
            )
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise CompilationError(
            f"{function}() {error}",
            found=f"{len(args)} positional and {len(kwargs)} keyword arguments",
            accepted=(f"{function.__name__}{signature}",),
        ) from None
    _resolve_allow_tf32(bound.arguments)
    bound.apply_defaults()
    if function.takes_values:
        return dict(bound.arguments)
    return {name: unwrap_constants(argument) for name, argument in bound.arguments.items()}


def _resolve_allow_tf32(arguments: dict[str, Value]) -> None:
    """Read `allow_tf32=None` as False, unlike a missing argument.

    Triton's `dot` compares the constant that holds None with None, and takes "ieee".
    """
    value = arguments.get("allow_tf32")
    if isinstance(value, constexpr) and value.value is None and "input_precision" not in arguments:
        arguments["allow_tf32"] = constexpr(False)


def unwrap_constants(value: Value) -> Value:
    """Replace constants by their Python values, and tuple values by Python tuples."""
    if isinstance(value, constexpr):
        inner = value.value
        return unwrap_constants(inner) if isinstance(inner, constexpr | tuple) else inner
    if isinstance(value, TupleValue):
        return tuple(unwrap_constants(item) for item in value.items)
    if isinstance(value, tuple | list):
        return tuple(unwrap_constants(item) for item in value)
    return value


def wrap_result(result: Value) -> Value:
    """Convert the result of an implementation to a value: a tuple to TupleValue, else constexpr."""
    if isinstance(result, RuntimeValue | constexpr):
        return result
    if isinstance(result, tuple | list):
        return TupleValue(tuple(wrap_result(item) for item in result))
    return constexpr(result)
