"""Names, attributes and subscripts.

A name is looked up in the scope of the function, then as a free name of the Python function. Of
global variables a kernel can only read those that cannot change unnoticed between compilations:
functions, modules, types, and `tl.constexpr(...)` values.
"""

from __future__ import annotations

import ast
import builtins
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import cast

from weft.errors import CompilationError, UnsupportedError, did_you_mean, near
from weft.frontend import static_values
from weft.frontend.context import ExpressionTable, FunctionContext
from weft.frontend.host_calls import aggregate_attribute, call_method, class_attribute
from weft.frontend.semantics.aggregates import AggregateValue
from weft.frontend.semantics.values import (
    RuntimeValue,
    TensorValue,
    TupleValue,
    Value,
    describe,
)
from weft.language import Builtin
from weft.language.aggregates import Aggregate
from weft.language.constexpr import ConstexprFunction, constexpr
from weft.language.dtypes import dtype
from weft.language.from_triton import triton_counterpart
from weft.language.host_functions import HostFunction
from weft.language.kernel_function import KernelFunction, is_foreign


def name(context: FunctionContext, node: ast.Name) -> Value:
    """Look up a name."""
    values = context.scope.values
    if node.id in values:
        return values[node.id]
    return _free_name(context, node)


def _free_name(context: FunctionContext, node: ast.Name) -> Value:
    reason = context.scope.unbound.get(node.id)
    if reason is not None:
        context.fail(node, f"{node.id} is not defined: {reason}", found=node.id)
    try:
        value = context.function.resolve(node.id)
    except KeyError:
        names = [*context.scope.values, *context.function.known_names()]
        context.fail(
            node,
            f"{node.id} is not defined",
            found=node.id,
            hint=did_you_mean(node.id, names),
        )
    if not _is_readable(node.id, value):
        context.fail(
            node,
            f"Cannot access global variable {node.id} from within @jit'ed function",
            found=f"{node.id} = {_short_repr(value)} ({type(value).__name__})",
            accepted=("tl.constexpr(...) values", "functions", "modules", "tl types"),
            hint=f"write `{node.id} = tl.constexpr(...)`, or pass it as a tl.constexpr parameter",
        )
    return static_values.from_python(value)


def _short_repr(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


_READABLE = (
    ModuleType,
    FunctionType,
    BuiltinFunctionType,
    KernelFunction,
    Builtin,
    ConstexprFunction,
    HostFunction,
    constexpr,
    dtype,
    type(None),
)


def _is_readable(name: str, value: object) -> bool:
    """Check whether a kernel can read a global variable."""
    if isinstance(value, _READABLE) or is_foreign(value):
        return True
    if isinstance(value, type):
        module = value.__module__
        return (
            hasattr(builtins, name)
            or module.partition(".")[0] in ("triton", "weft")
            or hasattr(value, "_fields")
            or issubclass(value, Aggregate)
        )
    return False


def attribute(context: FunctionContext, node: ast.Attribute) -> Value:
    """Lower `base.name`."""
    return read_attribute(context, node, context.expression(node.value), node.attr)


def read_attribute(context: FunctionContext, node: ast.expr, base: Value, attr: str) -> Value:
    """Return an attribute of a value."""
    if isinstance(base, TupleValue):
        return _tuple_field(context, node, base, attr)
    if isinstance(base, AggregateValue):
        return aggregate_attribute(base, attr)
    if isinstance(base, type) and issubclass(base, Aggregate):
        return class_attribute(base, attr)
    if isinstance(base, RuntimeValue):
        return static_values.from_python(context.emitter.attribute(base, attr))
    if isinstance(base, constexpr):
        if attr == "value":
            return base
        if attr == "type":
            return static_values.from_python(base.type)
        return _object_attribute(context, node, base.value, attr)
    if isinstance(base, ModuleType):
        return _module_attribute(context, node, base, attr)
    return _object_attribute(context, node, base, attr)


def _tuple_field(context: FunctionContext, node: ast.expr, base: TupleValue, attr: str) -> Value:
    fields = base.fields or ()
    if attr == "type" and attr not in fields:
        return static_values.from_python(base.type)
    if attr in fields:
        return base.items[fields.index(attr)]
    if attr == "value":  # of a tuple that is a constant
        return base
    context.fail(
        node, f"tuple has no field {attr}", found=attr, accepted=fields or ("t[0], t[1], …",)
    )


def _module_attribute(
    context: FunctionContext, node: ast.expr, module: ModuleType, attr: str
) -> Value:
    """Return an attribute of a module: of Triton's modules, weft's counterpart has precedence."""
    counterpart = static_values.from_python(module)
    source = counterpart if isinstance(counterpart, ModuleType) else module
    if hasattr(source, attr):
        return static_values.from_python(getattr(source, attr))
    triton_module = triton_counterpart(source) if source is module else module
    if triton_module is not None and hasattr(triton_module, attr):
        return static_values.from_python(getattr(triton_module, attr))
    text = ast.unparse(node)
    prefix = text.removesuffix(attr)
    suggestions = " or ".join(f"{prefix}{other}" for other in near(attr, _public_names(source)))
    context.fail(
        node,
        f"unknown function {text}",
        found=text,
        accepted=(f"a function of {source.__name__}",),
        hint=f"did you mean {suggestions}?" if suggestions else None,
    )


def _public_names(obj: object) -> list[str]:
    return [name for name in dir(obj) if not name.startswith("_")]


def _object_attribute(context: FunctionContext, node: ast.expr, base: object, attr: str) -> Value:
    try:
        return static_values.from_python(getattr(base, attr))
    except AttributeError:
        context.fail(
            node,
            f"{_short_repr(base)} has no attribute {attr}",
            found=attr,
            hint=did_you_mean(attr, _public_names(base)),
        )


def subscript(context: FunctionContext, node: ast.Subscript) -> Value:
    """Lower `base[index]`."""
    base = context.expression(node.value)
    index = context.expression(node.slice)
    if isinstance(base, TensorValue):
        return context.emitter.getitem(base, index)
    if isinstance(base, AggregateValue):
        return call_method(context, node, base, "__getitem__", index)
    if not static_values.is_static(index):
        context.fail(
            node.slice,
            "tuple index must be a compile-time constant",
            error=UnsupportedError,
            found=describe(index),
            accepted=("a compile-time integer", "a slice with constant bounds"),
            hint="loop with tl.static_range to index a tuple",
        )
    if isinstance(base, TupleValue):
        return _tuple_item(context, node, base, static_values.to_python(index))
    if isinstance(base, constexpr):
        try:
            return static_values.from_python(base[static_values.to_python(index)].value)
        except (TypeError, LookupError) as error:
            context.fail(node, f"cannot index the constant: {error}", found=repr(base.value))
    context.fail(
        node,
        f"{describe(base)} is not subscriptable",
        error=UnsupportedError,
        found=ast.unparse(node),
        accepted=("a tensor", "a tuple"),
        hint="a kernel is launched from host code; inside a kernel call it"
        if isinstance(base, KernelFunction)
        else None,
    )


def _tuple_item(
    context: FunctionContext, node: ast.Subscript, base: TupleValue, index: object
) -> Value:
    if isinstance(index, slice):
        return TupleValue(base.items[cast("slice[int | None]", index)])
    if not isinstance(index, int):
        context.fail(
            node.slice,
            "tuple index must be an integer",
            found=repr(index),
            accepted=("a compile-time integer", "a slice with constant bounds"),
        )
    size = len(base.items)
    if not -size <= index < size:
        context.fail(
            node.slice,
            f"tuple index out of range for {size} members",
            error=CompilationError,
            found=f"index {index}",
            accepted=(f"-{size} to {size - 1}",),
        )
    return base.items[index]


EXPRESSIONS: ExpressionTable = {
    ast.Name: name,
    ast.Attribute: attribute,
    ast.Subscript: subscript,
}
