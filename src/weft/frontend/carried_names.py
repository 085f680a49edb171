"""The names that a loop carries from one iteration to the next.

    x = a
    y = b                        →    scf.for … iter_args(%x = %a)     y is not rebound
    for i in range(n):                  %s = arith.addi %x, %b
        x = x + y                       scf.yield %s

These are the names that have a run-time value before the loop and that the body rebinds, in the
order of their first binding in the function. The body is lowered once: every name that it may bind
becomes a block argument, and arguments that the body yields unchanged are removed again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from msgspec import Struct

from weft.errors import TypeMismatchError
from weft.frontend import static_values
from weft.frontend.context import FunctionContext
from weft.frontend.scope import Scope
from weft.frontend.semantics.aggregates import AggregateValue
from weft.frontend.semantics.value_locations import LocationLog
from weft.frontend.semantics.values import Value, describe, handles_of, type_of
from weft.frontend.static_values import is_same, with_handles
from weft.ir.builtin import Block, BlockArgument, SSAValue

__all__ = [
    "CarriedNames",
    "bind_results",
    "changed_names",
    "check_carried_types",
    "find_carried_names",
    "remove_unchanged",
    "select_changed",
]


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

    def enter(
        self,
        outer: Scope,
        arguments: Iterable[BlockArgument],
        log: LocationLog,
        *,
        locate: bool = False,
    ) -> Scope:
        """Create the scope of the body, where the names have the block arguments as values.

        Args:
            outer: The scope around the loop.
            arguments: The block arguments.
            log: The changes of locations.
            locate: Give the arguments the locations of the values before the loop.
        """
        scope, remaining = outer.copy(), iter(arguments)
        for name in self.names:
            value = scope.values[name] = with_handles(outer.values[name], remaining)
            inits = handles_of(outer.values[name]) if locate else ()
            log.enter_loop(name, handles_of(value), inits)
        return scope

    def inits_of(
        self, arguments: Sequence[BlockArgument], changed: tuple[bool, ...] | None = None
    ) -> dict[SSAValue, SSAValue]:
        """Map block arguments to the values before the loop.

        Args:
            arguments: The block arguments.
            changed: For each name whether to leave it out.
        """
        pairs: dict[SSAValue, SSAValue] = {}
        pairs.update(zip(arguments, self.inits, strict=True))
        if changed is None:
            return pairs
        flags = _flags_by_handle(self, changed)
        return {
            argument: init
            for (argument, init), flag in zip(pairs.items(), flags, strict=True)
            if not flag
        }


def find_carried_names(context: FunctionContext, node: ast.For | ast.While) -> CarriedNames:
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


def check_carried_types(
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
                f"Loop-carried variable {name} is not defined at the end of the loop body",
                found=end.unbound.get(name, "no value"),
            )
        if static_values.is_static(after) or not _has_same_type(after, before):
            context.fail(
                node,
                f"Loop-carried variable {name} has initial type {describe(before)} but is "
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


def _has_same_type(one: Value, other: Value) -> bool:
    """Check whether a name can be carried with two values.

    Of instances of an aggregate, the types in the IR count: an accumulator is a tensor there.
    """
    if isinstance(one, AggregateValue) and isinstance(other, AggregateValue):
        types = [[handle.type for handle in handles_of(value)] for value in (one, other)]
        return one.cls is other.cls and types[0] == types[1]
    return type_of(one) == type_of(other)


def changed_names(
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


def select_changed(
    values: tuple[SSAValue, ...], carried: CarriedNames, changed: tuple[bool, ...]
) -> list[SSAValue]:
    """Keep the values of changed names."""
    flags = _flags_by_handle(carried, changed)
    return [value for value, flag in zip(values, flags, strict=True) if flag]


def remove_unchanged(
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
    terminator.operands = [*leading, *select_changed(yielded, carried, changed)]
    arguments = tuple(block.args[first:])
    for argument, init, flag in zip(arguments, carried.inits, flags, strict=True):
        if not flag:
            argument.replace_all_uses_with(init)
            block.erase_arg(argument)


def bind_results(
    context: FunctionContext,
    outer: Scope,
    carried: CarriedNames,
    changed: tuple[bool, ...],
    results: Iterable[SSAValue],
) -> None:
    """Bind the names that the body changes to the results of the loop."""
    remaining = iter(results)
    for name, flag in zip(carried.names, changed, strict=True):
        if flag:
            value = with_handles(outer.values[name], remaining)
            context.locations.name(name, handles_of(value))
            outer.bind(name, value)
