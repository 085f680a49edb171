"""Which pointers can be told as a base and an offset: those that come from arguments all the way.

    %p = tt.splat %arg0                          a pair
    %q = scf.for … iter_args(%x = %p) {          %x: a pair, if what comes back is one
      %y = tt.addptr %x, %k                      a pair, as %x is
      scf.yield %y
    }
    %r = arith.select %c, %q, %loaded            none: nothing is known of %loaded's base

A pointer made from others is a pair if all of them are. One chosen element by element is none: its
elements have no base in common. Found by supposing so of everything that
pairs flow into, and giving up what has a source that is none until nothing more is to give up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weft.ir import amdg, arith, cf, scf, tt, ttg, types
from weft.ir.builtin import Attribute, Operation, OpResult, SSAValue

__all__ = ["MOVES", "is_pointer_like", "pairs_of"]

# What moves the elements of a tensor about, and its offsets likewise.
MOVES = (tt.SplatOp, tt.BroadcastOp, tt.ExpandDimsOp, ttg.ConvertLayoutOp, amdg.ExtractSliceOp)


def is_pointer_like(type_: Attribute) -> bool:
    """Tell whether a type is a pointer to an element, or a tensor of them."""
    element = types.element(type_)
    return types.is_pointer(element) and not types.is_tensor(element.pointee)


def pairs_of(function: tt.FuncOp, roots: Iterable[SSAValue]) -> set[SSAValue]:
    """Return the values of a function that can be pairs.

    Args: roots: the arguments that are.
    """
    sources = _sources(function)
    targets: dict[SSAValue, list[SSAValue]] = {}
    for target, froms in sources.items():
        for source in froms:
            targets.setdefault(source, []).append(target)
    given = set(roots)
    found = _reached(given, targets)
    doubtful = [value for value in found if value not in given]
    while doubtful:
        value = doubtful.pop()
        if value in found and not found.issuperset(sources[value]):
            found.discard(value)
            doubtful += (target for target in targets.get(value, ()) if target not in given)
    return found


def _reached(roots: set[SSAValue], targets: dict[SSAValue, list[SSAValue]]) -> set[SSAValue]:
    found = set(roots)
    todo = list(roots)
    while todo:
        for target in targets.get(todo.pop(), ()):
            if target not in found:
                found.add(target)
                todo.append(target)
    return found


def _sources(function: tt.FuncOp) -> dict[SSAValue, list[SSAValue]]:
    """Return for each pointer made from others what it may be."""
    found: dict[SSAValue, list[SSAValue]] = {}
    for op in function.walk():
        for target, source in _flows(op):
            if is_pointer_like(target.type):
                found.setdefault(target, []).append(source)
    return found


def _flows(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Yield (value, what it may be) for what an operation passes on."""
    if isinstance(op, (*MOVES, tt.AddPtrOp)):
        yield op.results[0], op.operands[0]
    elif isinstance(op, arith.SelectOp) and not types.is_tensor(op.operands[0].type):
        yield op.results[0], op.operands[1]
        yield op.results[0], op.operands[2]
    elif isinstance(op, scf.ForOp):
        for argument, init in zip(op.iter_args, op.operands[3:], strict=True):
            yield argument, init
        # A loop's result is a pair exactly if what it carries is.
        for result, argument in zip(op.results, op.iter_args, strict=True):
            yield result, argument
            yield argument, op.terminator.operands[result_index(result)]
    elif isinstance(op, scf.WhileOp):
        yield from zip(op.before_block.args, op.operands, strict=True)
    elif isinstance(op, scf.YieldOp):
        yield from _yielded(op)
    elif isinstance(op, scf.ConditionOp):
        loop = op.parent_op()
        assert isinstance(loop, scf.WhileOp)
        yield from zip(loop.after_block.args, op.arguments, strict=True)
        yield from zip(loop.results, op.arguments, strict=True)
    elif isinstance(op, cf.BranchOp):
        yield from zip(op.successors[0].args, op.operands, strict=True)
    elif isinstance(op, cf.CondBranchOp):
        split = 1 + len(op.successors[0].args)
        yield from zip(op.successors[0].args, op.operands[1:split], strict=True)
        yield from zip(op.successors[1].args, op.operands[split:], strict=True)


def _yielded(op: scf.YieldOp) -> Iterator[tuple[SSAValue, SSAValue]]:
    around = op.parent_op()
    if isinstance(around, scf.IfOp):
        yield from zip(around.results, op.operands, strict=True)
    elif isinstance(around, scf.WhileOp):
        yield from zip(around.before_block.args, op.operands, strict=True)


def result_index(value: SSAValue) -> int:
    """Return the number of a result among those of its operation."""
    assert isinstance(value, OpResult)
    return value.index
