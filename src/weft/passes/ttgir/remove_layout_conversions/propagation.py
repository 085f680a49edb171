"""Carry the layouts of the anchors forward to all that can be computed in them.

    %p = tt.load …                 #blocked       an anchor
    %d = tt.dot …                  #mma           an anchor
    %x = arith.addf %d, %c         #mma           follows %d
    %y = arith.mulf %x, (convert_layout %p)       follows %d: #mma; follows %p: #blocked

A conversion passes on what it is given: perhaps it need not be. So a value may have several
candidates, in the order in which they came; which of them it takes is a later question
(`conflicts`). A candidate travels along elementwise operations and those that rename dimensions,
into loops and conditionals and out of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weft.analysis.encoding_inference import has_one_encoding, result_encoding
from weft.ir import scf, tt, ttg, ttng, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.interfaces import forwarded_to
from weft.layouts import Encoding
from weft.passes.ttgir.remove_layout_conversions.anchors import Anchors
from weft.passes.ttgir.remove_layout_conversions.order import operations

__all__ = ["Candidates", "Origins", "follows_operands", "propagate"]

# Per value, its candidates in the order in which they came.
Candidates = dict[SSAValue, dict[Encoding, None]]
# Per value and candidate, the value of the anchor that it comes from.
Origins = dict[tuple[SSAValue, Encoding], SSAValue]

_FOLLOWING = frozenset(
    {
        tt.ExpandDimsOp,
        tt.JoinOp,
        tt.ReduceOp,
        tt.ReshapeOp,
        tt.SplitOp,
        tt.TransOp,
        ttg.ConvertLayoutOp,
    }
)
# Accesses and scans keep one layout, too; but a load takes that of its own pointers, always.
_STAYING = frozenset({tt.LoadOp, tt.StoreOp})


def follows_operands(op: Operation) -> bool:
    """Tell whether an operation's results are laid out as its operands are."""
    cls = type(op)
    return cls in _FOLLOWING or (cls not in _STAYING and has_one_encoding(op))


def propagate(function: tt.FuncOp, anchors: Anchors, origins: Origins | None) -> Candidates:
    """Return the candidates of every value that an anchor reaches.

    Args: origins: where given, it is filled with the anchor of each candidate.
    """
    candidates: Candidates = {}
    for value in _anchored(function, anchors):
        encoding = types.encoding(value.type)
        if encoding is not None:
            candidates[value] = {encoding: None}
            if origins is not None:
                origins[value, encoding] = value
    todo = list(candidates)
    while todo:
        value = todo.pop()
        given = tuple(candidates[value])
        for user, targets in _targets(value):
            for target in targets:
                if types.is_tensor(target.type) and _offer(
                    value, given, user, target, candidates, origins
                ):
                    todo.append(target)
    return candidates


def _anchored(function: tt.FuncOp, anchors: Anchors) -> Iterator[SSAValue]:
    for block in function.regions[0].blocks:
        yield from block.args
        break
    for op in operations(function):
        if anchors.is_anchor(op):
            yield from op.results


def _offer(
    value: SSAValue,
    given: tuple[Encoding, ...],
    user: Operation,
    target: SSAValue,
    candidates: Candidates,
    origins: Origins | None,
) -> bool:
    """Give a value what follows from the candidates of another; return whether that was new."""
    new = False
    known = candidates.get(target)
    for encoding in given:
        if type(user) is ttg.ConvertLayoutOp:
            following: Encoding | None = encoding
        else:
            following = result_encoding(user, encoding)
        if following is None:
            continue
        if known is None:
            known = candidates[target] = {}
        if following not in known:
            known[following] = None
            new = True
            if origins is not None:
                origins[target, following] = origins[value, encoding]
    return new


def _targets(value: SSAValue) -> Iterator[tuple[Operation, Iterable[SSAValue]]]:
    """Yield each reader of a value with the values that take its layout."""
    for use in value.uses:
        user, index = use.operation, use.index
        cls = type(user)
        if cls is scf.YieldOp:
            yield user, tuple(_yielded_to(user, index))
        elif cls is scf.ForOp or cls is scf.WhileOp or cls is scf.ConditionOp:
            yield user, forwarded_to(user, value)
        elif cls is ttng.WarpGroupDotWaitOp:
            yield user, (user.results[index],)
        elif cls is tt.GatherOp:
            if index == 1 and "efficient_layout" not in user.properties:
                yield user, user.results
        elif follows_operands(user):
            yield user, user.results


def _yielded_to(user: Operation, index: int) -> Iterator[SSAValue]:
    """Yield the values that take operand `index` of a yield."""
    loop, value = user.parent_op(), user.operands[index]
    if isinstance(loop, scf.WhileOp):
        # The results of a while are what its condition forwards, mostly its loop-carried values.
        if index < len(loop.results) and _alike(loop.results[index], value):
            yield loop.results[index]
    yield from forwarded_to(user, value)


def _alike(value: SSAValue, other: SSAValue) -> bool:
    return types.shape(value.type) == types.shape(other.type)
