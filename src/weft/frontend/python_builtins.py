"""Python's built-in functions in kernels, and tl.static_assert and tl.static_print.

    len min max abs int float bool str isinstance getattr hasattr tuple list print breakpoint

On constants Python evaluates them. On run-time values `min`, `max` and `abs` are `tl.minimum`,
`tl.maximum` and `tl.abs`. `print` is `tl.device_print`, but on the CPU device, which also has
`breakpoint` (host_debugging.py).
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from typing import Any

from weft import language
from weft.errors import CompilationError, StaticAssertionError, UnsupportedError
from weft.frontend import static_values
from weft.frontend.context import FunctionContext
from weft.frontend.host_debugging import breakpoint_, is_on_cpu, print_
from weft.frontend.literals import unpack
from weft.frontend.name_resolution import read_attribute
from weft.frontend.semantics.aggregates import is_instance
from weft.frontend.semantics.values import (
    DescriptorValue,
    RuntimeValue,
    TensorValue,
    TupleValue,
    Value,
    describe,
)
from weft.language.builtin import Builtin
from weft.language.constexpr import constexpr
from weft.language.core import is_negative_zero

Arguments = tuple[Value, ...]
_LANGUAGE_CLASSES = (language.tensor, constexpr)
Handler = Callable[[FunctionContext, ast.Call, Arguments], Value]


def _check_count(context: FunctionContext, node: ast.Call, args: Arguments, *counts: int) -> None:
    if len(args) not in counts:
        context.fail(
            node,
            f"{ast.unparse(node.func)} expected {' or '.join(map(str, counts))} arguments, "
            f"got {len(args)}",
            found=ast.unparse(node),
        )


def _len(context: FunctionContext, node: ast.Call, args: Arguments) -> Value:
    _check_count(context, node, args, 1)
    value = args[0]
    if isinstance(value, TupleValue):
        return constexpr(len(value.items))
    if isinstance(value, TensorValue) and value.is_block:
        return constexpr(value.shape[0])
    if isinstance(value, constexpr):
        return _on_constants(len)(context, node, args)
    context.fail(
        node,
        f"{describe(value)} has no len()",
        found=describe(value),
        accepted=("a tuple", "a block", "a str"),
    )


def _on_constants(function: Callable[..., object]) -> Handler:
    """Create the handler of a function that requires constants."""

    def evaluate(context: FunctionContext, node: ast.Call, args: Arguments) -> Value:
        for value in args:
            if not static_values.is_static(value):
                context.fail(
                    node,
                    f"{function.__name__}() requires compile-time constants",
                    error=UnsupportedError,
                    found=describe(value),
                    accepted=("a compile-time constant",),
                    hint=_HINTS.get(function),
                )
        try:
            return static_values.from_python(function(*map(static_values.to_python, args)))
        except (TypeError, ValueError) as error:
            context.fail(node, str(error), found=ast.unparse(node))

    return evaluate


_HINTS: dict[Callable[..., object], str] = {
    int: "convert a run-time value with x.to(tl.int32)",
    float: "convert a run-time value with x.to(tl.float32)",
    bool: "compare with x != 0",
}


def _extremum(function: Callable[..., object], builtin: Builtin) -> Handler:
    def emit(context: FunctionContext, node: ast.Call, args: Arguments) -> Value:
        members = unpack(context, node, args[0]) if len(args) == 1 else args
        if all(static_values.is_static(value) for value in members):
            _check_ordered(context, node, members)
            return _on_constants(function)(context, node, members)
        result = members[0]
        for value in members[1:]:
            result = context.emitter.call(builtin, (result, value), {})
        return result

    return emit


def _check_ordered(context: FunctionContext, node: ast.Call, members: Sequence[Value]) -> None:
    """Refuse NaN and -0.0, whose order is not that of run-time values."""
    for value in members:
        number = static_values.to_python(value)
        if isinstance(number, float) and (number != number or is_negative_zero(number)):
            context.fail(
                node,
                f"{ast.unparse(node.func)}() of constants does not support nan and -0.0",
                found=repr(number),
                hint="compare run-time values with tl.minimum or tl.maximum",
            )


def _abs(context: FunctionContext, node: ast.Call, args: Arguments) -> Value:
    _check_count(context, node, args, 1)
    if static_values.is_static(args[0]):
        return _on_constants(abs)(context, node, args)
    return context.emitter.call(language.abs, args, {})


def _tuple(context: FunctionContext, node: ast.Call, args: Arguments) -> Value:
    _check_count(context, node, args, 0, 1)
    return TupleValue(unpack(context, node, args[0]) if args else ())


def _isinstance(context: FunctionContext, node: ast.Call, args: Arguments) -> Value:
    _check_count(context, node, args, 2)
    value, argument = args
    classes = argument.items if isinstance(argument, TupleValue) else (argument,)
    is_instance = False
    for cls in classes:
        if not isinstance(cls, type):
            context.fail(
                node,
                "isinstance() arg 2 must be a type",
                found=describe(cls),
                accepted=("a type", "a tuple of types"),
            )
        is_instance = is_instance or _is_instance(value, cls)
    return constexpr(is_instance)


def _is_instance(value: Value, cls: type) -> bool:
    if cls is language.tensor_descriptor:
        return isinstance(value, DescriptorValue)
    if isinstance(value, RuntimeValue) or cls in _LANGUAGE_CLASSES or issubclass(cls, tuple | list):
        return is_instance(value, cls)
    return isinstance(static_values.to_python(value), cls)


def _getattr(context: FunctionContext, node: ast.Call, args: Arguments) -> Value:
    _check_count(context, node, args, 2, 3)
    name = _attribute_name(context, node, args[1])
    if len(args) == 3 and not _has_attribute(context, node, args[0], name):
        return args[2]
    return read_attribute(context, node, args[0], name)


def _hasattr(context: FunctionContext, node: ast.Call, args: Arguments) -> Value:
    _check_count(context, node, args, 2)
    name = _attribute_name(context, node, args[1])
    return constexpr(_has_attribute(context, node, args[0], name))


def _has_attribute(context: FunctionContext, node: ast.Call, base: Value, name: str) -> bool:
    try:
        read_attribute(context, node, base, name)
    except CompilationError:
        return False
    return True


def _attribute_name(context: FunctionContext, node: ast.Call, value: Value) -> str:
    name = static_values.to_python(value)
    if not isinstance(name, str):
        context.fail(
            node, "attribute name must be string", found=describe(value), accepted=("a str",)
        )
    return name


def _range(context: FunctionContext, node: ast.Call, args: Arguments) -> Value:
    context.fail(
        node,
        "range can only be the iterator of a for loop",
        error=UnsupportedError,
        found=ast.unparse(node),
        accepted=(f"for i in {ast.unparse(node)}:",),
    )


def _breakpoint(context: FunctionContext, node: ast.Call, args: Arguments) -> Value:
    _check_count(context, node, args, 0)
    return breakpoint_(context, node)


_HANDLERS: dict[object, Handler] = {
    builtins.len: _len,
    builtins.min: _extremum(min, language.minimum),
    builtins.max: _extremum(max, language.maximum),
    builtins.abs: _abs,
    builtins.int: _on_constants(int),
    builtins.float: _on_constants(float),
    builtins.bool: _on_constants(bool),
    builtins.str: _on_constants(str),
    builtins.tuple: _tuple,
    builtins.list: _tuple,
    builtins.isinstance: _isinstance,
    builtins.getattr: _getattr,
    builtins.hasattr: _hasattr,
    builtins.range: _range,
    builtins.breakpoint: _breakpoint,
}

NAMES = frozenset(
    (
        "abs bool breakpoint float getattr hasattr int isinstance len list max min print range "
        "str tuple"
    ).split()
)
"""The names of Python's built-in functions that kernels can call."""


def is_supported(callee: Value) -> bool:
    """Check whether a value is one of Python's built-in functions that kernels can call."""
    return callee is print or (type(callee).__hash__ is not None and callee in _HANDLERS)


def call(
    context: FunctionContext,
    node: ast.Call,
    callee: Value,
    args: Arguments,
    kwargs: dict[str, Value],
) -> Value:
    """Lower a call of one of Python's built-in functions.

    Raises:
        UnsupportedError: An argument is a run-time value or a keyword argument.
    """
    if callee is print:
        if is_on_cpu(context) and not kwargs:
            return print_(context, node, args)
        return static_values.from_python(context.emitter.call(language.device_print, args, kwargs))
    if kwargs:
        context.fail(
            node,
            f"{ast.unparse(node.func)}() takes no keyword arguments",
            error=UnsupportedError,
            found=f"{next(iter(kwargs))}=",
        )
    return _HANDLERS[callee](context, node, args)


def static_assert(
    context: FunctionContext, node: ast.Call, args: Arguments, kwargs: dict[str, Value]
) -> Value:
    """Check a condition at compile time.

    Raises:
        CompilationError: It is false, or not a constant.
    """
    arguments = dict(zip(("cond", "msg"), args, strict=False)) | kwargs
    condition = arguments.get("cond")
    if condition is None or not static_values.is_static(condition):
        context.fail(
            node,
            "assertion condition could not be determined at compile-time",
            found="nothing" if condition is None else describe(condition),
            accepted=("a compile-time constant",),
            hint="make sure that it depends only on `constexpr` values; tl.device_assert checks at "
            "run time",
        )
    if not static_values.is_true(condition):
        message = str(static_values.to_python(arguments.get("msg", constexpr(""))))
        context.fail(
            node,
            f"static assertion failed: {message}" if message else "static assertion failed",
            error=StaticAssertionError,
            found=ast.unparse(node.args[0]) if node.args else None,
        )
    return constexpr(None)


def static_print(
    context: FunctionContext, node: ast.Call, args: Arguments, kwargs: dict[str, Value]
) -> Value:
    """Print at compile time: constants by value, run-time values by type."""
    # Any: Python's print checks its options.
    options: dict[str, Any] = {
        name: static_values.to_python(value) for name, value in kwargs.items()
    }
    print(*(_printed(value) for value in args), **options)
    return constexpr(None)


def _printed(value: Value) -> object:
    """Get what Python's print shows, in the form of Triton: fp32[constexpr[128]] for a block."""
    if isinstance(value, TupleValue):
        return [str(_printed(item)) for item in value.items]
    if isinstance(value, TensorValue):
        return value.type_text(f"constexpr[{extent}]" for extent in value.shape)
    if not static_values.is_static(value):
        return describe(value)
    constant = static_values.to_python(value)
    if isinstance(constant, tuple):
        return [str(_printed(static_values.from_python(item))) for item in constant]
    return constant
