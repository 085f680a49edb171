"""Loop-invariant code motion, including loads.

Before:  scf.for %i = %lo to %hi {                After:  %a = arith.addi %m, %n
           %a = arith.addi %m, %n                         %c = arith.cmpi slt, %lo, %hi
           %x = tt.load %p, %mask                         %s = tt.splat %c
           …                                              %k = arith.andi %s, %mask
         }                                                %x = tt.load %p, %k
                                                          scf.for %i = %lo to %hi { … }

An operation is hoisted if it only uses values from outside, has no effect on memory and is
speculatable, because it now runs even if the loop does not. A load is hoisted out of an scf.for
that writes no memory, masked by the condition that the loop runs. Inner loops are processed first,
so that an operation can leave several loops.

Preserves the order of the operations that are hoisted and of those that stay.
Source: measured on Triton 3.7.1 (`triton-licm`).
"""

from __future__ import annotations

from collections import deque
from typing import ClassVar

from msgspec import Struct

from weft.ir import arith, scf, tt, ttg, ttng, types
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.enums import CmpIPredicate
from weft.ir.interfaces import Effect, get_effects
from weft.ir.rewriting import Builder, constant_value, move_before
from weft.passes.rewrite.nesting import is_defined_inside
from weft.passes.rewrite.traits import is_terminator

__all__ = ["Licm", "is_speculatable", "hoist_invariant"]

_LOOPS = (scf.ForOp, scf.WhileOp)
_ALLOCATIONS = (ttg.LocalAllocOp, ttng.TMEMAllocOp)
_DIVISIONS = (
    arith.DivSIOp,
    arith.DivUIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
    arith.FloorDivSIOp,
)
_SIGNED_DIVISIONS = (arith.DivSIOp, arith.CeilDivSIOp, arith.FloorDivSIOp)


class Licm(Struct, frozen=True):
    """Hoists loop-invariant operations out of loops."""

    name: ClassVar[str] = "triton-licm"

    def run(self, module: ModuleOp) -> None:
        """Hoist loop-invariant operations in place."""
        for loop in _loops_post_order(module):
            _hoist(loop, loads=True)


def _loops_post_order(op: Operation) -> list[Operation]:
    """List the loops inside an operation, inner loops before outer ones."""
    loops: list[Operation] = []
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if inner.regions:
                    loops += _loops_post_order(inner)
    if isinstance(op, _LOOPS):
        loops.append(op)
    return loops


def hoist_invariant(loop: Operation) -> None:
    """Hoist loop-invariant operations except loads out of a loop."""
    _hoist(loop, loads=False)


def _hoist(loop: Operation, loads: bool) -> None:
    for region in loop.regions:
        worklist = deque(op for block in region.blocks for op in block.ops)
        while worklist:
            op = worklist.popleft()
            if op.parent_region() is not region or is_terminator(type(op)):
                continue
            if isinstance(op, tt.LoadOp) and not loads:
                continue
            if not (_uses_only_outer_values(op, loop) and _can_hoist(op, loop)):
                continue
            if isinstance(op, tt.LoadOp):
                assert isinstance(loop, scf.ForOp)
                _hoist_load(op, loop)
            else:
                move_before(op, loop)
            # Users in the loop may be invariant now.
            for result in op.results:
                worklist += (
                    u.operation for u in result.uses if u.operation.parent_region() is region
                )


def _uses_only_outer_values(op: Operation, loop: Operation) -> bool:
    """Check whether an operation and its regions use no value that the loop defines."""
    if not op.regions:
        return not any(is_defined_inside(operand, loop) for operand in op.operands)
    return not any(
        is_defined_inside(operand, loop) and not is_defined_inside(operand, op)
        for inner in op.walk()
        for operand in inner.operands
    )


def _can_hoist(op: Operation, loop: Operation) -> bool:
    if isinstance(op, tt.LoadOp):
        return isinstance(loop, scf.ForOp) and not get_effects(loop) & (
            Effect.WRITE | Effect.UNKNOWN
        )
    return get_effects(op) is Effect.NONE and is_speculatable(op)


def is_speculatable(op: Operation) -> bool:
    """Check whether an operation may run where the program would not run it.

    A division may not, unless its divisor is a constant other than 0, or -1 if it is signed. A loop
    may not, unless it is an scf.for with step 1, which always ends. An allocation may not either,
    though that of an immutable buffer counts as free of effects: its buffer would stay live in the
    whole loop.
    """
    if isinstance(op, _ALLOCATIONS):
        return False
    if isinstance(op, _DIVISIONS):
        divisor = constant_value(op.operands[1])
        if divisor is None or divisor == 0:
            return False
        return not (isinstance(op, _SIGNED_DIVISIONS) and divisor == -1)
    if isinstance(op, scf.WhileOp):
        return False
    if isinstance(op, scf.ForOp) and constant_value(op.step) != 1:
        return False
    return all(
        is_speculatable(inner)
        for region in op.regions
        for block in region.blocks
        for inner in block.ops
    )


def _hoist_load(op: tt.LoadOp, loop: scf.ForOp) -> None:
    """Move a load before a loop, masked by the condition that the loop runs."""
    builder = Builder().before(loop)
    low, high, _ = loop.bounds
    is_unsigned = "unsignedCmp" in loop.properties
    predicate = CmpIPredicate.ULT if is_unsigned else CmpIPredicate.SLT
    properties = {"predicate": predicate.attr()}
    mask: SSAValue = builder.value(arith.CmpIOp, [low, high], types.i1, properties)
    address = op.operands[0].type
    if types.is_tensor(address):
        mask = builder.value(tt.SplatOp, [mask], types.with_element(address, types.i1))
    operands = list(op.operands)
    if len(operands) > 1:
        mask = builder.value(arith.AndIOp, [mask, operands[1]], mask.type)
        operands[1] = mask
    else:
        operands.append(mask)
    op.operands = operands
    move_before(op, loop)
