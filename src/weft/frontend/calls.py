"""Calls of builtins, kernel functions, compile-time functions and Python's built-in functions."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import NoReturn

from weft.errors import CompilationError, ErrorForm, UnsupportedError, WeftError
from weft.frontend import python_builtins, static_values
from weft.frontend.context import ExpressionTable, FunctionContext
from weft.frontend.functions import call_function
from weft.frontend.host_calls import aggregate_attribute, call_host_function, construct, to_host
from weft.frontend.literals import elements
from weft.frontend.semantics.aggregates import AggregateValue
from weft.frontend.semantics.values import BoundMethod, TupleValue, Value, describe
from weft.language import Builtin, static_assert, static_print, static_range
from weft.language import condition as tl_condition
from weft.language import range as tl_range
from weft.language.aggregates import Aggregate
from weft.language.constexpr import ConstexprFunction, constexpr
from weft.language.dtypes import dtype
from weft.language.host_functions import HostFunction, is_builtin
from weft.language.kernel_function import KernelFunction

_LANGUAGES = ("weft.language", "weft.gluon")
_ACCEPTED = (
    "functions of weft.language",
    "functions decorated with weft.jit",
    "tl.constexpr_function functions on constants",
    *sorted(python_builtins.NAMES),
)


def call(context: FunctionContext, node: ast.Call) -> Value:
    """Lower a call."""
    callee = context.expression(node.func)
    args, kwargs = arguments_of(context, node)
    return _call_value(context, node, callee, args, kwargs)


def arguments_of(
    context: FunctionContext, node: ast.Call
) -> tuple[tuple[Value, ...], dict[str, Value]]:
    """Lower the arguments of a call: positional ones, with `*tuple` unpacked, and keyword ones.

    Keyword arguments are lowered first, as in Triton: the order of operations is part of TTIR.
    """
    kwargs: dict[str, Value] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            context.fail(
                keyword,
                "argument unpacking with ** is not supported",
                error=UnsupportedError,
                found=ast.unparse(keyword),
                accepted=("positional arguments", "name=value", "*tuple"),
            )
        kwargs[keyword.arg] = context.expression(keyword.value)
        location = context.definition.location(keyword, context.result_name)
        context.builder.location = location
    return tuple(elements(context, node.args)), kwargs


def _call_value(
    context: FunctionContext,
    node: ast.Call,
    callee: Value,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
) -> Value:
    if isinstance(callee, constexpr):
        callee = callee.value
    if isinstance(callee, AggregateValue):
        callee = aggregate_attribute(callee, "__call__")
    if isinstance(callee, BoundMethod):
        callee, args = callee.function, (callee.receiver, *args)
    if isinstance(callee, HostFunction):
        return call_host_function(context, node, callee, args, kwargs)
    if isinstance(callee, type) and issubclass(callee, Aggregate):
        return construct(context, node, callee, args, kwargs)
    if isinstance(callee, KernelFunction):
        return _call_kernel_function(context, node, callee, args, kwargs)
    if isinstance(callee, Builtin):
        return _call_builtin(context, node, callee, args, kwargs)
    if isinstance(callee, ConstexprFunction):
        return _evaluate(context, node, callee.fn, args, kwargs)
    if python_builtins.is_supported(callee):
        return python_builtins.call(context, node, callee, args, kwargs)
    if isinstance(callee, type) and issubclass(callee, tuple) and hasattr(callee, "_fields"):
        return _named_tuple(context, node, callee, args, kwargs)
    if isinstance(callee, type) and callee.__module__.startswith(_LANGUAGES):
        return _language_class(context, node, callee, args, kwargs)
    if _is_compile_time_function(callee) and callable(callee):
        return _evaluate(context, node, callee, args, kwargs)
    if isinstance(callee, FunctionType) and _is_host_function(callee):
        return call_host_function(context, node, callee, args, kwargs)
    _fail_unsupported(context, node, callee)


def _call_kernel_function(
    context: FunctionContext,
    node: ast.Call,
    callee: KernelFunction,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
) -> Value:
    """Call a kernel function; an error inside of it names this call."""
    try:
        return call_function(context.session, callee, args, kwargs)
    except WeftError as error:
        if error.location is None:  # it is about the call itself
            raise
        if not ErrorForm.is_triton:
            error.callers.append(context.position(node))
            raise
        outer = CompilationError(error.message)
        context.locate(outer, node)
        raise outer from error


def _call_builtin(
    context: FunctionContext,
    node: ast.Call,
    callee: Builtin,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
) -> Value:
    if callee is static_assert:
        return python_builtins.static_assert(context, node, args, kwargs)
    if callee is static_print:
        return python_builtins.static_print(context, node, args, kwargs)
    if callee is tl_range or callee is static_range:
        context.fail(
            node,
            f"{callee} can only be the iterator of a for loop",
            found=ast.unparse(node),
            accepted=(f"for i in {ast.unparse(node)}:",),
        )
    if callee is tl_condition:
        context.fail(
            node,
            f"{callee} can only be the condition of a while loop",
            found=ast.unparse(node),
            accepted=(f"while {ast.unparse(node)}:",),
        )
    return static_values.from_python(context.emitter.call(callee, args, kwargs))


def _named_tuple(
    context: FunctionContext,
    node: ast.Call,
    callee: Callable[..., Iterable[Value]],
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
) -> TupleValue:
    fields: tuple[str, ...] = getattr(callee, "_fields", ())
    try:
        return TupleValue(tuple(callee(*args, **kwargs)), fields)
    except TypeError as error:
        context.fail(node, str(error), found=ast.unparse(node), accepted=fields)


def _language_class(
    context: FunctionContext,
    node: ast.Call,
    callee: type,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
) -> Value:
    if callee is constexpr or issubclass(callee, tuple):
        if len(args) == 1 and not kwargs:
            return args[0]
        context.fail(node, f"tl.{callee.__name__} requires one argument", found=ast.unparse(node))
    return _evaluate(context, node, callee, args, kwargs)


def _is_compile_time_function(callee: Value) -> bool:
    """Check whether Python can evaluate a function on constants: `math.sqrt`, `str.upper`.

    A method of a Python object is such a function: the object is a constant of the kernel.
    """
    if isinstance(callee, BuiltinFunctionType):
        owner = callee.__self__
        return owner is math or isinstance(owner, str | int | float | tuple | dict)
    return isinstance(callee, MethodType)


def _is_host_function(callee: FunctionType) -> bool:
    """Check whether a Python function works on the values of a kernel.

    It is one of the language, such as `tl.core._unwrap_if_constexpr`, or has the mark of
    `tl.core.builtin`, which programs set on their functions, too.
    """
    return callee.__module__.startswith(_LANGUAGES) or is_builtin(callee)


def _evaluate(
    context: FunctionContext,
    node: ast.Call,
    callee: Callable[..., object],
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
) -> Value:
    """Evaluate a Python function on constants.

    Raises:
        UnsupportedError: An argument is not a constant.
        CompilationError: The function raises an exception.
    """
    for value in (*args, *kwargs.values()):
        if not static_values.is_known(value):
            context.fail(
                node,
                f"{ast.unparse(node.func)} runs at compile time and requires constant arguments",
                error=UnsupportedError,
                found=describe(value),
                accepted=("compile-time constants",),
            )
    positional = [_python_argument(value) for value in args]
    keyword = {name: _python_argument(value) for name, value in kwargs.items()}
    try:
        return static_values.from_python(callee(*positional, **keyword))
    except WeftError:
        raise
    except Exception as error:
        raise CompilationError(
            f"{ast.unparse(node.func)} raised {type(error).__name__}: {error}",
            location=context.position(node),
            found=ast.unparse(node),
        ) from error


def _python_argument(value: Value) -> object:
    return to_host(value) if isinstance(value, AggregateValue) else static_values.to_python(value)


def _fail_unsupported(context: FunctionContext, node: ast.Call, callee: Value) -> NoReturn:
    name_in_source = ast.unparse(node.func)
    if isinstance(callee, dtype):
        context.fail(
            node,
            f"type {name_in_source} is not callable",
            error=UnsupportedError,
            found=ast.unparse(node),
            hint=f"convert with x.to({name_in_source})",
        )
    module = getattr(callee, "__module__", None) or type(callee).__module__
    name = getattr(callee, "__qualname__", None) or type(callee).__name__
    context.fail(
        node,
        f"Unsupported function referenced: {name_in_source}",
        error=UnsupportedError,
        found=f"{module}.{name}" if module != "builtins" else name,
        accepted=_ACCEPTED,
        hint=_hint(callee, str(module)),
    )


def _hint(callee: Value, module: str) -> str:
    if module.partition(".")[0] in ("numpy", "torch", "jax"):
        name = getattr(callee, "__name__", "")
        return f"arrays are host data; weft.language works on blocks, see tl.{name or 'load'}"
    return "decorate it with weft.jit, or with tl.constexpr_function if it works on constants"


EXPRESSIONS: ExpressionTable = {ast.Call: call}
