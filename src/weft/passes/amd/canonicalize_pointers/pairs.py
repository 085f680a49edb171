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

from collections.abc import Callable, Iterable

from weft.ir import amdg, arith, cf, scf, tt, ttg, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.interfaces import BranchOpInterface
from weft.ir.rewriting import walk

__all__ = ["MOVES", "is_pointer_like", "pairs_of"]

# What moves the elements of a tensor about, and its offsets likewise.
MOVES = (tt.SplatOp, tt.BroadcastOp, tt.ExpandDimsOp, ttg.ConvertLayoutOp, amdg.ExtractSliceOp)


_Links = dict[SSAValue, list[SSAValue]]


def is_pointer_like(type_: Attribute) -> bool:
    """Tell whether a type is a pointer to an element, or a tensor of them."""
    element = types.element(type_)
    return types.is_pointer(element) and not types.is_tensor(element.pointee)


def pairs_of(function: tt.FuncOp, roots: Iterable[Iterable[SSAValue]]) -> set[SSAValue]:
    """Return the values of a function that can be pairs.

    Args: roots: the arguments that are, by kinds that do not mix.
    """
    sources = _sources(function)
    targets: _Links = {}
    for target, froms in sources.items():
        for source in froms:
            targets.setdefault(source, []).append(target)
    return {value for kind in roots for value in _of_kind(set(kind), sources, targets)}


def _of_kind(
    given: set[SSAValue], sources: _Links, targets: _Links
) -> set[SSAValue]:  # fmt: skip
    found = _reached(given, targets)
    doubtful = [value for value in found if value not in given]
    while doubtful:
        value = doubtful.pop()
        if value in found and not found.issuperset(sources[value]):
            found.discard(value)
            doubtful += (target for target in targets.get(value, ()) if target not in given)
    return found


def _reached(roots: set[SSAValue], targets: _Links) -> set[SSAValue]:
    found = set(roots)
    todo = list(roots)
    while todo:
        for target in targets.get(todo.pop(), ()):
            if target not in found:
                found.add(target)
                todo.append(target)
    return found


def _sources(function: tt.FuncOp) -> _Links:
    """Return for each pointer made from others what it may be."""
    found: _Links = {}
    for op in walk(function):
        flow = _FLOWS.get(type(op))
        if flow is not None:
            for target, source in flow(op):
                if is_pointer_like(target.type):
                    found.setdefault(target, []).append(source)
    return found


_Flow = Iterable[tuple[SSAValue, SSAValue]]  # (value, what it may be)


def _first(op: Operation) -> _Flow:
    return ((op.results[0], op.operands[0]),)


def _chosen(op: Operation) -> _Flow:
    if types.is_tensor(op.operands[0].type):
        return ()
    return (op.results[0], op.operands[1]), (op.results[0], op.operands[2])


def _for(op: Operation) -> _Flow:
    assert isinstance(op, scf.ForOp)
    yield from zip(op.iter_args, op.init_args, strict=True)
    # A loop's result is a pair exactly if what it carries is.
    yield from zip(op.results, op.iter_args, strict=True)
    yield from zip(op.iter_args, op.yielded_values, strict=True)


def _while(op: Operation) -> _Flow:
    assert isinstance(op, scf.WhileOp)
    return zip(op.before_block.args, op.operands, strict=True)


def _yielded(op: Operation) -> _Flow:
    around = op.parent_op()
    if isinstance(around, scf.IfOp):
        return zip(around.results, op.operands, strict=True)
    if isinstance(around, scf.WhileOp):
        return zip(around.before_block.args, op.operands, strict=True)
    return ()


def _condition(op: Operation) -> _Flow:
    loop = op.parent_op()
    assert isinstance(op, scf.ConditionOp)
    assert isinstance(loop, scf.WhileOp)
    yield from zip(loop.after_block.args, op.arguments, strict=True)
    yield from zip(loop.results, op.arguments, strict=True)


def _branch(op: Operation) -> _Flow:
    assert isinstance(op, BranchOpInterface)
    for edge in op.block_edges():
        yield from ((argument, operand) for operand, argument in edge.forwarded())


_FLOWS: dict[type[Operation], Callable[[Operation], _Flow]] = {
    **dict.fromkeys((*MOVES, tt.AddPtrOp), _first),
    arith.SelectOp: _chosen,
    scf.ForOp: _for,
    scf.WhileOp: _while,
    scf.YieldOp: _yielded,
    scf.ConditionOp: _condition,
    cf.BranchOp: _branch,
    cf.CondBranchOp: _branch,
}
