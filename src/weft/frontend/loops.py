"""`for` and `while` loops.

    for i in range(n):              %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) {
        x = x + i          →          %s = arith.addi %a, %i
                                      scf.yield %s
                                    }

The `iter_args` are the names that have a run-time value before the loop and that the body rebinds,
in the order of their first binding in the function. The body is lowered once: every name that it
may bind becomes a block argument, and arguments that the body yields unchanged are removed again.

`tl.static_range`, and a loop over a tuple, unroll the loop at compile time.

The induction variable of a loop has no value before and after the loop, nor in the rest of the body
of an outer loop.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Sequence
from typing import NoReturn

from msgspec import Struct
from msgspec.structs import replace

from weft.errors import CompilationError, TypeMismatchError, UnsupportedError, warn_ignored
from weft.frontend import static_values
from weft.frontend.calls import arguments_of
from weft.frontend.conditionals import condition_flag
from weft.frontend.context import FunctionContext, StatementTable
from weft.frontend.loop_bounds import LoopBounds, loop_bounds
from weft.frontend.scope import Scope
from weft.frontend.semantics.builtins.hints import move_argument_hints
from weft.frontend.semantics.value_locations import location_of_end, name_locations
from weft.frontend.semantics.values import (
    TensorValue,
    TupleValue,
    Value,
    describe,
    handles_of,
    type_of,
)
from weft.frontend.statements import bind
from weft.frontend.static_values import is_same, with_handles
from weft.frontend.while_condition import while_condition
from weft.ir import locations, scf
from weft.ir.builtin import Block, BlockArgument, Region, SSAValue
from weft.ir.rewriting import locate_loop_arguments
from weft.language import range as tl_range
from weft.language import static_range
from weft.language.constexpr import constexpr


class CarriedNames(Struct, frozen=True):
    """The names that a loop may carry.

    Attributes:
        names: The names, in order.
        inits: Their SSA values before the loop, flattened.
        counts: The number of SSA values of each name.
    """

    names: tuple[str, ...]
    inits: tuple[SSAValue, ...]
    counts: tuple[int, ...]

    def enter(self, outer: Scope, arguments: Iterable[BlockArgument]) -> Scope:
        """Create the scope of the body, where the names have the block arguments as values."""
        scope, remaining = outer.copy(), iter(arguments)
        for name in self.names:
            value = scope.values[name] = with_handles(outer.values[name], remaining)
            name_locations(name, handles_of(value))
        return scope


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
            "only `range` and `static_range` iterators are currently supported",
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
            _move_to_bounds(context, node, is_builtin=callee is builtins.range)
            return callee, args, kwargs
    return context.expression(node), (), {}


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
    carried = _carried_names(context, node)
    lower, location = bounds.lower.handle, context.builder.location
    block = Block(arg_types=[lower.type, *(init.type for init in carried.inits)])
    locate_loop_arguments(block, carried.inits, locations.named(variable, location))
    scope = carried.enter(outer, block.args[1:])
    with context.inside(block, scope, is_loop=True):
        counter = TensorValue(block.args[0], bounds.lower.type)
        scope.bind(variable, bounds.induction_variable(context.emitter, counter))
        end, yielded = _body(context, node, outer, carried)
    _unbind_body_names(context, node, outer, end)
    arguments = tuple(block.args[1:])
    changed = _changed_names(carried, arguments, yielded)
    _remove_unchanged(block, 1, carried, changed)
    inits = _select(carried.inits, carried, changed)
    context.builder.location = location
    op = context.builder.create(
        scf.ForOp,
        [lower, bounds.upper.handle, bounds.step.handle, *inits],
        [init.type for init in inits],
        attributes=bounds.attributes,
        regions=[Region(block)],
    )
    move_argument_hints(context.emitter, op, arguments, carried.inits)
    _bind_results(outer, carried, changed, op.results)


def while_(context: FunctionContext, node: ast.While) -> None:
    """Lower a `while` statement."""
    _check_no_else(context, node)
    outer, location = context.scope, context.builder.location
    carried = _carried_names(context, node)
    types = [init.type for init in carried.inits]
    before, after = Block(arg_types=types), Block(arg_types=types)
    with context.inside(before, carried.enter(outer, before.args), is_loop=True):
        condition, attributes = while_condition(context, node.test)
        if static_values.is_static(condition):
            if not static_values.is_true(condition):
                return
            _fail_endless(context, node)
        flag = condition_flag(context, node.test, condition)
        context.builder.location = location_of_end(before, location)
        context.builder.create(scf.ConditionOp, [flag, *before.args], [])
    scope = carried.enter(outer, after.args)
    with context.inside(after, scope, is_loop=True):
        end, yielded = _body(context, node, outer, carried)
    _unbind_body_names(context, node, outer, end)
    arguments = tuple(after.args)
    changed = _changed_names(carried, arguments, yielded)
    _remove_unchanged(before, 0, carried, changed, leading_operands=1)
    _remove_unchanged(after, 0, carried, changed)
    inits = _select(carried.inits, carried, changed)
    context.builder.location = location
    op = context.builder.create(
        scf.WhileOp,
        inits,
        [init.type for init in inits],
        attributes=attributes,
        regions=[Region(before), Region(after)],
    )
    move_argument_hints(context.emitter, op, arguments, carried.inits)
    _bind_results(outer, carried, changed, op.results)


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
    _check_types(context, node, outer, end, carried)
    yielded = [handle for name in carried.names for handle in handles_of(end.values[name])]
    if not yielded:
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


def _carried_names(context: FunctionContext, node: ast.For | ast.While) -> CarriedNames:
    """List the names that a loop may carry; unbind the induction variables of loops in it."""
    for name in context.definition.loop_variables(node):
        line = context.position(node).line
        context.scope.unbind(name, f"it is the induction variable of the loop at line {line}")
    bound = context.definition.bound_names(node)
    names: list[str] = []
    inits: list[SSAValue] = []
    counts: list[int] = []
    for name, value in context.scope.values.items():
        handles = handles_of(value)
        if name in bound and handles:
            names.append(name)
            inits.extend(handles)
            counts.append(len(handles))
    return CarriedNames(tuple(names), tuple(inits), tuple(counts))


def _check_types(
    context: FunctionContext, node: ast.stmt, outer: Scope, end: Scope, carried: CarriedNames
) -> None:
    """Check that the body does not change the type of a name.

    Raises:
        TypeMismatchError: The type of a carried name changes, or a constant is rebound.
        CompilationError: A carried name has no value at the end.
    """
    for name in carried.names:
        before, after = outer.values[name], end.values.get(name)
        if after is None:
            context.fail(
                node,
                f"loop-carried variable {name} is not defined at the end of the loop body",
                found=end.unbound.get(name, "no value"),
            )
        if static_values.is_static(after) or type_of(after) != type_of(before):
            context.fail(
                node,
                f"loop-carried variable {name} has initial type {describe(before)} but is "
                f"re-assigned to {describe(after)} in loop!",
                error=TypeMismatchError,
                found=f"{describe(before)} before the loop, {describe(after)} after its body",
                accepted=("the same type in every iteration",),
                hint=f"initialize {name} with its final type, or convert it with .to(...)",
            )
    for name, before in outer.values.items():
        after = end.values.get(name, before)
        if after is before or name in carried.names or is_same(after, before):
            continue
        if name in context.definition.bound_names(node) and static_values.is_static(before):
            context.fail(
                node,
                f"cannot reassign constexpr {name} in the loop",
                error=TypeMismatchError,
                found=f"{describe(before)} before the loop, {describe(after)} after its body",
                accepted=("a run-time value before the loop",),
                hint=f"initialize {name} with a value of its final type",
            )


def _unbind_body_names(context: FunctionContext, node: ast.stmt, outer: Scope, end: Scope) -> None:
    """Record why names that only the body binds have no value after the loop."""
    for name in end.values.keys() - outer.values.keys() - outer.unbound.keys():
        line = context.position(node).line
        outer.unbound[name] = f"only the body of the loop at line {line} assigns it"


def _changed_names(
    carried: CarriedNames, arguments: Sequence[SSAValue], yielded: Sequence[SSAValue]
) -> tuple[bool, ...]:
    """Check for each carried name whether the body yields other values than its arguments."""
    flags: list[bool] = []
    start = 0
    for count in carried.counts:
        pairs = zip(arguments[start : start + count], yielded[start : start + count], strict=True)
        flags.append(any(argument is not value for argument, value in pairs))
        start += count
    return tuple(flags)


def _flags_by_handle(carried: CarriedNames, changed: tuple[bool, ...]) -> list[bool]:
    return [flag for flag, n in zip(changed, carried.counts, strict=True) for _ in range(n)]


def _select(
    values: tuple[SSAValue, ...], carried: CarriedNames, changed: tuple[bool, ...]
) -> list[SSAValue]:
    """Keep the values of changed names."""
    flags = _flags_by_handle(carried, changed)
    return [value for value, flag in zip(values, flags, strict=True) if flag]


def _remove_unchanged(
    block: Block,
    first: int,
    carried: CarriedNames,
    changed: tuple[bool, ...],
    leading_operands: int = 0,
) -> None:
    """Replace block arguments that no iteration changes by the values before the loop.

    Args:
        block: A block of the loop.
        first: The index of its first carried argument.
        carried: The carried names.
        changed: Whether the body changes each of them.
        leading_operands: The number of operands of the terminator before the carried ones.
    """
    terminator = block.last_op
    assert terminator is not None
    flags = _flags_by_handle(carried, changed)
    if all(flags):
        return
    leading = list(terminator.operands[:leading_operands])
    yielded = tuple(terminator.operands[leading_operands:])
    terminator.operands = [*leading, *_select(yielded, carried, changed)]
    arguments = tuple(block.args[first:])
    for argument, init, flag in zip(arguments, carried.inits, flags, strict=True):
        if not flag:
            argument.replace_all_uses_with(init)
            block.erase_arg(argument)


def _bind_results(
    outer: Scope, carried: CarriedNames, changed: tuple[bool, ...], results: Iterable[SSAValue]
) -> None:
    remaining = iter(results)
    for name, flag in zip(carried.names, changed, strict=True):
        if flag:
            value = with_handles(outer.values[name], remaining)
            name_locations(name, handles_of(value))
            outer.bind(name, value)


STATEMENTS: StatementTable = {ast.For: for_, ast.While: while_}
