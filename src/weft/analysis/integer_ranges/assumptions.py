"""What `tl.assume` promises of integers.

    %0 = arith.cmpi sge, %n, %c0      on %n, wherever the promise has been made: signed [0, …]
    llvm.intr.assume %0

A promise counts in every block that its own block dominates, before it stands as well as after
it: a block runs as a whole. Comparisons with a constant are understood, others say nothing.
"""

from __future__ import annotations

from functools import cached_property

from weft.analysis.integer_ranges.interval import Range, width_of
from weft.ir import arith, llvm, tt
from weft.ir.builtin import Block, ModuleOp, Operation, Region, SSAValue
from weft.ir.dominance import dominator_tree
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import constant_value, defining_op

__all__ = ["Assumptions"]

_UNSIGNED = {CmpIPredicate.ULT, CmpIPredicate.ULE, CmpIPredicate.UGT, CmpIPredicate.UGE}
_AT_MOST = {CmpIPredicate.ULT, CmpIPredicate.ULE, CmpIPredicate.SLT, CmpIPredicate.SLE}
_STRICT = {CmpIPredicate.ULT, CmpIPredicate.UGT, CmpIPredicate.SLT, CmpIPredicate.SGT}


class Assumptions:
    """The comparisons that a module promises to hold, by the values that they are about."""

    def __init__(self, module: ModuleOp) -> None:
        self._about: dict[SSAValue, list[tuple[arith.CmpIOp, Block]]] = {}
        for op in module.walk():
            if isinstance(op, llvm.AssumeOp) and op.parent is not None:
                compared = defining_op(op.cond)
                if isinstance(compared, arith.CmpIOp):
                    for operand in compared.operands:
                        self._about.setdefault(operand, []).append((compared, op.parent))

    def __contains__(self, value: SSAValue) -> bool:
        return value in self._about

    def range(self, value: SSAValue, where: Block) -> Range | None:
        """Return what is promised of a value in a block, None if nothing is."""
        found: Range | None = None
        for compared, promised in self._about.get(value, ()):
            if self._dominance.dominates(promised, where):
                bound = _bound(compared, value)
                if bound is not None:
                    found = bound if found is None else found.intersection(bound)
        if found is not None and found.smin >= 0:
            # Signed 0 ≤ x alone leaves the unsigned bound open; with x ≤ 9 it is 9 in both.
            return Range.signed(found.width, found.smin, found.smax)
        return found

    @cached_property
    def _dominance(self) -> _Dominance:
        return _Dominance({})


class _Dominance:
    """Which block is run before which, across nested regions."""

    def __init__(self, above: dict[Region, dict[Block, Block]]) -> None:
        self._above = above

    def dominates(self, block: Block, other: Block) -> bool:
        """Tell whether a block has begun whenever another one runs."""
        region = block.parent
        inner: Block | None = other
        while inner is not None and inner.parent is not region:
            around = inner.parent_op()
            inner = around.parent if around is not None else None
        if inner is None or region is None:
            return False
        parents = self._parents(region)
        while inner is not None and inner is not block:
            inner = parents.get(inner)
        return inner is block

    def _parents(self, region: Region) -> dict[Block, Block]:
        known = self._above.get(region)
        if known is None:
            tree = dominator_tree(region) if region.blocks.first is not region.blocks.last else {}
            known = {child: block for block, children in tree.items() for child in children}
            self._above[region] = known
        return known


def _bound(compared: arith.CmpIOp, value: SSAValue) -> Range | None:
    """Return the range that a comparison with a constant, if true, gives one of its sides."""
    left, right = compared.operands
    is_left = left is value
    number = constant_value(right if is_left else left)
    width = width_of(value.type)
    predicate = CmpIPredicate.of(compared.properties["predicate"])
    if not isinstance(number, int) or width is None or predicate is CmpIPredicate.NE:
        return None
    limit = Range.constant(width, number)
    if predicate is CmpIPredicate.EQ:
        return limit
    unsigned = predicate in _UNSIGNED
    full = Range.full(width)
    low, high = (full.umin, full.umax) if unsigned else (_least(value, full), full.smax)
    bound = limit.umin if unsigned else limit.smin
    if (predicate in _AT_MOST) == is_left:
        high = bound - (predicate in _STRICT)
    else:
        low = bound + (predicate in _STRICT)
    if low > high:
        return None  # a promise that cannot be kept
    return Range.unsigned(width, low, high) if unsigned else Range.signed(width, low, high)


def _least(value: SSAValue, full: Range) -> int:
    """Return the least number that a value can be by its own meaning: no program has -1 as id."""
    op: Operation | None = defining_op(value)
    return 0 if isinstance(op, tt.GetProgramIdOp | tt.GetNumProgramsOp) else full.smin
