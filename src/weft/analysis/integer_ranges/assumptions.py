"""Ranges that `tl.assume` implies.

    %0 = arith.cmpi sge, %n, %c0      %n: signed [0, …] in every block that this one dominates
    llvm.intr.assume %0

An assumption holds in its whole block, before it as well as after it, because a block runs as a
whole; and in all blocks that its block dominates. Comparisons with a constant are used, all others
are ignored.
"""

from __future__ import annotations

from weft.analysis.integer_ranges.integer_range import IntegerRange, width_of
from weft.ir import arith, llvm, tt
from weft.ir.builtin import Block, ModuleOp, Region, SSAValue
from weft.ir.dominance import dominator_tree
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import constant_value, defining_op

__all__ = ["Assumptions"]

_UNSIGNED = {CmpIPredicate.ULT, CmpIPredicate.ULE, CmpIPredicate.UGT, CmpIPredicate.UGE}
_UPPER_BOUNDS = {CmpIPredicate.ULT, CmpIPredicate.ULE, CmpIPredicate.SLT, CmpIPredicate.SLE}
_STRICT = {CmpIPredicate.ULT, CmpIPredicate.UGT, CmpIPredicate.SLT, CmpIPredicate.SGT}


class Assumptions:
    """The comparisons that a module assumes to hold, by the values that they compare."""

    def __init__(self, module: ModuleOp) -> None:
        self._dominance = _Dominance()
        self._comparisons: dict[SSAValue, list[tuple[arith.CmpIOp, Block]]] = {}
        for op in module.walk():
            if isinstance(op, llvm.AssumeOp) and op.parent is not None:
                comparison = defining_op(op.cond)
                if isinstance(comparison, arith.CmpIOp):
                    for operand in comparison.operands:
                        assumed = self._comparisons.setdefault(operand, [])
                        assumed.append((comparison, op.parent))

    def __contains__(self, value: SSAValue) -> bool:
        return value in self._comparisons

    def range_in(self, value: SSAValue, block: Block) -> IntegerRange | None:
        """Compute the range that assumptions imply for a value in a block, None if they do not."""
        result: IntegerRange | None = None
        for comparison, home in self._comparisons.get(value, ()):
            if self._dominance.dominates(home, block):
                bound = _implied_range(comparison, value)
                if bound is not None:
                    result = bound if result is None else result.intersection(bound)
        if result is not None and result.smin >= 0:
            # Signed 0 ≤ x alone leaves the unsigned bound open; with x ≤ 9 it is 9 in both.
            return IntegerRange.signed(result.width, result.smin, result.smax)
        return result


class _Dominance:
    """Dominance of blocks across nested regions; dominator trees are computed on demand."""

    def __init__(self) -> None:
        self._parents: dict[Region, dict[Block, Block]] = {}

    def dominates(self, block: Block, other: Block) -> bool:
        """Check whether every path to `other` enters `block` first."""
        region = block.parent
        # The block of the same region that `other` is in, or nested in.
        outer: Block | None = other
        while outer is not None and outer.parent is not region:
            op = outer.parent_op()
            outer = op.parent if op is not None else None
        if outer is None or region is None:
            return False
        # Climb the dominator tree from `other`.
        parents = self._dominator_parents(region)
        while outer is not None and outer is not block:
            outer = parents.get(outer)
        return outer is block

    def _dominator_parents(self, region: Region) -> dict[Block, Block]:
        """Compute the immediate dominator of each block of a region but the entry block."""
        parents = self._parents.get(region)
        if parents is None:
            tree = dominator_tree(region) if region.blocks.first is not region.blocks.last else {}
            parents = {child: block for block, children in tree.items() for child in children}
            self._parents[region] = parents
        return parents


def _implied_range(comparison: arith.CmpIOp, value: SSAValue) -> IntegerRange | None:
    """Compute the range of one side of a comparison with a constant that is true.

    Returns:
        The range; None if the other side is not constant, or the comparison is never true.
    """
    left, right = comparison.operands
    is_left = left is value
    number = constant_value(right if is_left else left)
    width = width_of(value.type)
    predicate = CmpIPredicate.of(comparison.properties["predicate"])
    if not isinstance(number, int) or width is None or predicate is CmpIPredicate.NE:
        return None
    constant = IntegerRange.constant(width, number)
    if predicate is CmpIPredicate.EQ:
        return constant
    is_unsigned = predicate in _UNSIGNED
    full = IntegerRange.full(width)
    low, high = (full.umin, full.umax) if is_unsigned else (_least_signed(value, full), full.smax)
    bound = constant.umin if is_unsigned else constant.smin
    # `x < 9` and `9 > x` bound x above; a strict bound is one less, or one more from below.
    if (predicate in _UPPER_BOUNDS) == is_left:
        high = bound - (predicate in _STRICT)
    else:
        low = bound + (predicate in _STRICT)
    if low > high:
        return None
    if is_unsigned:
        return IntegerRange.unsigned(width, low, high)
    return IntegerRange.signed(width, low, high)


def _least_signed(value: SSAValue, full: IntegerRange) -> int:
    """Compute the least signed number of a value from its definition."""
    is_program = isinstance(defining_op(value), tt.GetProgramIdOp | tt.GetNumProgramsOp)
    return 0 if is_program else full.smin
