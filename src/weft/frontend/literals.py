"""Literals and displays: numbers, strings, tuples, lists, slices, f-strings, comprehensions."""

from __future__ import annotations

import ast

from weft.errors import UnsupportedError
from weft.frontend import static_values
from weft.frontend.context import ExpressionTable, FunctionContext
from weft.frontend.semantics.values import TupleValue, Value, describe
from weft.language.constexpr import constexpr


def constant(context: FunctionContext, node: ast.Constant) -> constexpr:
    """Lower a literal to a compile-time constant."""
    if isinstance(node.value, bytes | complex):
        context.fail(
            node,
            f"unsupported literal of type {type(node.value).__name__}",
            error=UnsupportedError,
            found=repr(node.value),
            accepted=("int", "float", "bool", "str", "None"),
        )
    return constexpr(node.value)


def sequence(context: FunctionContext, node: ast.Tuple | ast.List) -> TupleValue:
    """Lower a tuple or list display; `*t` unpacks a tuple."""
    return TupleValue(tuple(elements(context, node.elts)))


def elements(context: FunctionContext, nodes: list[ast.expr]) -> list[Value]:
    """Lower expressions; `*tuple` is replaced by the members of the tuple."""
    values: list[Value] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            values.extend(unpack(context, node, context.expression(node.value)))
        else:
            values.append(context.expression(node))
    return values


def unpack(context: FunctionContext, node: ast.AST, value: Value) -> tuple[Value, ...]:
    """Return the members of a tuple.

    Raises:
        UnsupportedError: The value is not a tuple.
    """
    if isinstance(value, TupleValue):
        return value.items
    context.fail(
        node,
        f"cannot unpack non-tuple {describe(value)}",
        error=UnsupportedError,
        found=describe(value),
        accepted=("a tuple or list of values",),
    )


def slice_(context: FunctionContext, node: ast.Slice) -> constexpr:
    """Lower `a:b:c` with constant bounds."""
    bounds: list[object] = []
    for part in (node.lower, node.upper, node.step):
        value = constexpr(None) if part is None else context.expression(part)
        if not isinstance(value, constexpr):
            context.fail(
                part or node,
                "slice bounds must be compile-time constants",
                error=UnsupportedError,
                found=describe(value),
                accepted=("a compile-time constant", "no bounds, as in x[:, None]"),
            )
        bounds.append(value.value)
    return constexpr(slice(*bounds))


def f_string(context: FunctionContext, node: ast.JoinedStr) -> constexpr:
    """Lower an f-string with constant values."""
    return constexpr(_f_string_text(context, node))


def _f_string_text(context: FunctionContext, node: ast.JoinedStr) -> str:
    parts: list[str] = []
    for piece in node.values:
        if isinstance(piece, ast.FormattedValue):
            parts.append(_format(context, piece))
        else:
            parts.append(str(static_values.to_python(context.expression(piece))))
    return "".join(parts)


_CONVERSIONS = {ord("s"): str, ord("r"): repr, ord("a"): ascii}


def _format(context: FunctionContext, node: ast.FormattedValue) -> str:
    value = context.expression(node.value)
    if not static_values.is_static(value):
        context.fail(
            node.value,
            "cannot evaluate f-string containing non-constexpr conversion values",
            error=UnsupportedError,
            found=describe(value),
            accepted=("compile-time constants", "types, as in {x.dtype}"),
            hint="tl.device_print prints values at run time",
        )
    plain = static_values.to_python(value)
    if node.conversion in _CONVERSIONS:
        plain = _CONVERSIONS[node.conversion](plain)
    spec = node.format_spec
    assert spec is None or isinstance(spec, ast.JoinedStr)
    try:
        return format(plain, "" if spec is None else _f_string_text(context, spec))
    except (TypeError, ValueError) as error:
        context.fail(node.value, f"cannot format value: {error}", found=repr(plain))


def comprehension(context: FunctionContext, node: ast.ListComp) -> TupleValue:
    """Lower `[f(x) for x in t]` over a tuple: the expression is lowered once per member."""
    if len(node.generators) != 1:
        context.fail(
            node,
            "nested comprehensions are not supported",
            error=UnsupportedError,
            accepted=("[expression for name in tuple]",),
        )
    generator = node.generators[0]
    if generator.ifs:
        context.fail(
            node,
            "a condition in a comprehension is not supported",
            error=UnsupportedError,
            accepted=("[expression for name in tuple]",),
        )
    if not isinstance(generator.target, ast.Name):
        context.fail(
            generator.target,
            "the target of a comprehension must be one name",
            error=UnsupportedError,
            found=ast.unparse(generator.target),
            accepted=("a name",),
        )
    outer = context.scope
    values: list[Value] = []
    members = unpack(context, generator.iter, context.expression(generator.iter))
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
