"""Statements without control flow: assignment, expression, return, assert, pass.

An assignment makes a number a run-time value: `x = 3` is the scalar constant 3, which a loop can
add to. `x: tl.constexpr = 3` is a compile-time constant, which can be an extent of a shape.
"""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import NoReturn

from weft.errors import CompilationError, UnsupportedError, WeftError
from weft.frontend.context import FunctionContext, ReturnSite, StatementTable
from weft.frontend.literals import unpack
from weft.frontend.operators import apply_binary
from weft.frontend.semantics.values import BoundMethod, TupleValue, Value, describe
from weft.language import device_assert
from weft.language.constexpr import constexpr


def assign(context: FunctionContext, node: ast.Assign) -> None:
    """Lower `a = value`, `a, b = value` and `a = b = value`."""
    target = node.targets[0]
    name = target.id if len(node.targets) == 1 and isinstance(target, ast.Name) else None
    with context.named(name):
        value = materialize(context, context.expression(node.value))
    for target in node.targets:
        bind(context, target, value)


def augmented_assign(context: FunctionContext, node: ast.AugAssign) -> None:
    """Lower `a += value`."""
    name = _target_name(context, node.target)
    with context.named(name):
        current = context.expression(ast.copy_location(ast.Name(name, ast.Load()), node.target))
        operand = context.expression(node.value)
        value = apply_binary(context, node, node.op, current, operand)
        context.builder.location = context.definition.location(node, name)
        value = materialize(context, value)
    bind(context, node.target, value)


def annotated_assign(context: FunctionContext, node: ast.AnnAssign) -> None:
    """Lower `a: tl.constexpr = value`; other annotations have no effect.

    With a run-time value, the annotation only means that the name is assigned once.
    """
    if node.value is None:
        return
    name = _target_name(context, node.target)
    if not _is_constexpr(node.annotation):
        with context.named(name):
            value = materialize(context, context.expression(node.value))
        bind(context, node.target, value)
        return
    _bind_constexpr(context, node, name, context.expression(node.value))


def _bind_constexpr(context: FunctionContext, node: ast.AnnAssign, name: str, value: Value) -> None:
    scope = context.scope
    # An unrolled loop executes the same statement repeatedly.
    if name in scope.values and scope.constants.get(name) is not node:
        context.fail(
            node,
            f"{name} is already defined. constexpr cannot be reassigned",
            found=f"{name} = {describe(scope.values[name])}",
            hint="choose another name",
        )
    scope.constants[name] = node
    scope.bind(name, value)


def _is_constexpr(annotation: ast.expr) -> bool:
    text = annotation.value if isinstance(annotation, ast.Constant) else ast.unparse(annotation)
    return isinstance(text, str) and text.rpartition(".")[2] == "constexpr"


def materialize(context: FunctionContext, value: Value) -> Value:
    """Convert constant numbers to scalars, also in tuples; return other values unchanged."""
    if isinstance(value, TupleValue):
        members = tuple(materialize(context, member) for member in value.items)
        return TupleValue(members, value.fields)
    if isinstance(value, constexpr) and isinstance(value.value, bool | int | float):
        return context.emitter.to_value(value)
    return value


def bind(context: FunctionContext, target: ast.expr, value: Value) -> None:
    """Bind a name, or the names of a tuple of targets."""
    if isinstance(target, ast.Name):
        context.scope.constants.pop(target.id, None)
        context.scope.bind(target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        _bind_members(context, target, value)
    else:
        _fail_target(context, target)


def _bind_members(context: FunctionContext, target: ast.Tuple | ast.List, value: Value) -> None:
    values = unpack(context, target, value)
    if any(isinstance(element, ast.Starred) for element in target.elts):
        context.fail(
            target,
            "starred assignment target is not supported",
            error=UnsupportedError,
            found=ast.unparse(target),
            hint="index the tuple",
        )
    if len(values) != len(target.elts):
        context.fail(
            target,
            f"cannot unpack {len(values)} values to {len(target.elts)} names",
            error=CompilationError,
            found=ast.unparse(target),
        )
    for element, member in zip(target.elts, values, strict=True):
        bind(context, element, member)


def _target_name(context: FunctionContext, target: ast.expr) -> str:
    if isinstance(target, ast.Name):
        return target.id
    _fail_target(context, target)


def _fail_target(context: FunctionContext, target: ast.expr) -> NoReturn:
    if isinstance(target, ast.Subscript):
        problem = "__setitem__ is not supported"
    elif isinstance(target, ast.Attribute):
        problem = "Attribute assignment is not supported in triton"
    else:
        problem = f"cannot assign to {type(target).__name__}"
    context.fail(
        target,
        problem,
        error=UnsupportedError,
        found=ast.unparse(target),
        accepted=("a name", "a tuple of names"),
        hint="values are immutable: assign a new value to a name, or store to memory with tl.store",
    )


def expression(context: FunctionContext, node: ast.Expr) -> None:
    """Lower an expression statement; skip a docstring."""
    if isinstance(node.value, ast.Constant):
        return
    if isinstance(node.value, ast.Call):
        _check_use_of_result(context, node.value)
    context.expression(node.value)


def _check_use_of_result(context: FunctionContext, node: ast.Call) -> None:
    """Refuse a call whose result is to be used, by `triton.must_use_result`."""
    callee: object = None
    with suppress(WeftError):
        if _is_dotted_name(node.func):
            callee = context.expression(node.func)
    function = callee.function if isinstance(callee, BoundMethod) else callee
    reason = getattr(function, "_must_use_result", False)
    if reason:
        text = f"The result of {ast.unparse(node.func)} is not being used."
        more = f" {reason}" if isinstance(reason, str) else ""
        context.fail(node, text + more, found=ast.unparse(node))


def _is_dotted_name(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def return_(context: FunctionContext, node: ast.Return) -> None:
    """Lower `return`; the rest of the block is not reachable."""
    if context.region_depth:
        context.fail(
            node,
            "Cannot have `return` statements inside `while` or `for` statements in triton",
            error=UnsupportedError,
            found=ast.unparse(node),
            accepted=("return at the top level of the function", "return under an if"),
            hint="mask the work that is not needed, or use a while loop with a flag",
        )
    value = constexpr(None) if node.value is None else context.expression(node.value)
    location = context.builder.location
    context.returns.append(ReturnSite(context.block, value, node, location, is_explicit=True))
    context.is_reachable = False


def assert_(context: FunctionContext, node: ast.Assert) -> None:
    """Lower `assert` to tl.device_assert."""
    condition = context.expression(node.test)
    message = constexpr("") if node.msg is None else context.expression(node.msg)
    context.emitter.call(device_assert, (condition, message), {})


def pass_(context: FunctionContext, node: ast.Pass) -> None:
    """Lower `pass`: no operation."""


STATEMENTS: StatementTable = {
    ast.Assign: assign,
    ast.AugAssign: augmented_assign,
    ast.AnnAssign: annotated_assign,
    ast.Expr: expression,
    ast.Return: return_,
    ast.Assert: assert_,
    ast.Pass: pass_,
}
