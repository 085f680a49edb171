"""`for` and `while` loops.

    for i in range(n):              %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) {
        x = x + i          →          %s = arith.addi %a, %i
                                      scf.yield %s
                                    }

The `iter_args` are the names that the loop carries (`carried_names`).

`tl.static_range`, and a loop over a tuple, unroll the loop at compile time.

The induction variable of a loop has no value before and after the loop, nor in the rest of the body
of an outer loop.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from typing import NoReturn

from msgspec.structs import replace

from weft.errors import CompilationError, UnsupportedError, warn_ignored
from weft.frontend import static_values
from weft.frontend.calls import arguments_of
from weft.frontend.carried_names import (
    CarriedNames,
    bind_results,
    changed_names,
    check_carried_types,
    find_carried_names,
    remove_unchanged,
    select_changed,
)
from weft.frontend.conditionals import condition_flag
from weft.frontend.context import FunctionContext, StatementTable
from weft.frontend.loop_bounds import LoopBounds, loop_bounds
from weft.frontend.scope import Scope
from weft.frontend.semantics.builtins.hints import move_argument_hints
from weft.frontend.semantics.value_locations import location_of_end
from weft.frontend.semantics.values import (
    TensorValue,
    TupleValue,
    Value,
    describe,
    handles_of,
)
from weft.frontend.statements import bind
from weft.frontend.while_condition import while_condition
from weft.ir import scf
from weft.ir.builtin import Block, Region, SSAValue
from weft.language import range as tl_range
from weft.language import static_range
from weft.language.constexpr import constexpr


def for_(context: FunctionContext, node: ast.For) -> None:
    """Lower a `for` statement."""
    _check_no_else(context, node)
    iterator, args, kwargs = _iterator(context, node.iter)
    if iterator is builtins.range or iterator is tl_range:
        bounds = loop_bounds(context, node.iter, args, kwargs)
        if iterator is builtins.range and bounds.attributes:
            warn_ignored(
                "options of range() have no effect: only tl.range() has options",
                context.position(node.iter),
            )
            bounds = replace(bounds, attributes={})
        _counting_loop(context, node, bounds)
    elif iterator is static_range:
        _unroll(context, node, _static_numbers(context, node.iter, args, kwargs))
    elif isinstance(iterator, TupleValue):
        _unroll(context, node, iterator.items)
    else:
        context.fail(
            node.iter,
            "Only `range` and `static_range` iterators are currently supported",
            error=UnsupportedError,
            found=describe(iterator),
            accepted=("range", "tl.range", "tl.static_range", "a tuple"),
        )


def _iterator(
    context: FunctionContext, node: ast.expr
) -> tuple[Value, tuple[Value, ...], dict[str, Value]]:
    """Lower the iterator of a `for`: a range function and its arguments, or a value."""
    if isinstance(node, ast.Call):
        callee = context.expression(node.func)
        if callee in (builtins.range, tl_range, static_range):
            args, kwargs = arguments_of(context, node)
            if callee is builtins.range and len(node.args) == 1 and len(args) == 1:
                args = (_lower_again(context, node.args[0], args[0]),)
            _move_to_bounds(context, node, is_builtin=callee is builtins.range)
            return callee, args, kwargs
    return context.expression(node), (), {}


def _lower_again(context: FunctionContext, node: ast.expr, value: Value) -> Value:
    """Lower the only bound of `range(n)` a second time, as Triton does.

    The first operations are dead unless they have effects. Constants of both share a location.
    """
    if isinstance(node, ast.Name | ast.Constant) or static_values.is_static(value):
        return value
    return context.expression(node)


def _move_to_bounds(context: FunctionContext, node: ast.Call, *, is_builtin: bool) -> None:
    """Set the location of a loop: that of the argument that Triton lowers last.

    Triton lowers keywords after the other arguments, and the only bound of `range(n)` once more.
    """
    last = (*node.args, *node.keywords)[-1:]
    if is_builtin and len(node.args) == 1:
        last = node.args
    for argument in last:
        context.builder.location = context.definition.location(argument)


def _check_no_else(context: FunctionContext, node: ast.For | ast.While) -> None:
    if node.orelse:
        context.fail(
            node.orelse[0],
            "else after a loop is not supported",
            error=UnsupportedError,
            found="else after a loop",
            hint="put the statements after the loop: there is no break either",
        )


def _static_numbers(
    context: FunctionContext, node: ast.expr, args: tuple[Value, ...], kwargs: dict[str, Value]
) -> list[constexpr]:
    numbers: list[int] = []
    names = ("arg1", "arg2", "step")
    for name, value in (*zip(names, args, strict=False), *kwargs.items()):
        number = static_values.to_python(value) if static_values.is_static(value) else None
        if name not in names or not isinstance(number, int):
            context.fail(
                node,
                f"{name} of tl.static_range is not a constexpr integer",
                found=f"{name} = {describe(value)}",
                accepted=("compile-time integers: stop; start, stop; start, stop, step",),
                hint="use tl.range for run-time bounds",
            )
        numbers.append(number)
    try:
        return [constexpr(number) for number in builtins.range(*numbers)]
    except (TypeError, ValueError) as error:
        context.fail(
            node, f"invalid arguments of tl.static_range: {error}", found=ast.unparse(node)
        )


def _unroll(context: FunctionContext, node: ast.For, members: Iterable[Value]) -> None:
    for member in members:
        bind(context, node.target, member)
        context.statements(node.body)
        if not context.is_reachable:
            return


def _counting_loop(context: FunctionContext, node: ast.For, bounds: LoopBounds) -> None:
    if not isinstance(node.target, ast.Name):
        context.fail(
            node.target,
            "the induction variable of a loop must be one name",
            error=UnsupportedError,
            found=ast.unparse(node.target),
            accepted=("a name",),
        )
    variable = node.target.id
    outer = context.scope
    carried = find_carried_names(context, node)
    lower, location = bounds.lower.handle, context.builder.location
    block = Block(arg_types=[lower.type, *(init.type for init in carried.inits)])
    block.args[0].location = location
    start = len(context.locations)
    scope = carried.enter(outer, block.args[1:], context.locations, locate=True)
    with context.inside(block, scope):
        counter = TensorValue(block.args[0], bounds.lower.type)
        induction_variable = bounds.induction_variable(context.emitter, counter)
        scope.bind(variable, induction_variable)
        end, yielded = _body(context, node, outer, carried)
    _unbind_body_names(context, node, outer, end)
    arguments = tuple(block.args[1:])
    changed = changed_names(carried, arguments, yielded)
    removed = carried.inits_of(arguments, changed)
    context.locations.repeat_loop(
        start, block, carried.inits_of(arguments), removed, induction_variable.handle
    )
    if bounds.is_mirrored:
        context.locations.end_mirrored_loop(variable, induction_variable.handle)
    else:
        context.locations.name(variable, [induction_variable.handle])
    remove_unchanged(block, 1, carried, changed)
    inits = select_changed(carried.inits, carried, changed)
    context.builder.location = location
    op = context.builder.create(
        scf.ForOp,
        [lower, bounds.upper.handle, bounds.step.handle, *inits],
        [init.type for init in inits],
        attributes=bounds.attributes,
        regions=[Region(block)],
    )
    move_argument_hints(context.emitter, op, arguments, carried.inits)
    bind_results(context, outer, carried, changed, op.results)


def while_(context: FunctionContext, node: ast.While) -> None:
    """Lower a `while` statement."""
    _check_no_else(context, node)
    outer, location = context.scope, context.builder.location
    carried = find_carried_names(context, node)
    types = [init.type for init in carried.inits]
    before, after = Block(arg_types=types), Block(arg_types=types)
    start = len(context.locations)
    with context.inside(before, carried.enter(outer, before.args, context.locations)):
        condition, attributes = while_condition(context, node.test)
        if static_values.is_static(condition):
            if not static_values.is_true(condition):
                return
            _fail_endless(context, node)
        flag = condition_flag(context, node.test, condition)
        context.builder.location = location_of_end(before, location)
        terminator = context.builder.create(scf.ConditionOp, [flag, *before.args], [])
        context.locations.copy_previous(terminator)
    scope = carried.enter(outer, after.args, context.locations)
    with context.inside(after, scope):
        end, yielded = _body(context, node, outer, carried)
    _unbind_body_names(context, node, outer, end)
    arguments = tuple(after.args)
    changed = changed_names(carried, arguments, yielded)
    removed = carried.inits_of(arguments, changed) | carried.inits_of(before.args, changed)
    context.locations.repeat_loop(start, after, carried.inits_of(arguments), removed)
    remove_unchanged(before, 0, carried, changed, leading_operands=1)
    remove_unchanged(after, 0, carried, changed)
    inits = select_changed(carried.inits, carried, changed)
    context.builder.location = location
    op = context.builder.create(
        scf.WhileOp,
        inits,
        [init.type for init in inits],
        attributes=attributes,
        regions=[Region(before), Region(after)],
    )
    move_argument_hints(context.emitter, op, arguments, carried.inits)
    bind_results(context, outer, carried, changed, op.results)


def _body(
    context: FunctionContext, node: ast.For | ast.While, outer: Scope, carried: CarriedNames
) -> tuple[Scope, list[SSAValue]]:
    """Lower the body of a loop and its terminator.

    Returns:
        The scope at the end of the body, and the yielded values.
    """
    location = context.builder.location
    context.statements(node.body)
    end = context.scope
    check_carried_types(context, node, outer, end, carried)
    yielded = [handle for name in carried.names for handle in handles_of(end.values[name])]
    if not yielded and isinstance(node, ast.For):
        context.builder.location = location
    context.builder.create(scf.YieldOp, yielded, [])
    return end, yielded


def _fail_endless(context: FunctionContext, node: ast.While) -> NoReturn:
    context.fail(
        node.test,
        "the loop does not terminate: its condition is a true compile-time constant",
        error=CompilationError,
        found=ast.unparse(node.test),
        accepted=("a run-time condition",),
        hint="initialize the variable without the tl.constexpr annotation",
    )


def _unbind_body_names(context: FunctionContext, node: ast.stmt, outer: Scope, end: Scope) -> None:
    """Record why names that only the body binds have no value after the loop."""
    for name in end.values.keys() - outer.values.keys() - outer.unbound.keys():
        line = context.position(node).line
        outer.unbound[name] = f"only the body of the loop at line {line} assigns it"


STATEMENTS: StatementTable = {ast.For: for_, ast.While: while_}
