"""The functions of Python that a kernel may call, and the two that speak while compiling.

    len min max abs int float bool str isinstance getattr hasattr tuple list print
    tl.static_assert   tl.static_print

On constants they are Python's own. On values of the kernel `min`, `max` and `abs` are
`tl.minimum`, `tl.maximum` and `tl.abs`, and `print` is `tl.device_print`.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

from weft import language
from weft.errors import CompilationError, UnsupportedError
from weft.frontend import static_values
from weft.frontend.constants import items
from weft.frontend.context import FunctionContext
from weft.frontend.names import read_attribute
from weft.frontend.semantics.values import DescriptorValue, TensorValue, TupleValue, describe
from weft.language.constexpr import constexpr

Arguments = tuple[Any, ...]
Handler = Callable[[FunctionContext, ast.Call, Arguments], Any]


def _arity(context: FunctionContext, node: ast.Call, args: Arguments, *counts: int) -> None:
    if len(args) not in counts:
        context.fail(
            node,
            f"{ast.unparse(node.func)} takes {' or '.join(map(str, counts))} arguments",
            found=f"{len(args)} in {ast.unparse(node)}",
        )


def _len(context: FunctionContext, node: ast.Call, args: Arguments) -> Any:
    _arity(context, node, args, 1)
    value = args[0]
    if isinstance(value, TupleValue):
        return constexpr(len(value.items))
    if isinstance(value, TensorValue) and value.is_block:
        return constexpr(value.shape[0])
    if isinstance(value, constexpr):
        return _python(len)(context, node, args)
    context.fail(
        node, "this has no length", found=describe(value), accepted=("a tuple", "a block", "a str")
    )


def _python(function: Callable[..., Any]) -> Handler:
    """Return the handler of a function that works on constants only."""

    def run(context: FunctionContext, node: ast.Call, args: Arguments) -> Any:
        for value in args:
            if not static_values.is_static(value):
                context.fail(
                    node,
                    f"{function.__name__} works on compile-time constants",
                    error=UnsupportedError,
                    found=describe(value),
                    accepted=("a compile-time constant",),
                    hint=_CONVERSIONS.get(function),
                )
        try:
            return static_values.enter(function(*map(static_values.leave, args)))
        except (TypeError, ValueError) as error:
            context.fail(node, str(error), found=ast.unparse(node))

    return run


_CONVERSIONS: dict[Any, str] = {
    int: "convert a value of the kernel with x.to(tl.int32)",
    float: "convert a value of the kernel with x.to(tl.float32)",
    bool: "compare with x != 0",
}


def _extremum(function: Callable[..., Any], on_values: Any) -> Handler:
    def run(context: FunctionContext, node: ast.Call, args: Arguments) -> Any:
        members = items(context, node, args[0]) if len(args) == 1 else args
        if all(static_values.is_static(value) for value in members):
            return _python(function)(context, node, members)
        result = members[0]
        for value in members[1:]:
            result = context.emitter.call(on_values, (result, value), {})
        return result

    return run


def _abs(context: FunctionContext, node: ast.Call, args: Arguments) -> Any:
    _arity(context, node, args, 1)
    if static_values.is_static(args[0]):
        return _python(abs)(context, node, args)
    return context.emitter.call(language.abs, args, {})


def _tuple(context: FunctionContext, node: ast.Call, args: Arguments) -> Any:
    _arity(context, node, args, 0, 1)
    return TupleValue(items(context, node, args[0]) if args else ())


def _isinstance(context: FunctionContext, node: ast.Call, args: Arguments) -> Any:
    _arity(context, node, args, 2)
    value, asked = args
    kinds = asked.items if isinstance(asked, TupleValue) else (asked,)
    for kind in kinds:
        if not isinstance(kind, type):
            context.fail(
                node, "isinstance asks for a type", found=describe(kind), accepted=("a type",)
            )
    return constexpr(any(_is_of(value, kind) for kind in kinds))


def _is_of(value: Any, kind: type) -> bool:
    if kind is language.tensor:
        return isinstance(value, TensorValue)
    if kind is language.tensor_descriptor:
        return isinstance(value, DescriptorValue)
    if issubclass(kind, tuple | list):
        return isinstance(value, TupleValue)
    if kind is constexpr:
        return isinstance(value, constexpr)
    return static_values.is_static(value) and isinstance(static_values.leave(value), kind)


def _getattr(context: FunctionContext, node: ast.Call, args: Arguments) -> Any:
    _arity(context, node, args, 2, 3)
    name = _attribute_name(context, node, args[1])
    if len(args) == 3 and not _has(context, node, args[0], name):
        return args[2]
    return read_attribute(context, node, args[0], name)


def _hasattr(context: FunctionContext, node: ast.Call, args: Arguments) -> Any:
    _arity(context, node, args, 2)
    return constexpr(_has(context, node, args[0], _attribute_name(context, node, args[1])))


def _has(context: FunctionContext, node: ast.Call, base: Any, name: str) -> bool:
    try:
        read_attribute(context, node, base, name)
    except CompilationError:
        return False
    return True


def _attribute_name(context: FunctionContext, node: ast.Call, value: Any) -> str:
    name = static_values.leave(value)
    if not isinstance(name, str):
        context.fail(
            node, "the name of an attribute is a string", found=describe(value), accepted=("a str",)
        )
    return name


def _range(context: FunctionContext, node: ast.Call, args: Arguments) -> Any:
    context.fail(
        node,
        "range is what a for loop runs over",
        error=UnsupportedError,
        found=ast.unparse(node),
        accepted=(f"for i in {ast.unparse(node)}:",),
    )


_HANDLERS: dict[Any, Handler] = {
    builtins.len: _len,
    builtins.min: _extremum(min, language.minimum),
    builtins.max: _extremum(max, language.maximum),
    builtins.abs: _abs,
    builtins.int: _python(int),
    builtins.float: _python(float),
    builtins.bool: _python(bool),
    builtins.str: _python(str),
    builtins.tuple: _tuple,
    builtins.list: _tuple,
    builtins.isinstance: _isinstance,
    builtins.getattr: _getattr,
    builtins.hasattr: _hasattr,
    builtins.range: _range,
}

NAMES = frozenset({*(function.__name__ for function in _HANDLERS), "print"})
"""The names of Python's functions that a kernel may call."""


def is_known(callee: Any) -> bool:
    """Tell whether `callee` is one of Python's functions that a kernel may call."""
    return callee is print or (type(callee).__hash__ is not None and callee in _HANDLERS)


def call(
    context: FunctionContext, node: ast.Call, callee: Any, args: Arguments, kwargs: dict[str, Any]
) -> Any:
    """Lower a call of one of Python's functions.

    Raises: UnsupportedError: an argument exists only while the kernel runs, or is given by name.
    """
    if callee is print:
        return static_values.enter(context.emitter.call(language.device_print, args, kwargs))
    if kwargs:
        context.fail(
            node,
            f"{callee.__name__} takes its arguments by position in a kernel",
            error=UnsupportedError,
            found=f"{next(iter(kwargs))}=",
        )
    return _HANDLERS[callee](context, node, args)


def static_assert(
    context: FunctionContext, node: ast.Call, args: Arguments, kwargs: dict[str, Any]
) -> Any:
    """Check a constant while compiling.

    Raises: CompilationError: it is false, or no constant.
    """
    given = dict(zip(("cond", "msg"), args, strict=False)) | kwargs
    condition = given.get("cond")
    if condition is None or not static_values.is_static(condition):
        context.fail(
            node,
            "tl.static_assert checks a compile-time constant",
            found="nothing" if condition is None else describe(condition),
            accepted=("a compile-time constant",),
            hint="tl.device_assert checks while the kernel runs",
        )
    if not static_values.truth(condition):
        message = str(static_values.leave(given.get("msg", constexpr(""))))
        context.fail(
            node,
            f"static assertion failed: {message}" if message else "static assertion failed",
            found=ast.unparse(node.args[0]) if node.args else None,
        )
    return constexpr(None)


def static_print(
    context: FunctionContext, node: ast.Call, args: Arguments, kwargs: dict[str, Any]
) -> Any:
    """Print while compiling: constants by value, values of the kernel by type."""
    options = {name: static_values.leave(value) for name, value in kwargs.items()}
    print(*(_shown(value) for value in args), **options)
    return constexpr(None)


def _shown(value: Any) -> Any:
    return static_values.leave(value) if static_values.is_static(value) else describe(value)
