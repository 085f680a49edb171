"""`for` and `while`.

    for i in range(n):              %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) {
        x = x + i          →          %s = arith.addi %a, %i
                                      scf.yield %s
                                    }

A loop carries each name that stands before it, holds a value of the kernel, and is bound again
in the body. The body is lowered once: every name that the body might bind becomes an argument
of it, and one that comes out as it went in is taken back afterwards. Names are carried in the
order in which the function first bound them.

`tl.static_range`, and a tuple, write the body once per member instead.

The variable of a counting loop has no value before the loop binds it and none afterwards, also
where the loop stands inside of another one: the name is taken away for the time being.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from weft.errors import CompilationError, TypeMismatchError, UnsupportedError
from weft.frontend import static_values
from weft.frontend.branches import condition_flag
from weft.frontend.calls import arguments_of
from weft.frontend.context import FunctionContext, StatementTable
from weft.frontend.counting import Counting, counting_of
from weft.frontend.scope import Scope
from weft.frontend.semantics.values import (
    TensorValue,
    TupleValue,
    describe,
    handles_of,
    type_of,
)
from weft.frontend.statements import bind
from weft.frontend.static_values import same, with_handles
from weft.ir import scf
from weft.ir.builtin import Block, BlockArgument, Region, SSAValue
from weft.language import range as counted_range
from weft.language import static_range
from weft.language.constexpr import constexpr


@dataclass(frozen=True, slots=True)
class Carried:
    """Hold the names that a loop may carry and the arguments that stand for them.

    Args: names: in order.  inits: their SSA values before the loop, flattened.
          counts: how many of those each name has.
    """

    names: tuple[str, ...]
    inits: tuple[SSAValue, ...]
    counts: tuple[int, ...]

    def enter(self, outer: Scope, arguments: tuple[BlockArgument, ...]) -> Scope:
        """Return the names inside of the loop, the carried ones over `arguments`."""
        scope, remaining = outer.copy(), iter(arguments)
        for name in self.names:
            value = scope.values[name] = with_handles(outer.values[name], remaining)
            for handle in handles_of(value):
                handle.name_hint = name
        return scope


def for_(context: FunctionContext, node: ast.For) -> None:
    """Lower a `for` statement."""
    _refuse_else(context, node)
    callee, args, kwargs = _iterated(context, node.iter)
    if callee is builtins.range or callee is counted_range:
        count = counting_of(context, node.iter, args, kwargs)
        if callee is builtins.range:
            count = replace(count, attributes={})  # Triton heeds advice only in tl.range
        _counted_loop(context, node, count)
    elif callee is static_range:
        _unroll(context, node, _static_numbers(context, node.iter, args, kwargs))
    elif isinstance(callee, TupleValue):
        _unroll(context, node, callee.items)
    else:
        context.fail(
            node.iter,
            "a kernel cannot loop over this",
            error=UnsupportedError,
            found=describe(callee),
            accepted=("range", "tl.range", "tl.static_range", "a tuple"),
        )


def _iterated(
    context: FunctionContext, node: ast.expr
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """Return what a `for` runs over: a range function with its arguments, or a value."""
    if isinstance(node, ast.Call):
        callee = context.expression(node.func)
        if callee in (builtins.range, counted_range, static_range):
            args, kwargs = arguments_of(context, node)
            return callee, args, kwargs
    return context.expression(node), (), {}


def _refuse_else(context: FunctionContext, node: ast.For | ast.While) -> None:
    if node.orelse:
        context.fail(
            node.orelse[0],
            "a loop of a kernel has no else",
            error=UnsupportedError,
            found="else after a loop",
            hint="there is no break either, so put the statements after the loop",
        )


def _static_numbers(
    context: FunctionContext, node: ast.expr, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[constexpr]:
    numbers = []
    names = ("arg1", "arg2", "step")
    given = [*zip(names, args, strict=False), *kwargs.items()]
    for name, value in given:
        plain = static_values.leave(value) if static_values.is_static(value) else None
        if name not in names or not isinstance(plain, int):
            context.fail(
                node,
                "tl.static_range counts over constants",
                found=f"{name} = {describe(value)}",
                accepted=("compile-time integers: stop; start, stop; start, stop, step",),
                hint="tl.range counts over values of the kernel",
            )
        numbers.append(plain)
    try:
        return [constexpr(number) for number in builtins.range(*numbers)]
    except (TypeError, ValueError) as error:
        context.fail(node, f"no such range: {error}", found=ast.unparse(node))


def _unroll(context: FunctionContext, node: ast.For, members: Any) -> None:
    for member in members:
        bind(context, node.target, member)
        context.statements(node.body)
        if not context.alive:
            return


def _counted_loop(context: FunctionContext, node: ast.For, count: Counting) -> None:
    if not isinstance(node.target, ast.Name):
        context.fail(
            node.target,
            "the variable of a counting loop is one name",
            error=UnsupportedError,
            found=ast.unparse(node.target),
            accepted=("a name",),
        )
    variable = node.target.id
    outer = context.scope
    carried = _carried(context, node)
    start = count.lower.handle
    block = Block(arg_types=[start.type, *(init.type for init in carried.inits)])
    block.args[0].name_hint = variable
    scope = carried.enter(outer, block.args[1:])
    with context.inside(block, scope):
        counter = TensorValue(block.args[0], count.lower.type)
        scope.bind(variable, count.value(context.emitter, counter))
        end, kept = _body(context, node, outer, carried)
    _leave(context, node, outer, end)
    changed = _changed(carried, block.args[1:], kept)
    _take_back(block, 1, carried, changed)
    inits = _chosen(carried.inits, carried, changed)
    op = context.builder.create(
        scf.ForOp,
        [start, count.upper.handle, count.step.handle, *inits],
        [init.type for init in inits],
        attributes=count.attributes,
        regions=[Region(block)],
    )
    _bind_results(outer, carried, changed, op.results)


def while_(context: FunctionContext, node: ast.While) -> None:
    """Lower a `while` statement."""
    _refuse_else(context, node)
    outer = context.scope
    carried = _carried(context, node)
    types = [init.type for init in carried.inits]
    before, after = Block(arg_types=types), Block(arg_types=types)
    with context.inside(before, carried.enter(outer, before.args)):
        condition = context.expression(node.test)
        if static_values.is_static(condition):
            if not static_values.truth(condition):
                return
            _refuse_endless(context, node)
        flag = condition_flag(context, node.test, condition)
        context.builder.create(scf.ConditionOp, [flag, *before.args], [])
    scope = carried.enter(outer, after.args)
    with context.inside(after, scope):
        end, kept = _body(context, node, outer, carried)
    _leave(context, node, outer, end)
    changed = _changed(carried, after.args, kept)
    _take_back(before, 0, carried, changed, keep_operands=1)
    _take_back(after, 0, carried, changed)
    inits = _chosen(carried.inits, carried, changed)
    op = context.builder.create(
        scf.WhileOp, inits, [init.type for init in inits], regions=[Region(before), Region(after)]
    )
    _bind_results(outer, carried, changed, op.results)


def _body(
    context: FunctionContext, node: ast.For | ast.While, outer: Scope, carried: Carried
) -> tuple[Scope, list[SSAValue]]:
    """Lower a loop's body and yield what it carries; return the scope at its end, and the values.

    Raises: as of `_check_types`.
    """
    context.statements(node.body)
    end = context.scope
    _check_types(context, node, outer, end, carried)
    kept = [handle for name in carried.names for handle in handles_of(end.values[name])]
    context.builder.location = context.definition.location(node)
    context.builder.create(scf.YieldOp, kept, [])
    return end, kept


def _refuse_endless(context: FunctionContext, node: ast.While) -> NoReturn:
    context.fail(
        node.test,
        "the condition is a constant that holds, so the loop would not end",
        error=CompilationError,
        found=ast.unparse(node.test),
        accepted=("a condition on values of the kernel",),
        hint="give the variable its first value without the tl.constexpr annotation",
    )


def _carried(context: FunctionContext, node: ast.For | ast.While) -> Carried:
    """Return the names the loop may carry; take away those that loops inside of it count with."""
    for name in context.definition.loop_variables(node):
        context.scope.lose(name, f"it counts the loop at line {context.position(node).line}")
    bound = context.definition.binds(node)
    names, inits, counts = [], [], []
    for name, value in context.scope.values.items():
        handles = handles_of(value)
        if name in bound and handles:
            names.append(name)
            inits.extend(handles)
            counts.append(len(handles))
    return Carried(tuple(names), tuple(inits), tuple(counts))


def _check_types(
    context: FunctionContext, node: ast.stmt, outer: Scope, end: Scope, carried: Carried
) -> None:
    """Check that each name leaves the body with the type it entered with.

    Raises: TypeMismatchError: one does not.  CompilationError: one has no value at the end, or a
            name that held a constant holds something else.
    """
    for name in carried.names:
        before, now = outer.values[name], end.values.get(name)
        if now is None:
            context.fail(
                node,
                f"{name} has a value before the loop and none at the end of its body",
                found=end.lost.get(name, "no value"),
            )
        if static_values.is_static(now) or type_of(now) != type_of(before):
            context.fail(
                node,
                f"{name} changes its type in the loop",
                error=TypeMismatchError,
                found=f"{describe(before)} before the loop, {describe(now)} after its body",
                accepted=("the same type in every iteration",),
                hint=f"start {name} with the type it will have, or convert it with .to(...)",
            )
    for name, before in outer.values.items():
        now = end.values.get(name, before)
        if now is before or name in carried.names or same(now, before):
            continue
        if name in context.definition.binds(node) and static_values.is_static(before):
            context.fail(
                node,
                f"{name} is a constant before the loop and is bound again in it",
                error=TypeMismatchError,
                found=f"{describe(before)} before the loop, {describe(now)} after its body",
                accepted=("a value of the kernel before the loop",),
                hint=f"start {name} with a value of the type it will have",
            )


def _leave(context: FunctionContext, node: ast.stmt, outer: Scope, end: Scope) -> None:
    """Remember why a name that the body binds first has no value after the loop."""
    for name in end.values.keys() - outer.values.keys() - outer.lost.keys():
        line = context.position(node).line
        outer.lost[name] = f"it is bound only inside the loop at line {line}, which may not run"


def _changed(
    carried: Carried, arguments: Sequence[SSAValue], kept: Sequence[SSAValue]
) -> tuple[bool, ...]:
    """Tell for each carried name whether the body, which has `arguments`, keeps other values."""
    flags, first = [], 0
    for count in carried.counts:
        pairs = zip(arguments[first : first + count], kept[first : first + count], strict=True)
        flags.append(any(argument is not value for argument, value in pairs))
        first += count
    return tuple(flags)


def _per_handle(carried: Carried, changed: tuple[bool, ...]) -> list[bool]:
    return [flag for flag, n in zip(changed, carried.counts, strict=True) for _ in range(n)]


def _chosen(
    values: tuple[SSAValue, ...], carried: Carried, changed: tuple[bool, ...]
) -> list[SSAValue]:
    flags = _per_handle(carried, changed)
    return [value for value, flag in zip(values, flags, strict=True) if flag]


def _take_back(
    block: Block, first: int, carried: Carried, changed: tuple[bool, ...], keep_operands: int = 0
) -> None:
    """Replace the arguments that no iteration changes by the values before the loop.

    Args: first: index of the first carried argument.
          keep_operands: operands of the terminator before the carried ones.
    """
    last = block.last_op
    assert last is not None
    flags = _per_handle(carried, changed)
    if all(flags):
        return
    head = list(last.operands[:keep_operands])
    last.operands = [*head, *_chosen(tuple(last.operands[keep_operands:]), carried, changed)]
    arguments = tuple(block.args[first:])
    for argument, init, flag in zip(arguments, carried.inits, flags, strict=True):
        if not flag:
            argument.replace_all_uses_with(init)
            block.erase_arg(argument)


def _bind_results(outer: Scope, carried: Carried, changed: tuple[bool, ...], results: Any) -> None:
    remaining = iter(results)
    for name, flag in zip(carried.names, changed, strict=True):
        if flag:
            outer.bind(name, with_handles(outer.values[name], remaining))


STATEMENTS: StatementTable = {ast.For: for_, ast.While: while_}
