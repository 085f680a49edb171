"""Operators: folded on constants, emitted on values.

BLOCK // 2        both constant: Python computes it, no operation
x + 1             one value of the kernel: `semantics` converts, broadcasts, emits
a and b           on values both sides are computed (no short cut), then joined;
                  a constant side decides when compiling, as in Python
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from weft.errors import CompilationError, UnsupportedError
from weft.frontend import static_values
from weft.frontend.context import ExpressionTable, FunctionContext
from weft.frontend.semantics.values import TupleValue, describe
from weft.language.constexpr import constexpr

_BINARY: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
    ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
    ast.MatMult: ("@", operator.matmul),
}
_UNARY: dict[type[ast.unaryop], tuple[str, Callable[[Any], Any]]] = {
    ast.USub: ("-", operator.neg),
    ast.UAdd: ("+", operator.pos),
    ast.Invert: ("~", operator.invert),
}
_COMPARE: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}


def binary(context: FunctionContext, node: ast.BinOp) -> Any:
    """Lower `a op b`."""
    left = context.expression(node.left)
    right = context.expression(node.right)
    return apply_binary(context, node, node.op, left, right)


def apply_binary(
    context: FunctionContext, node: ast.AST, op: ast.operator, left: Any, right: Any
) -> Any:
    """Lower a binary operator on values that are known already."""
    sign, fold = _BINARY[type(op)]
    if isinstance(left, TupleValue) or isinstance(right, TupleValue):
        return _on_tuples(context, node, sign, left, right)
    if isinstance(left, constexpr) and isinstance(right, constexpr):
        return _fold(context, node, sign, fold, left, right)
    return context.emitter.binary(sign, left, right)


def _on_tuples(context: FunctionContext, node: ast.AST, sign: str, left: Any, right: Any) -> Any:
    if sign == "+" and isinstance(left, TupleValue) and isinstance(right, TupleValue):
        return TupleValue(left.items + right.items)
    if sign == "*" and isinstance(left, TupleValue) and isinstance(right, constexpr):
        return TupleValue(left.items * operator.index(right.value))  # type: ignore[arg-type]
    context.fail(
        node,
        f"{sign} does not work on these operands",
        error=UnsupportedError,
        found=f"{describe(left)} {sign} {describe(right)}",
        accepted=("tuple + tuple", "tuple * constant"),
    )


def _fold(
    context: FunctionContext,
    node: ast.AST,
    sign: str,
    fold: Callable[..., Any],
    *operands: constexpr,
) -> Any:
    try:
        return static_values.enter(fold(*(operand.value for operand in operands)))
    except (ArithmeticError, TypeError, ValueError) as error:
        context.fail(
            node,
            f"{sign} fails on these constants: {error}",
            error=CompilationError,
            found=f" {sign} ".join(repr(operand.value) for operand in operands),
        )


def unary(context: FunctionContext, node: ast.UnaryOp) -> Any:
    """Lower `-x`, `+x`, `~x` and `not x`."""
    value = context.expression(node.operand)
    if isinstance(node.op, ast.Not):
        if static_values.is_static(value):
            return constexpr(not static_values.truth(value))
        return context.emitter.logical_not(value)
    sign, fold = _UNARY[type(node.op)]
    if isinstance(value, constexpr):
        return _fold(context, node, sign, fold, value)
    return context.emitter.unary(sign, value)


def compare(context: FunctionContext, node: ast.Compare) -> Any:
    """Lower one comparison, `is`, or `in` on constants."""
    if len(node.ops) > 1:
        context.fail(
            node,
            "a comparison of a kernel has one operator",
            error=UnsupportedError,
            found=ast.unparse(node),
            hint="write `a < b and b < c`",
        )
    left = context.expression(node.left)
    right = context.expression(node.comparators[0])
    op = node.ops[0]
    if isinstance(op, ast.Is | ast.IsNot):
        return constexpr(_same(left, right) == isinstance(op, ast.Is))
    if isinstance(op, ast.In | ast.NotIn):
        return _contains(context, node, left, right, isinstance(op, ast.In))
    sign, fold = _COMPARE[type(op)]
    if static_values.is_static(left) and static_values.is_static(right):
        operands = constexpr(static_values.leave(left)), constexpr(static_values.leave(right))
        return _fold(context, node, sign, fold, *operands)
    return context.emitter.compare(sign, left, right)


def _same(left: Any, right: Any) -> bool:
    """Tell whether two values are one object, as `is` asks; equal types are one."""
    if not (static_values.is_static(left) and static_values.is_static(right)):
        return left is right
    a, b = static_values.leave(left), static_values.leave(right)
    return a is b or (type(a) is type(b) and bool(a == b))


def _contains(
    context: FunctionContext, node: ast.Compare, left: Any, right: Any, wanted: bool
) -> constexpr:
    if not (static_values.is_static(left) and static_values.is_static(right)):
        context.fail(
            node,
            "`in` is answered when compiling, so both sides are constants",
            error=UnsupportedError,
            found=f"{describe(left)} in {describe(right)}",
            accepted=("constant in tuple of constants",),
        )
    try:
        return constexpr((static_values.leave(left) in static_values.leave(right)) == wanted)
    except TypeError as error:
        context.fail(node, f"`in` fails on these constants: {error}", found=ast.unparse(node))


def boolean(context: FunctionContext, node: ast.BoolOp) -> Any:
    """Lower `a and b and c`, or the same with `or`.

    A constant decides at once or drops out; what remains is joined from the right.
    """
    is_and = isinstance(node.op, ast.And)
    remaining: list[Any] = []
    value: Any = None
    for operand in node.values:
        value = context.expression(operand)
        if not static_values.is_static(value):
            remaining.append(value)
        elif static_values.truth(value) != is_and:
            return value
    if not remaining:
        return value
    join = context.emitter.logical_and if is_and else context.emitter.logical_or
    joined = remaining.pop()
    while remaining:
        joined = join(remaining.pop(), joined)
    return joined


EXPRESSIONS: ExpressionTable = {
    ast.BinOp: binary,
    ast.UnaryOp: unary,
    ast.Compare: compare,
    ast.BoolOp: boolean,
}
