"""Whether a loop runs, and whether its number of iterations depends on another loop."""

from __future__ import annotations

from weft.analysis.slices import backward_slice
from weft.ir import arith, llvm, scf, types
from weft.ir.attributes import number
from weft.ir.builtin import OpResult, SSAValue
from weft.ir.constants import constant_attribute
from weft.ir.enums import CmpIPredicate

__all__ = ["depends_on", "runs_at_least_once"]

_MIRRORED = {
    CmpIPredicate.SLT: CmpIPredicate.SGT,
    CmpIPredicate.SLE: CmpIPredicate.SGE,
    CmpIPredicate.SGT: CmpIPredicate.SLT,
    CmpIPredicate.SGE: CmpIPredicate.SLE,
    CmpIPredicate.EQ: CmpIPredicate.EQ,
}


def depends_on(value: SSAValue, other: SSAValue) -> bool:
    """Check whether a value is computed from another one."""
    if value is other:
        return True
    if not isinstance(value, OpResult):
        return False
    ops = {value.op, *backward_slice(value.op, omit_block_arguments=True)}
    return any(use.operation in ops for use in other.uses)


def runs_at_least_once(loop: scf.ForOp) -> bool:
    """Check whether constants and assumptions about the bounds prove that a loop runs."""
    return _range(loop.lower_bound)[1] < _range(loop.upper_bound)[0]


def _range(value: SSAValue) -> tuple[int, int]:
    """Find the least and the greatest value of an integer, by constants and `llvm.intr.assume`."""
    constant = number(constant_attribute(value))
    if isinstance(constant, int):
        return constant, constant
    bits = types.bit_width(value.type) if value.type != types.index else 64
    least, greatest = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    for use in value.uses:
        comparison = use.operation
        if not isinstance(comparison, arith.CmpIOp) or not any(
            isinstance(each.operation, llvm.AssumeOp) for each in comparison.results[0].uses
        ):
            continue
        predicate = CmpIPredicate.of(comparison.predicate)
        bound = number(constant_attribute(comparison.operands[1 - use.index]))
        if use.index == 1:
            predicate = _MIRRORED.get(predicate, predicate)
        if not isinstance(bound, int):
            continue
        match predicate:
            case CmpIPredicate.SGT:
                least = max(least, bound + 1)
            case CmpIPredicate.SGE:
                least = max(least, bound)
            case CmpIPredicate.SLT:
                greatest = min(greatest, bound - 1)
            case CmpIPredicate.SLE:
                greatest = min(greatest, bound)
            case CmpIPredicate.EQ:
                least, greatest = max(least, bound), min(greatest, bound)
            case _:
                pass
    return least, greatest
