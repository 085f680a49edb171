"""Patterns of scf.for: invariant or unused iter_args, and loops that run at most once.

%r:2 = scf.for … iter_args(%a = %x, %b = %y) {      %r = scf.for … iter_args(%a = %x) {
  %n = arith.addf %a, %b                       →      %n = arith.addf %a, %y
  scf.yield %n, %b                                    scf.yield %n
}                                                   }          (%r#1 becomes %y)

scf.for … iter_args(%a = %x, %b = %x) { yield %b, %a }   →   %x for both

scf.for %i = 0 to 1 step 1 { body }            →    body, with 0 for %i
scf.for %i = 5 to 5 step 1 { body }            →    nothing
"""

from __future__ import annotations

from msgspec import Struct, field

from weft.ir import scf
from weft.ir.builtin import Block, Operation, Region, SSAValue
from weft.ir.scf.trip_count import bound_difference, constant_step
from weft.passes.rewrite.greedy import PatternTable
from weft.passes.rewrite.nesting import is_defined_inside
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["PATTERNS"]


class _IterArgs(Struct):
    """Which iter_args a loop keeps, and the replacements of the others.

    Attributes:
        is_kept: Whether the loop keeps each iter_arg.
        inits: The init args of those that it keeps.
        replacements: What replaces the argument and the result of each, None if it is kept.
    """

    is_kept: list[bool] = field(default_factory=list)
    inits: list[SSAValue] = field(default_factory=list)
    replacements: list[SSAValue | None] = field(default_factory=list)

    def keep(self, init: SSAValue) -> None:
        self.is_kept.append(True)
        self.inits.append(init)
        self.replacements.append(None)

    def drop(self, init: SSAValue) -> None:
        self.is_kept.append(False)
        self.replacements.append(init)


def _classify_iter_args(op: scf.ForOp, rewriter: Rewriter) -> _IterArgs:
    """Decide which iter_args to keep; replace the uses of duplicates."""
    iter_args = _IterArgs()
    invariant = _invariant_iter_args(op)
    duplicates = _replace_duplicates(op, invariant, rewriter)
    for init, argument, result in zip(op.init_args, op.iter_args, op.results, strict=True):
        unused = argument.first_use is None and result.first_use is None
        if argument in invariant or argument in duplicates or unused:
            iter_args.drop(init)
        else:
            iter_args.keep(init)
    return iter_args


def _replace_duplicates(
    op: scf.ForOp, invariant: set[SSAValue], rewriter: Rewriter
) -> set[SSAValue]:
    """Replace iter_args with the same init and yielded value as an earlier one.

    Returns:
        The replaced arguments.
    """
    duplicates: set[SSAValue] = set()
    first: dict[tuple[SSAValue, SSAValue], tuple[SSAValue, SSAValue]] = {}
    iter_args = zip(op.init_args, op.iter_args, op.results, op.yielded_values, strict=True)
    for init, argument, result, value in iter_args:
        if argument in invariant:
            continue
        first_argument, first_result = first.setdefault((init, value), (argument, result))
        if first_argument is not argument:
            rewriter.replace_uses(argument, first_argument)
            rewriter.replace_uses(result, first_result)
            duplicates.add(argument)
    return duplicates


def _invariant_iter_args(op: scf.ForOp) -> set[SSAValue]:
    """Find the iter_args that always equal their init arg.

    An iter_arg may be yielded as another one with the same init arg:

        iter_args(%a = %x, %b = %x) { scf.yield %b, %a }      both are %x

    Start from all iter_args and remove those that contradict, until none does.
    """
    inits: dict[SSAValue, SSAValue] = dict(zip(op.iter_args, op.init_args, strict=True))
    yielded: dict[SSAValue, SSAValue] = dict(zip(op.iter_args, op.yielded_values, strict=True))
    invariant: set[SSAValue] = set(inits)
    changed = True
    while changed:
        changing = {
            argument
            for argument in invariant
            if (value := yielded[argument]) is not inits[argument]
            and not (value in invariant and inits[value] is inits[argument])
        }
        changed = bool(changing)
        invariant -= changing
    return invariant


def _drop_iter_args(op: Operation, rewriter: Rewriter) -> bool:
    """Drop iter_args that are invariant, unused, or duplicates."""
    assert isinstance(op, scf.ForOp)
    iter_args = _classify_iter_args(op, rewriter)
    if all(iter_args.is_kept):
        return False
    inits = iter_args.inits
    old_block = op.block
    new_block = Block(arg_types=[op.induction_variable.type, *(init.type for init in inits)])
    arguments = [
        arg for arg, is_kept in zip(op.iter_args, iter_args.is_kept, strict=True) if is_kept
    ]
    for argument, source in zip(new_block.args, (op.induction_variable, *arguments), strict=True):
        argument.name_hint, argument.location = source.name_hint, source.location
    new_op = rewriter.create(
        scf.ForOp,
        (*op.bounds, *inits),
        [init.type for init in inits],
        op.properties,
        op.attributes,
        (Region(new_block),),
        before=op,
    )
    new_args, new_results = iter(new_op.iter_args), iter(new_op.results)
    replacements = [next(new_args) if value is None else value for value in iter_args.replacements]
    rewriter.merge_blocks(old_block, new_block, (new_op.induction_variable, *replacements))
    terminator = new_block.last_op
    assert terminator is not None
    yielded = zip(terminator.operands, iter_args.is_kept, strict=True)
    rewriter.create(
        scf.YieldOp, [value for value, is_kept in yielded if is_kept], before=terminator
    )
    rewriter.erase(terminator)
    results = [next(new_results) if value is None else value for value in iter_args.replacements]
    rewriter.replace(op, results)
    return True


def _drop_trivial(op: Operation, rewriter: Rewriter) -> bool:
    """Remove a loop that runs at most once, or whose body only yields values from outside."""
    assert isinstance(op, scf.ForOp)
    lower, upper, _ = op.bounds
    inits = op.init_args
    if lower is upper:
        rewriter.replace(op, inits)
        return True
    difference = bound_difference(op)
    if difference is None:
        return False
    if difference <= 0:
        rewriter.replace(op, inits)
        return True
    step = constant_step(op)
    if step is None:
        return False
    if step >= difference:
        rewriter.replace_with_region(op, op.regions[0], (lower, *inits))
        return True
    if op.block.first_op is not op.block.last_op:
        return False
    yielded = op.yielded_values
    if any(is_defined_inside(value, op) for value in yielded):
        return False
    rewriter.replace(op, yielded)
    return True


PATTERNS: PatternTable = {scf.ForOp: (_drop_iter_args, _drop_trivial)}
