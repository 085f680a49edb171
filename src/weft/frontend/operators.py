"""Operators: evaluated on constants, emitted on run-time values.

BLOCK // 2        both constant: evaluated at compile time
x + 1             a run-time operand: `semantics` promotes, broadcasts and emits
a and b           of run-time values both are evaluated; a constant operand decides at compile time
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from weft.errors import CompilationError, UnsupportedError
from weft.frontend import static_values
from weft.frontend.context import ExpressionTable, FunctionContext
from weft.frontend.host_calls import call_method
from weft.frontend.semantics.aggregates import AggregateValue
from weft.frontend.semantics.values import TupleValue, Value, describe
from weft.language.constexpr import constexpr

_Operation = Callable[..., object]

_BINARY: dict[type[ast.operator], tuple[str, _Operation]] = {
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
# The method of an aggregate that implements an operator.
_METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow",
    "<<": "lshift", ">>": "rshift", "&": "and", "|": "or", "^": "xor", "@": "matmul",
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], tuple[str, _Operation]] = {
    ast.USub: ("-", operator.neg),
    ast.UAdd: ("+", operator.pos),
    ast.Invert: ("~", operator.invert),
}
_COMPARE: dict[type[ast.cmpop], tuple[str, _Operation]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}


def binary(context: FunctionContext, node: ast.BinOp) -> Value:
    """Lower `a op b`."""
    left = context.expression(node.left)
    right = context.expression(node.right)
    return apply_binary(context, node, node.op, left, right)


def apply_binary(
    context: FunctionContext, node: ast.AST, op: ast.operator, left: Value, right: Value
) -> Value:
    """Apply a binary operator to two values."""
    sign, evaluate = _BINARY[type(op)]
    if isinstance(left, AggregateValue) or isinstance(right, AggregateValue):
        return _call_operator(context, node, f"__{_METHODS[sign]}__", left, right)
    if isinstance(left, TupleValue) or isinstance(right, TupleValue):
        return _apply_to_tuples(context, node, sign, left, right)
    if isinstance(left, constexpr) and isinstance(right, constexpr):
        return _evaluate(context, node, sign, evaluate, left, right)
    return context.emitter.binary(sign, left, right)


def _call_operator(
    context: FunctionContext, node: ast.AST, name: str, left: Value, right: Value
) -> Value:
    """Call the method of an aggregate that implements an operator."""
    for receiver, method, argument in (
        (left, name, right),
        (right, f"__r{name.removeprefix('__')}", left),
    ):
        if isinstance(receiver, AggregateValue):
            if hasattr(receiver.cls, method):
                return call_method(context, node, receiver, method, argument)
    context.fail(
        node,
        f"unsupported operand types for {name}: {describe(left)} and {describe(right)}",
        error=UnsupportedError,
        found=f"{describe(left)} and {describe(right)}",
    )


def _apply_to_tuples(
    context: FunctionContext, node: ast.AST, sign: str, left: Value, right: Value
) -> TupleValue:
    if sign == "+" and isinstance(left, TupleValue) and isinstance(right, TupleValue):
        return TupleValue(left.items + right.items)
    if sign == "*" and isinstance(left, TupleValue) and isinstance(right, constexpr):
        return TupleValue(left.items * operator.index(right))
    context.fail(
        node,
        f"unsupported operand types for {sign}: {describe(left)} and {describe(right)}",
        error=UnsupportedError,
        found=f"{describe(left)} {sign} {describe(right)}",
        accepted=("tuple + tuple", "tuple * constant"),
    )


def _evaluate(
    context: FunctionContext, node: ast.AST, sign: str, evaluate: _Operation, *operands: constexpr
) -> Value:
    try:
        return static_values.from_python(evaluate(*(operand.value for operand in operands)))
    except (ArithmeticError, TypeError, ValueError) as error:
        context.fail(
            node,
            f"{sign} failed on constants: {error}",
            error=CompilationError,
            found=f" {sign} ".join(repr(operand.value) for operand in operands),
        )


def unary(context: FunctionContext, node: ast.UnaryOp) -> Value:
    """Lower `-x`, `+x`, `~x` and `not x`."""
    value = context.expression(node.operand)
    if isinstance(node.op, ast.Not):
        if static_values.is_static(value):
            return constexpr(not static_values.is_true(value))
        return context.emitter.logical_not(value)
    sign, evaluate = _UNARY[type(node.op)]
    if isinstance(value, AggregateValue):
        return call_method(context, node, value, f"__{evaluate.__name__}__")
    if isinstance(value, constexpr):
        return _evaluate(context, node, sign, evaluate, value)
    return context.emitter.unary(sign, value)


def compare(context: FunctionContext, node: ast.Compare) -> Value:
    """Lower one comparison, `is`, or `in` on constants."""
    if len(node.ops) > 1:
        context.fail(
            node,
            "simultaneous multiple comparison is not supported",
            error=UnsupportedError,
            found=ast.unparse(node),
            hint="write `a < b and b < c`",
        )
    left = context.expression(node.left)
    right = context.expression(node.comparators[0])
    op = node.ops[0]
    if isinstance(op, ast.Is | ast.IsNot):
        return constexpr(_is_identical(left, right) == isinstance(op, ast.Is))
    if isinstance(op, ast.In | ast.NotIn):
        return constexpr(_contains(context, node, left, right) == isinstance(op, ast.In))
    sign, evaluate = _COMPARE[type(op)]
    if isinstance(left, AggregateValue):
        return call_method(context, node, left, f"__{evaluate.__name__}__", right)
    if static_values.is_static(left) and static_values.is_static(right):
        operands = (
            constexpr(static_values.to_python(left)),
            constexpr(static_values.to_python(right)),
        )
        return _evaluate(context, node, sign, evaluate, *operands)
    return context.emitter.compare(sign, left, right)


def _is_identical(left: Value, right: Value) -> bool:
    """Evaluate `left is right`; equal types are identical."""
    if not (static_values.is_static(left) and static_values.is_static(right)):
        return left is right
    a, b = static_values.to_python(left), static_values.to_python(right)
    return a is b or (type(a) is type(b) and bool(a == b))


def _contains(context: FunctionContext, node: ast.Compare, item: Value, container: Value) -> bool:
    if not (static_values.is_static(item) and static_values.is_static(container)):
        context.fail(
            node,
            "`in` requires compile-time constants",
            error=UnsupportedError,
            found=f"{describe(item)} in {describe(container)}",
            accepted=("constant in tuple of constants",),
        )
    try:
        return operator.contains(
            static_values.to_python(container),  # pyright: ignore[reportArgumentType] - TypeError
            static_values.to_python(item),
        )
    except TypeError as error:
        context.fail(node, f"`in` failed on constants: {error}", found=ast.unparse(node))


def boolean(context: FunctionContext, node: ast.BoolOp) -> Value:
    """Lower `a and b and c`, or the same with `or`.

    A constant operand decides the result or is dropped. The others are combined from the right.
    """
    is_and = isinstance(node.op, ast.And)
    operands: list[Value] = []
    value: Value = None
    for operand in node.values:
        value = context.expression(operand)
        if not static_values.is_static(value):
            operands.append(value)
        elif static_values.is_true(value) != is_and:
            return value
    if not operands:
        return value
    combine = context.emitter.logical_and if is_and else context.emitter.logical_or
    result = operands.pop()
    while operands:
        result = combine(operands.pop(), result)
    return result


EXPRESSIONS: ExpressionTable = {
    ast.BinOp: binary,
    ast.UnaryOp: unary,
    ast.Compare: compare,
    ast.BoolOp: boolean,
}
