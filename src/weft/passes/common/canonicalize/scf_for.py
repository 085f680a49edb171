"""Patterns of scf.for: carried values that carry nothing, and loops known not to loop.

%r:2 = scf.for … iter_args(%a = %x, %b = %y) {      %r = scf.for … iter_args(%a = %x) {
  %n = arith.addf %a, %b                       →      %n = arith.addf %a, %y
  scf.yield %n, %b                                    scf.yield %n
}                                                   }          (%r#1 becomes %y)

scf.for … iter_args(%a = %x, %b = %x) { yield %b, %a }   →   %x for both

scf.for %i = 0 to 1 step 1 { body }            →    body, with 0 for %i
scf.for %i = 5 to 5 step 1 { body }            →    nothing
"""

from __future__ import annotations

from dataclasses import dataclass, field

from weft.ir import arith, scf
from weft.ir.builtin import Block, BlockArgument, Operation, Region, SSAValue
from weft.ir.constants import constant_attribute, integer_value, integer_width, unsigned
from weft.ir.rewriting import defining_op
from weft.passes.common.canonicalize.regions import inline_region, is_inside
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["PATTERNS", "trip_count"]


@dataclass(slots=True)
class _Plan:
    """Which carried values stay, and what stands for those that go."""

    kept: list[bool] = field(default_factory=list)
    inits: list[SSAValue] = field(default_factory=list)
    arguments: list[SSAValue | None] = field(default_factory=list)
    results: list[SSAValue | None] = field(default_factory=list)

    def keep(self, init: SSAValue) -> None:
        self.kept.append(True)
        self.inits.append(init)
        self.arguments.append(None)
        self.results.append(None)

    def drop(self, init: SSAValue) -> None:
        self.kept.append(False)
        self.arguments.append(init)
        self.results.append(init)


def _plan(op: scf.ForOp, rewriter: Rewriter) -> _Plan:
    """Decide for each carried value; a twin of an earlier one is replaced by it at once."""
    plan = _Plan()
    steady = _steady(op)
    twins = _replace_twins(op, steady, rewriter)
    for init, argument, result in zip(op.init_args, op.iter_args, op.results, strict=True):
        unread = argument.first_use is None and result.first_use is None
        if argument in steady or argument in twins or unread:
            plan.drop(init)
        else:
            plan.keep(init)
    return plan


def _replace_twins(op: scf.ForOp, steady: set[SSAValue], rewriter: Rewriter) -> set[SSAValue]:
    """Let readers of a value that is carried twice read the first one; return the others."""
    twins: set[SSAValue] = set()
    known: dict[tuple[SSAValue, SSAValue], tuple[SSAValue, SSAValue]] = {}
    carried = zip(op.init_args, op.iter_args, op.results, op.yielded_values, strict=True)
    for init, argument, result, value in carried:
        if argument in steady:
            continue
        twin = known.setdefault((init, value), (argument, result))
        if twin[0] is not argument:
            rewriter.replace_uses(argument, twin[0])
            rewriter.replace_uses(result, twin[1])
            twins.add(argument)
    return twins


def _steady(op: scf.ForOp) -> set[SSAValue]:
    """Return the carried arguments that keep their initial value, if only by taking turns with it.

    iter_args(%a = %x, %b = %x) { scf.yield %b, %a }      both are %x, always
    """
    inits: dict[SSAValue, SSAValue] = dict(zip(op.iter_args, op.init_args, strict=True))
    yielded: dict[SSAValue, SSAValue] = dict(zip(op.iter_args, op.yielded_values, strict=True))
    steady: set[SSAValue] = set(inits)
    changed = True
    while changed:
        moving = {
            argument
            for argument in steady
            if (value := yielded[argument]) is not inits[argument]
            and not (value in steady and inits[value] is inits[argument])
        }
        changed = bool(moving)
        steady -= moving
    return steady


def _drop_carried(op: Operation, rewriter: Rewriter) -> bool:
    """Drop carried values that never change, are never read, or equal another one."""
    assert isinstance(op, scf.ForOp)
    plan = _plan(op, rewriter)
    if all(plan.kept):
        return False
    old = op.block
    new = Block(arg_types=[op.induction_variable.type, *(init.type for init in plan.inits)])
    for argument, source in zip(new.args, _kept_arguments(op, plan), strict=True):
        argument.name_hint, argument.location = source.name_hint, source.location
    made = rewriter.create(
        scf.ForOp,
        (*op.bounds, *plan.inits),
        [init.type for init in plan.inits],
        op.properties,
        op.attributes,
        (Region(new),),
        before=op,
    )
    fresh, results = iter(made.iter_args), iter(made.results)
    arguments = [next(fresh) if value is None else value for value in plan.arguments]
    rewriter.merge_blocks(old, new, (made.induction_variable, *arguments))
    merged = new.last_op
    assert merged is not None
    values = [v for v, kept in zip(merged.operands, plan.kept, strict=True) if kept]
    rewriter.create(scf.YieldOp, values, before=merged)
    rewriter.erase(merged)
    rewriter.replace(op, [next(results) if value is None else value for value in plan.results])
    return True


def _kept_arguments(op: scf.ForOp, plan: _Plan) -> list[BlockArgument]:
    carried = zip(op.iter_args, plan.kept, strict=True)
    return [op.induction_variable, *(arg for arg, kept in carried if kept)]


def _distance(op: scf.ForOp) -> int | None:
    """Return the upper bound less the lower where it is known.

    Of two constants, or of `low + constant` where that does not wrap around: past the largest
    number the upper bound is the smaller one, and the loop does not run.
    """
    low, high, _ = op.bounds
    first, last = _number(op, low), _number(op, high)
    if first is not None and last is not None:
        return last - first
    added = defining_op(high, arith.AddIOp)
    if added is None or added.operands[0] is not low:
        return None
    flag = "nuw" if "unsignedCmp" in op.properties else "nsw"
    if flag not in added.properties["overflowFlags"].data:  # pyright: ignore
        return None
    return _number(op, added.operands[1])


def _number(op: scf.ForOp, value: SSAValue) -> int | None:
    """Return the number that a loop takes a constant for, None for anything else.

    A loop that compares unsigned numbers takes -1 : i32 for 4294967295.
    """
    found = integer_value(constant_attribute(value))
    if found is None or "unsignedCmp" not in op.properties:
        return found
    return unsigned(found, integer_width(value.type))


def trip_count(op: scf.ForOp) -> int | None:
    """Return how often a loop runs, None where its bounds do not tell."""
    low, high, step = op.bounds
    if low is high:
        return 0
    distance, stride = _distance(op), _number(op, step)
    if distance is None or stride is None or stride <= 0:
        return None
    return max(0, -(-distance // stride))


def _drop_trivial(op: Operation, rewriter: Rewriter) -> bool:
    """Remove a loop that runs never or once, or that only passes outer values through."""
    assert isinstance(op, scf.ForOp)
    low, high, step = op.bounds
    inits = op.init_args
    if low is high:
        rewriter.replace(op, inits)
        return True
    distance = _distance(op)
    if distance is None:
        return False
    if distance <= 0:
        rewriter.replace(op, inits)
        return True
    stride = _number(op, step)
    if stride is None:
        return False
    if stride >= distance:
        inline_region(op, op.regions[0], (low, *inits), rewriter)
        return True
    if op.block.first_op is not op.block.last_op:
        return False
    yielded = op.yielded_values
    if any(is_inside(value, op) for value in yielded):
        return False
    rewriter.replace(op, yielded)
    return True


PATTERNS: dict[type[Operation], tuple[Pattern, ...]] = {scf.ForOp: (_drop_carried, _drop_trivial)}
