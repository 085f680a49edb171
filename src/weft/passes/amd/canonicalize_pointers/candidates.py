"""Find the values that can be fat pointers: those that depend on pointer arguments alone.

    %p = tt.splat %arg0                          a fat pointer
    %q = scf.for … iter_args(%x = %p) {          %x: a fat pointer if %y is one
      %y = tt.addptr %x, %k                      a fat pointer, as %x is
      scf.yield %y
    }
    %r = arith.select %c, %q, %loaded            not one: %loaded has no known base

A pointer is a fat pointer if all of its sources are. An elementwise select is not one: its elements
have no common base. The greatest fixpoint is computed: all values reachable from the arguments are
candidates, and values with a source that is not a candidate are removed until none is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from weft.ir import amdg, arith, cf, scf, tt, ttg, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.interfaces import BranchOpInterface
from weft.ir.rewriting import walk

__all__ = ["MOVES", "is_pointer_like", "fat_pointer_values"]

# Operations that move the elements of a tensor; they apply to offsets in the same way.
MOVES = (tt.SplatOp, tt.BroadcastOp, tt.ExpandDimsOp, ttg.ConvertLayoutOp, amdg.ExtractSliceOp)


_Links = dict[SSAValue, list[SSAValue]]


def is_pointer_like(type_: Attribute) -> bool:
    """Check whether a type is a pointer to a scalar, or a tensor of such pointers."""
    element = types.element(type_)
    return types.is_pointer(element) and not types.is_tensor(element.pointee)


def fat_pointer_values(function: tt.FuncOp, roots: Iterable[Iterable[SSAValue]]) -> set[SSAValue]:
    """Find the values of a function that become fat pointers.

    Args:
        function: the function.
        roots: groups of pointer arguments; a value must not depend on two groups.
    """
    sources = _sources(function)
    targets: _Links = {}
    for target, sources_of_target in sources.items():
        for source in sources_of_target:
            targets.setdefault(source, []).append(target)
    return {value for kind in roots for value in _of_kind(set(kind), sources, targets)}


def _of_kind(
    initial: set[SSAValue], sources: _Links, targets: _Links
) -> set[SSAValue]:  # fmt: skip
    result = _reached(initial, targets)
    worklist = [value for value in result if value not in initial]
    while worklist:
        value = worklist.pop()
        if value in result and not result.issuperset(sources[value]):
            result.discard(value)
            worklist += (target for target in targets.get(value, ()) if target not in initial)
    return result


def _reached(roots: set[SSAValue], targets: _Links) -> set[SSAValue]:
    result = set(roots)
    worklist = list(roots)
    while worklist:
        for target in targets.get(worklist.pop(), ()):
            if target not in result:
                result.add(target)
                worklist.append(target)
    return result


def _sources(function: tt.FuncOp) -> _Links:
    """Map each pointer to its sources: the values that it may be or is computed from."""
    result: _Links = {}
    for op in walk(function):
        flow = _FLOWS.get(type(op))
        if flow is not None:
            for target, source in flow(op):
                if is_pointer_like(target.type):
                    result.setdefault(target, []).append(source)
    return result


_Flow = Iterable[tuple[SSAValue, SSAValue]]  # (value, source)


def _first(op: Operation) -> _Flow:
    return ((op.results[0], op.operands[0]),)


def _select_sources(op: Operation) -> _Flow:
    if types.is_tensor(op.operands[0].type):
        return ()
    return (op.results[0], op.operands[1]), (op.results[0], op.operands[2])


def _for(op: Operation) -> _Flow:
    assert isinstance(op, scf.ForOp)
    yield from zip(op.iter_args, op.init_args, strict=True)
    # A loop's result is a fat pointer exactly if its iter_arg is.
    yield from zip(op.results, op.iter_args, strict=True)
    yield from zip(op.iter_args, op.yielded_values, strict=True)


def _while(op: Operation) -> _Flow:
    assert isinstance(op, scf.WhileOp)
    return zip(op.before_block.args, op.operands, strict=True)


def _yielded(op: Operation) -> _Flow:
    parent = op.parent_op()
    if isinstance(parent, scf.IfOp):
        return zip(parent.results, op.operands, strict=True)
    if isinstance(parent, scf.WhileOp):
        return zip(parent.before_block.args, op.operands, strict=True)
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
    arith.SelectOp: _select_sources,
    scf.ForOp: _for,
    scf.WhileOp: _while,
    scf.YieldOp: _yielded,
    scf.ConditionOp: _condition,
    cf.BranchOp: _branch,
    cf.CondBranchOp: _branch,
}
