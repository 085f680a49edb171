"""Calls: of functions of the language, of kernel functions, and of the few of Python's own."""

from __future__ import annotations

import ast
import math
from types import BuiltinFunctionType, MethodType
from typing import Any

from weft.errors import CompilationError, UnsupportedError, WeftError
from weft.frontend import python_functions, static_values
from weft.frontend.constants import elements
from weft.frontend.context import ExpressionTable, FunctionContext
from weft.frontend.functions import call_function
from weft.frontend.semantics.values import BoundMethod, TupleValue, describe
from weft.language import Builtin, static_assert, static_print, static_range
from weft.language import range as counted_range
from weft.language.constexpr import ConstexprFunction, constexpr
from weft.language.dtypes import dtype
from weft.language.kernel_function import KernelFunction

_ACCEPTED = (
    "functions of weft.language",
    "functions decorated with weft.jit",
    "tl.constexpr_function functions on constants",
    *sorted(python_functions.NAMES),
)


def call(context: FunctionContext, node: ast.Call) -> Any:
    """Lower a call."""
    callee = context.expression(node.func)
    args, kwargs = arguments_of(context, node)
    return _call_value(context, node, callee, args, kwargs)


def arguments_of(
    context: FunctionContext, node: ast.Call
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a call: by position, `*tuple` spread, and by name.

    Those by name are lowered first, as Triton does: the order of operations is part of TTIR.
    """
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            context.fail(
                keyword,
                "a call in a kernel cannot spread a dict",
                error=UnsupportedError,
                found=ast.unparse(keyword),
                accepted=("arguments by position", "name=value", "*tuple"),
            )
        kwargs[keyword.arg] = context.expression(keyword.value)
    return tuple(elements(context, node.args)), kwargs


def _call_value(
    context: FunctionContext,
    node: ast.Call,
    callee: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    if isinstance(callee, constexpr):
        callee = callee.value
    if isinstance(callee, BoundMethod):
        callee, args = callee.function, (callee.receiver, *args)
    if isinstance(callee, KernelFunction):
        return call_function(context.session, callee, args, kwargs)
    if isinstance(callee, Builtin):
        return _call_builtin(context, node, callee, args, kwargs)
    if isinstance(callee, ConstexprFunction):
        return _evaluate(context, node, callee.fn, args, kwargs)
    if python_functions.is_known(callee):
        return python_functions.call(context, node, callee, args, kwargs)
    if isinstance(callee, type) and issubclass(callee, tuple) and hasattr(callee, "_fields"):
        return _named_tuple(context, node, callee, args, kwargs)
    if isinstance(callee, type) and callee.__module__.startswith("weft.language"):
        return _language_class(context, node, callee, args, kwargs)
    if _runs_when_compiling(callee):
        return _evaluate(context, node, callee, args, kwargs)
    _refuse(context, node, callee)


def _call_builtin(
    context: FunctionContext,
    node: ast.Call,
    callee: Builtin,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    if callee is static_assert:
        return python_functions.static_assert(context, node, args, kwargs)
    if callee is static_print:
        return python_functions.static_print(context, node, args, kwargs)
    if callee is counted_range or callee is static_range:
        context.fail(
            node,
            f"{callee} is what a for loop runs over",
            found=ast.unparse(node),
            accepted=(f"for i in {ast.unparse(node)}:",),
        )
    return static_values.enter(context.emitter.call(callee, args, kwargs))


def _named_tuple(
    context: FunctionContext,
    node: ast.Call,
    callee: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> TupleValue:
    try:
        return TupleValue(tuple(callee(*args, **kwargs)), callee._fields)
    except TypeError as error:
        context.fail(node, str(error), found=ast.unparse(node), accepted=callee._fields)


def _language_class(
    context: FunctionContext,
    node: ast.Call,
    callee: type,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    if callee is constexpr or issubclass(callee, tuple):
        if len(args) == 1 and not kwargs:
            return args[0]
        context.fail(node, f"tl.{callee.__name__} takes one argument", found=ast.unparse(node))
    return _evaluate(context, node, callee, args, kwargs)


def _runs_when_compiling(callee: Any) -> bool:
    """Tell whether a function of Python's own may run on constants: `math.sqrt`, `str.upper`."""
    if isinstance(callee, BuiltinFunctionType):
        owner = callee.__self__
        return owner is math or isinstance(owner, str | int | float | tuple | dict)
    return isinstance(callee, MethodType) and isinstance(callee.__self__, dtype | constexpr)


def _evaluate(
    context: FunctionContext,
    node: ast.Call,
    callee: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Run a Python function on constants.

    Raises: UnsupportedError: an argument is no constant.  CompilationError: the function raises.
    """
    for value in (*args, *kwargs.values()):
        if not static_values.is_static(value):
            context.fail(
                node,
                f"{ast.unparse(node.func)} runs when compiling, so its arguments are constants",
                error=UnsupportedError,
                found=describe(value),
                accepted=("compile-time constants",),
            )
    plain = [static_values.leave(value) for value in args]
    named = {name: static_values.leave(value) for name, value in kwargs.items()}
    try:
        return static_values.enter(callee(*plain, **named))
    except WeftError:
        raise
    except Exception as error:
        raise CompilationError(
            f"{ast.unparse(node.func)} fails when compiling: {type(error).__name__}: {error}",
            location=context.position(node),
            found=ast.unparse(node),
        ) from error


def _refuse(context: FunctionContext, node: ast.Call, callee: Any) -> None:
    spelled = ast.unparse(node.func)
    if isinstance(callee, dtype):
        context.fail(
            node,
            f"{spelled} is a type and cannot be called",
            error=UnsupportedError,
            found=ast.unparse(node),
            hint=f"convert with x.to({spelled})",
        )
    module = getattr(callee, "__module__", None) or type(callee).__module__
    name = getattr(callee, "__qualname__", None) or type(callee).__name__
    context.fail(
        node,
        f"a kernel cannot call {spelled}",
        error=UnsupportedError,
        found=f"{module}.{name}" if module != "builtins" else name,
        accepted=_ACCEPTED,
        hint=_hint(callee, str(module)),
    )


def _hint(callee: Any, module: str) -> str:
    if module.partition(".")[0] in ("numpy", "torch", "jax"):
        name = getattr(callee, "__name__", "")
        return f"arrays are host data; weft.language works on blocks, see tl.{name or 'load'}"
    return "decorate it with weft.jit, or with tl.constexpr_function if it works on constants"


EXPRESSIONS: ExpressionTable = {ast.Call: call}
