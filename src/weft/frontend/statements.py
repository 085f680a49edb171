"""Statements without control flow: assignment, expression, return, assert, pass.

An assignment gives a name a value of the kernel: `x = 3` makes the scalar constant 3, which may
be added to in a loop. `x: tl.constexpr = 3` keeps the number itself, which may be a shape.
"""

from __future__ import annotations

import ast
from typing import Any, NoReturn

from weft.errors import CompilationError, UnsupportedError
from weft.frontend.constants import items
from weft.frontend.context import FunctionContext, ReturnSite, StatementTable
from weft.frontend.operators import apply_binary
from weft.frontend.semantics.values import TensorValue, TupleValue, describe
from weft.language import device_assert
from weft.language.constexpr import constexpr

_NUMBERS = (bool, int, float)


def assign(context: FunctionContext, node: ast.Assign) -> None:
    """Lower `a = value`, `a, b = value` and `a = b = value`."""
    target = node.targets[0]
    name = target.id if len(node.targets) == 1 and isinstance(target, ast.Name) else None
    with context.named(name):
        value = context.expression(node.value)
        context.builder.location = context.definition.location(node.value, name)
        value = materialize(context, value)
    for target in node.targets:
        bind(context, target, value)


def augmented(context: FunctionContext, node: ast.AugAssign) -> None:
    """Lower `a += value`."""
    name = _only_name(context, node.target)
    with context.named(name):
        current = context.expression(ast.copy_location(ast.Name(name, ast.Load()), node.target))
        operand = context.expression(node.value)
        context.builder.location = context.definition.location(node, name)
        value = apply_binary(context, node, node.op, current, operand)
        value = materialize(context, value)
    bind(context, node.target, value)


def annotated(context: FunctionContext, node: ast.AnnAssign) -> None:
    """Lower `a: tl.constexpr = value`; another annotation changes nothing.

    A value that is only known when the kernel runs stays one: the annotation then promises
    no more than that the name is given its value once.
    """
    if node.value is None:
        return
    name = _only_name(context, node.target)
    if not _is_constexpr(node.annotation):
        with context.named(name):
            value = materialize(context, context.expression(node.value))
        bind(context, node.target, value)
        return
    with context.named(name):
        value = context.expression(node.value)
    _declare(context, node, name, value)


def _declare(context: FunctionContext, node: ast.AnnAssign, name: str, value: Any) -> None:
    scope = context.scope
    if name in scope.values and scope.constants.get(name) is not node:
        context.fail(
            node,
            f"{name} has a value already, and a tl.constexpr is given one only once",
            found=f"{name} = {describe(scope.values[name])}",
            hint="choose another name",
        )
    scope.constants[name] = node
    scope.bind(name, value)


def _is_constexpr(annotation: ast.expr) -> bool:
    text = annotation.value if isinstance(annotation, ast.Constant) else ast.unparse(annotation)
    return isinstance(text, str) and text.rpartition(".")[2] == "constexpr"


def materialize(context: FunctionContext, value: Any) -> Any:
    """Return a value that lives in the kernel: numbers become scalars; the rest stays."""
    if isinstance(value, TupleValue):
        members = tuple(materialize(context, member) for member in value.items)
        return TupleValue(members, value.fields)
    if isinstance(value, constexpr) and isinstance(value.value, _NUMBERS):
        return context.emitter.to_value(value)
    return value


def bind(context: FunctionContext, target: ast.expr, value: Any) -> None:
    """Bind a name, or the names of a tuple of targets."""
    if isinstance(target, ast.Name):
        context.scope.constants.pop(target.id, None)
        context.scope.bind(target.id, value)
        if isinstance(value, TensorValue) and value.handle.name_hint is None:
            value.handle.name_hint = target.id
    elif isinstance(target, ast.Tuple | ast.List):
        _bind_each(context, target, value)
    else:
        _refuse_target(context, target)


def _bind_each(context: FunctionContext, target: ast.Tuple | ast.List, value: Any) -> None:
    values = items(context, target, value)
    if any(isinstance(element, ast.Starred) for element in target.elts):
        context.fail(
            target,
            "a kernel cannot assign to a starred name",
            error=UnsupportedError,
            found=ast.unparse(target),
            hint="take the members of the tuple by index",
        )
    if len(values) != len(target.elts):
        context.fail(
            target,
            f"{len(target.elts)} names for a tuple of {len(values)}",
            error=CompilationError,
            found=ast.unparse(target),
        )
    for element, member in zip(target.elts, values, strict=True):
        bind(context, element, member)


def _only_name(context: FunctionContext, target: ast.expr) -> str:
    if isinstance(target, ast.Name):
        return target.id
    _refuse_target(context, target)


def _refuse_target(context: FunctionContext, target: ast.expr) -> NoReturn:
    context.fail(
        target,
        f"a kernel cannot assign to {ast.unparse(target)}",
        error=UnsupportedError,
        accepted=("a name", "a tuple of names"),
        hint="values of a kernel do not change: bind a new one, or write memory with tl.store",
    )


def expression(context: FunctionContext, node: ast.Expr) -> None:
    """Lower an expression for what it does; a docstring does nothing."""
    if not isinstance(node.value, ast.Constant):
        context.expression(node.value)


def return_(context: FunctionContext, node: ast.Return) -> None:
    """Lower `return`: what follows in this block is not reached."""
    if context.region_depth:
        context.fail(
            node,
            "a kernel cannot return from inside a loop",
            error=UnsupportedError,
            found=ast.unparse(node),
            accepted=("return at the top level of the function", "return under an if"),
            hint="mask the work that is not wanted, or carry a flag through a while loop",
        )
    value = constexpr(None) if node.value is None else context.expression(node.value)
    context.returns.append(ReturnSite(context.block, value, node, is_written=True))
    context.alive = False


def assert_(context: FunctionContext, node: ast.Assert) -> None:
    """Lower `assert`: checked while the kernel runs, in debug compilation."""
    condition = context.expression(node.test)
    message = constexpr("") if node.msg is None else context.expression(node.msg)
    context.emitter.call(device_assert, (condition, message), {})


def pass_(context: FunctionContext, node: ast.Pass) -> None:
    """Lower `pass`: nothing."""


STATEMENTS: StatementTable = {
    ast.Assign: assign,
    ast.AugAssign: augmented,
    ast.AnnAssign: annotated,
    ast.Expr: expression,
    ast.Return: return_,
    ast.Assert: assert_,
    ast.Pass: pass_,
}
