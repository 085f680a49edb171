"""Propagate the layouts of anchors forward to all values that can be computed in them.

    %p = tt.load …                 #blocked       an anchor
    %d = tt.dot …                  #mma           an anchor
    %x = arith.addf %d, %c         #mma           from %d
    %y = arith.mulf %x, (convert_layout %p)       from %d: #mma; from %p: #blocked

A conversion forwards the layout of its operand, because it may turn out to be unnecessary. So a
value may have several candidates, in the order of discovery; `conflict_resolution` chooses one.
Layouts propagate through elementwise operations, through those that permute or reshape dimensions,
and into and out of loops and conditionals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weft.analysis.encoding_inference import has_one_encoding, result_encoding
from weft.ir import scf, tt, ttg, ttng, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.interfaces import forwarded_to
from weft.layouts import Encoding
from weft.passes.ttgir.remove_layout_conversions.dominance import operations
from weft.passes.ttgir.remove_layout_conversions.layout_anchors import LayoutAnchors

__all__ = ["Candidates", "Origins", "propagate_layouts"]

Candidates = dict[SSAValue, dict[Encoding, None]]
"""The candidate layouts of each value, in the order of discovery."""

Origins = dict[tuple[SSAValue, Encoding], SSAValue]
"""The anchor from which a candidate of a value comes."""

_PROPAGATING = frozenset(
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
# Loads and stores keep the layout of their pointers, whatever their other operands have.
_NOT_PROPAGATING = frozenset({tt.LoadOp, tt.StoreOp})


def propagate_layouts(
    function: tt.FuncOp, anchors: LayoutAnchors, origins: Origins | None
) -> Candidates:
    """Find the candidate layouts of every value that an anchor reaches.

    Args:
        function: The function.
        anchors: Decides which operations are anchors.
        origins: If given, receives the anchor of each candidate.
    """
    candidates: Candidates = {}
    for value in _anchor_values(function, anchors):
        encoding = types.encoding(value.type)
        if encoding is not None:
            candidates[value] = {encoding: None}
            if origins is not None:
                origins[value, encoding] = value
    # Candidates are only added and there are finitely many layouts, so this ends, loops included.
    # The order of discovery decides conflicts: the worklist is a stack, as in Triton.
    worklist = list(candidates)
    while worklist:
        value = worklist.pop()
        layouts = tuple(candidates[value])
        for user, targets in _targets(value):
            for target in targets:
                if types.is_tensor(target.type) and _add_candidates(
                    value, layouts, user, target, candidates, origins
                ):
                    worklist.append(target)
    return candidates


def _anchor_values(function: tt.FuncOp, anchors: LayoutAnchors) -> Iterator[SSAValue]:
    """Yield the arguments of the function and the results of anchors."""
    entry = function.regions[0].blocks.first
    if entry is not None:
        yield from entry.args
    for op in operations(function):
        if anchors.is_anchor(op):
            yield from op.results


def _add_candidates(
    value: SSAValue,
    layouts: tuple[Encoding, ...],
    user: Operation,
    target: SSAValue,
    candidates: Candidates,
    origins: Origins | None,
) -> bool:
    """Add the candidates of `target` that follow from those of `value`; return whether any is new.

    Args:
        value: A value with candidates.
        layouts: Its candidates.
        user: The user of `value` that determines `target`.
        target: A result of `user`, or a value that it forwards `value` to.
        candidates: Updated for `target`.
        origins: Updated for `target` if given.
    """
    is_new = False
    known = candidates.get(target)
    for encoding in layouts:
        if type(user) is ttg.ConvertLayoutOp:
            # Assume that the conversion is removed; its target is a candidate only if another
            # anchor has that layout.
            target_encoding: Encoding | None = encoding
        else:
            target_encoding = result_encoding(user, encoding)
        if target_encoding is None:
            continue
        if known is None:
            known = candidates[target] = {}
        if target_encoding not in known:
            known[target_encoding] = None
            is_new = True
            if origins is not None:
                origins[target, target_encoding] = origins[value, encoding]
    return is_new


def _targets(value: SSAValue) -> Iterator[tuple[Operation, Iterable[SSAValue]]]:
    """Yield each user of a value with the values whose layout follows from it."""
    for use in value.uses:
        user, index = use.operation, use.index
        cls = type(user)
        if cls is scf.YieldOp:
            yield user, tuple(_yield_targets(user, index))
        elif cls is scf.ForOp or cls is scf.WhileOp or cls is scf.ConditionOp:
            yield user, forwarded_to(user, value)
        elif cls is ttng.WarpGroupDotWaitOp:
            yield user, (user.results[index],)
        elif cls is tt.GatherOp:
            # The result has the layout of the indices.
            if index == 1 and "efficient_layout" not in user.properties:
                yield user, user.results
        # An operation whose operands and results may differ in layout does not propagate.
        elif cls in _PROPAGATING or (cls not in _NOT_PROPAGATING and has_one_encoding(user)):
            yield user, user.results


def _yield_targets(user: Operation, index: int) -> Iterator[SSAValue]:
    """Yield the values that operand `index` of an scf.yield is forwarded to."""
    loop, value = user.parent_op(), user.operands[index]
    if isinstance(loop, scf.WhileOp):
        # Like Triton, propagate to the result of the same index as well, although scf.condition
        # forwards the results: mostly it forwards the iter_args in order.
        if index < len(loop.results) and _has_same_shape(loop.results[index], value):
            yield loop.results[index]
    yield from forwarded_to(user, value)


def _has_same_shape(value: SSAValue, other: SSAValue) -> bool:
    return types.shape(value.type) == types.shape(other.type)
