"""Names, attributes and subscripts: what they stand for, without running anything.

A name is looked up in the function's scope, then as Python would look up a free name of the
function. Of the module's own variables only those may be read that cannot change between two
compilations unseen: functions, modules, types, and values made by `tl.constexpr(...)`.
"""

from __future__ import annotations

import ast
import builtins
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from weft.errors import CompilationError, UnsupportedError, did_you_mean, near
from weft.frontend import static_values
from weft.frontend.context import ExpressionTable, FunctionContext
from weft.frontend.semantics.values import DescriptorValue, TensorValue, TupleValue, describe
from weft.language import Builtin
from weft.language.constexpr import ConstexprFunction, constexpr
from weft.language.dtypes import dtype
from weft.language.from_triton import triton_counterpart
from weft.language.kernel_function import KernelFunction, is_foreign


def name(context: FunctionContext, node: ast.Name) -> Any:
    """Return the value of a name."""
    values = context.scope.values
    if node.id in values:
        return values[node.id]
    return _free_name(context, node)


def _free_name(context: FunctionContext, node: ast.Name) -> Any:
    reason = context.scope.lost.get(node.id)
    if reason is not None:
        context.fail(node, f"{node.id} has no value here: {reason}", found=node.id)
    try:
        value = context.function.resolve(node.id)
    except KeyError:
        known = [*context.scope.values, *context.function.known_names()]
        context.fail(
            node,
            f"{node.id} is not defined",
            found=node.id,
            hint=did_you_mean(node.id, known),
        )
    if not _may_be_read(node.id, value):
        context.fail(
            node,
            f"a kernel cannot read the global variable {node.id}",
            found=f"{node.id} = {_short(value)} ({type(value).__name__})",
            accepted=("tl.constexpr(...) values", "functions", "modules", "tl types"),
            hint=f"write `{node.id} = tl.constexpr(...)`, or pass it as a tl.constexpr parameter",
        )
    return static_values.enter(value)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


_READABLE = (
    ModuleType,
    FunctionType,
    BuiltinFunctionType,
    KernelFunction,
    Builtin,
    ConstexprFunction,
    constexpr,
    dtype,
    type(None),
)


def _may_be_read(name: str, value: Any) -> bool:
    if isinstance(value, _READABLE) or is_foreign(value):
        return True
    if isinstance(value, type):
        module = value.__module__
        return (
            hasattr(builtins, name)
            or module.partition(".")[0] in ("triton", "weft")
            or hasattr(value, "_fields")
        )
    return False


def attribute(context: FunctionContext, node: ast.Attribute) -> Any:
    """Return the value of `base.name`."""
    return read_attribute(context, node, context.expression(node.value), node.attr)


def read_attribute(context: FunctionContext, node: ast.expr, base: Any, attr: str) -> Any:
    """Return an attribute of a value that is known already."""
    if isinstance(base, TensorValue | DescriptorValue):
        return static_values.enter(context.emitter.attribute(base, attr))
    if isinstance(base, TupleValue):
        return _field(context, node, base, attr)
    if isinstance(base, constexpr):
        if attr == "value":
            return base
        return _of_object(context, node, base.value, attr)
    if isinstance(base, ModuleType):
        return _of_module(context, node, base, attr)
    return _of_object(context, node, base, attr)


def _field(context: FunctionContext, node: ast.expr, base: TupleValue, attr: str) -> Any:
    fields = base.fields or ()
    if attr in fields:
        return base.items[fields.index(attr)]
    context.fail(
        node, f"the tuple has no field {attr}", found=attr, accepted=fields or ("t[0], t[1], …",)
    )


def _of_module(context: FunctionContext, node: ast.expr, module: ModuleType, attr: str) -> Any:
    ours = static_values.enter(module)
    source = ours if isinstance(ours, ModuleType) else module
    if hasattr(source, attr):
        return static_values.enter(getattr(source, attr))
    theirs = triton_counterpart(source) if source is module else module
    if theirs is not None and hasattr(theirs, attr):
        return static_values.enter(getattr(theirs, attr))
    spelled = ast.unparse(node)
    prefix = spelled.removesuffix(attr)
    suggestions = " or ".join(f"{prefix}{known}" for known in near(attr, _public(source)))
    context.fail(
        node,
        f"unknown function {spelled}",
        found=spelled,
        accepted=(f"a function of {source.__name__}",),
        hint=f"did you mean {suggestions}?" if suggestions else None,
    )


def _public(module: ModuleType) -> list[str]:
    return [name for name in dir(module) if not name.startswith("_")]


def _of_object(context: FunctionContext, node: ast.expr, base: Any, attr: str) -> Any:
    try:
        return static_values.enter(getattr(base, attr))
    except AttributeError:
        names = [known for known in dir(base) if not known.startswith("_")]
        context.fail(
            node,
            f"{_short(base)} has no attribute {attr}",
            found=attr,
            hint=did_you_mean(attr, names),
        )


def subscript(context: FunctionContext, node: ast.Subscript) -> Any:
    """Return the value of `base[index]`."""
    base = context.expression(node.value)
    index = context.expression(node.slice)
    if isinstance(base, TensorValue):
        return context.emitter.getitem(base, index)
    if not static_values.is_static(index):
        context.fail(
            node.slice,
            "a tuple is indexed by a constant",
            error=UnsupportedError,
            found=describe(index),
            accepted=("a compile-time integer", "a slice of such"),
            hint="loop with tl.static_range to index a tuple",
        )
    if isinstance(base, TupleValue):
        return _item(context, node, base, static_values.leave(index))
    if isinstance(base, constexpr):
        try:
            return static_values.enter(base.value[static_values.leave(index)])  # type: ignore[index]
        except (TypeError, LookupError) as error:
            context.fail(
                node, f"the constant cannot be indexed so: {error}", found=repr(base.value)
            )
    context.fail(
        node,
        f"{describe(base)} cannot be indexed",
        error=UnsupportedError,
        found=ast.unparse(node),
        accepted=("a tensor", "a tuple"),
        hint="a kernel is launched from host code; inside a kernel call it"
        if isinstance(base, KernelFunction)
        else None,
    )


def _item(context: FunctionContext, node: ast.Subscript, base: TupleValue, index: Any) -> Any:
    if isinstance(index, slice):
        return TupleValue(base.items[index])
    if not isinstance(index, int):
        context.fail(
            node.slice,
            "a tuple is indexed by an integer",
            found=repr(index),
            accepted=("a compile-time integer", "a slice of such"),
        )
    if not -len(base.items) <= index < len(base.items):
        context.fail(
            node.slice,
            f"the tuple has {len(base.items)} members",
            error=CompilationError,
            found=f"index {index}",
            accepted=(f"-{len(base.items)} to {len(base.items) - 1}",),
        )
    return base.items[index]


EXPRESSIONS: ExpressionTable = {
    ast.Name: name,
    ast.Attribute: attribute,
    ast.Subscript: subscript,
}
