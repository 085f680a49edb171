"""Literals: numbers, strings, None, tuples, lists, slices, f-strings, comprehensions."""

from __future__ import annotations

import ast
from typing import Any

from weft.errors import UnsupportedError
from weft.frontend import static_values
from weft.frontend.context import ExpressionTable, FunctionContext
from weft.frontend.semantics.values import TupleValue, describe
from weft.language.constexpr import constexpr


def constant(context: FunctionContext, node: ast.Constant) -> constexpr:
    """Lower a literal: a value known when compiling; no operation."""
    if isinstance(node.value, bytes | complex):
        context.fail(
            node,
            f"a kernel cannot use a {type(node.value).__name__} literal",
            error=UnsupportedError,
            found=repr(node.value),
            accepted=("int", "float", "bool", "str", "None"),
        )
    return constexpr(node.value)


def sequence(context: FunctionContext, node: ast.Tuple | ast.List) -> TupleValue:
    """Lower a tuple or list display; `*t` spreads a tuple."""
    return TupleValue(tuple(elements(context, node.elts)))


def elements(context: FunctionContext, nodes: list[ast.expr]) -> list[Any]:
    """Lower expressions of which some may be `*tuple`."""
    values: list[Any] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            values.extend(items(context, node, context.expression(node.value)))
        else:
            values.append(context.expression(node))
    return values


def items(context: FunctionContext, node: ast.AST, value: Any) -> tuple[Any, ...]:
    """Return the members of a tuple value.

    Raises: UnsupportedError: the value is no tuple.
    """
    if isinstance(value, TupleValue):
        return value.items
    context.fail(
        node,
        "only a tuple can be taken apart",
        error=UnsupportedError,
        found=describe(value),
        accepted=("a tuple or list of values",),
    )


def slice_(context: FunctionContext, node: ast.Slice) -> constexpr:
    """Lower `a:b:c`; the bounds are constants."""
    bounds: list[Any] = []
    for part in (node.lower, node.upper, node.step):
        value = constexpr(None) if part is None else context.expression(part)
        if not isinstance(value, constexpr):
            context.fail(
                part or node,
                "the bounds of a slice are constants",
                error=UnsupportedError,
                found=describe(value),
                accepted=("a compile-time constant", "nothing, as in x[:, None]"),
            )
        bounds.append(value.value)
    return constexpr(slice(*bounds))


def f_string(context: FunctionContext, node: ast.JoinedStr) -> constexpr:
    """Lower an f-string, whose values are constants."""
    parts: list[str] = []
    for piece in node.values:
        if isinstance(piece, ast.FormattedValue):
            parts.append(_formatted(context, piece))
        else:
            parts.append(str(static_values.leave(context.expression(piece))))
    return constexpr("".join(parts))


_CONVERSIONS = {ord("s"): str, ord("r"): repr, ord("a"): ascii}


def _formatted(context: FunctionContext, node: ast.FormattedValue) -> str:
    value = context.expression(node.value)
    if not static_values.is_static(value):
        context.fail(
            node.value,
            "an f-string of a kernel can only hold constants",
            error=UnsupportedError,
            found=describe(value),
            accepted=("compile-time constants", "types, as in {x.dtype}"),
            hint="tl.device_print prints values while the kernel runs",
        )
    plain = static_values.leave(value)
    if node.conversion in _CONVERSIONS:
        plain = _CONVERSIONS[node.conversion](plain)
    spec = "" if node.format_spec is None else context.expression(node.format_spec).value
    try:
        return format(plain, spec)
    except (TypeError, ValueError) as error:
        context.fail(node.value, f"cannot be formatted: {error}", found=repr(plain))


def comprehension(context: FunctionContext, node: ast.ListComp) -> TupleValue:
    """Lower `[f(x) for x in t]` over a tuple: one copy of the expression per member."""
    if len(node.generators) != 1 or node.generators[0].ifs:
        context.fail(
            node,
            "a list comprehension of a kernel has one `for` and no `if`",
            error=UnsupportedError,
            accepted=("[expression for name in tuple]",),
        )
    generator = node.generators[0]
    if not isinstance(generator.target, ast.Name):
        context.fail(
            generator.target,
            "a list comprehension binds one name",
            error=UnsupportedError,
            found=ast.unparse(generator.target),
            accepted=("a name",),
        )
    outer, values = context.scope, []
    members = items(context, generator.iter, context.expression(generator.iter))
    for member in members:
        context.scope = outer.copy()
        context.scope.bind(generator.target.id, member)
        values.append(context.expression(node.elt))
    context.scope = outer
    return TupleValue(tuple(values))


EXPRESSIONS: ExpressionTable = {
    ast.Constant: constant,
    ast.Tuple: sequence,
    ast.List: sequence,
    ast.Slice: slice_,
    ast.JoinedStr: f_string,
    ast.ListComp: comprehension,
}
