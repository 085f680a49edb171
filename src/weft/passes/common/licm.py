"""Move what every iteration computes alike in front of the loop (`triton-licm`).

Before:  scf.for %i = %lo to %hi {                After:  %a = arith.addi %m, %n
           %a = arith.addi %m, %n                         %c = arith.cmpi slt, %lo, %hi
           %x = tt.load %p, %mask                         %s = tt.splat %c
           …                                              %k = arith.andi %s, %mask
         }                                                %x = tt.load %p, %k
                                                          scf.for %i = %lo to %hi { … }

An operation moves if all that it reads comes from outside and it may run where the loop would
not: it touches no memory and cannot fail. A load of a counted loop in which nothing writes moves
too, masked by "the loop runs at all". Inner loops come first, so what they give up may move on.

Keeps: the order of what moves and of what stays. Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import ClassVar

from weft.ir import arith, scf, tt, types
from weft.ir.builtin import Block, BlockArgument, ModuleOp, Operation, OpResult, Region, SSAValue
from weft.ir.enums import CmpIPredicate
from weft.ir.interfaces import Effect, get_effects
from weft.ir.rewriting import Builder, constant_value, move_before
from weft.passes.rewrite.deadness import is_terminator

__all__ = ["Licm", "cannot_fail", "hoist_invariant"]

_LOOPS = (scf.ForOp, scf.WhileOp)
_DIVISIONS = (
    arith.DivSIOp,
    arith.DivUIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
    arith.FloorDivSIOp,
)
_SIGNED_DIVISIONS = (arith.DivSIOp, arith.CeilDivSIOp, arith.FloorDivSIOp)


@dataclass(frozen=True, slots=True)
class Licm:
    """Post: no loop holds an operation that could stand in front of it."""

    name: ClassVar[str] = "triton-licm"

    def run(self, module: ModuleOp) -> None:
        """Move loop-invariant operations in place."""
        for loop in _inner_first(module):
            _empty_loop(loop)


def _inner_first(op: Operation) -> list[Operation]:
    """Return the loops inside an operation, each after those inside it."""
    found: list[Operation] = []
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if inner.regions:
                    found += _inner_first(inner)
    if isinstance(op, _LOOPS):
        found.append(op)
    return found


def hoist_invariant(loop: Operation) -> None:
    """Move what a loop computes alike each time in front of it; loads stay."""
    _empty_loop(loop, loads=False)


def _empty_loop(loop: Operation, loads: bool = True) -> None:
    for region in loop.regions:
        todo = deque(op for block in region.blocks for op in block.ops)
        while todo:
            op = todo.popleft()
            if _region_of(op) is not region or is_terminator(type(op)):
                continue
            if isinstance(op, tt.LoadOp) and not loads:
                continue
            if not (_reads_only_outside(op, loop) and _may_move(op, loop)):
                continue
            if isinstance(op, tt.LoadOp):
                assert isinstance(loop, scf.ForOp)
                _move_load(op, loop)
            else:
                move_before(op, loop)
            for result in op.results:
                todo += (u.operation for u in result.uses if _region_of(u.operation) is region)


def _region_of(op: Operation) -> Region | None:
    block = op.parent
    return block.parent if block is not None else None


def _reads_only_outside(op: Operation, loop: Operation) -> bool:
    """Tell whether an operation, with all inside it, reads nothing defined in the loop."""
    if not op.regions:
        return all(_is_outside(operand, loop) for operand in op.operands)
    return all(
        _is_outside(operand, loop) or _is_within(operand, op)
        for inner in op.walk()
        for operand in inner.operands
    )


def _is_outside(value: SSAValue, loop: Operation) -> bool:
    return not _is_within(value, loop)


def _is_within(value: SSAValue, around: Operation) -> bool:
    """Tell whether a value is defined inside an operation."""
    if isinstance(value, OpResult):
        block = value.op.parent
    else:
        assert isinstance(value, BlockArgument)
        block = value.owner
    while isinstance(block, Block) and block.parent is not None:
        owner = block.parent.parent
        if owner is around:
            return True
        block = owner.parent if owner is not None else None
    return False


def _may_move(op: Operation, loop: Operation) -> bool:
    if isinstance(op, tt.LoadOp):
        return isinstance(loop, scf.ForOp) and not get_effects(loop) & (
            Effect.WRITE | Effect.UNKNOWN
        )
    return get_effects(op) is Effect.NONE and cannot_fail(op)


def cannot_fail(op: Operation) -> bool:
    """Tell whether running an operation where it would not have run is harmless."""
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
        cannot_fail(inner)
        for region in op.regions
        for block in region.blocks
        for inner in block.ops
    )


def _move_load(op: tt.LoadOp, loop: scf.ForOp) -> None:
    """Move a load in front of a counted loop, masked by whether the loop runs at all."""
    builder = Builder().before(loop)
    builder.location = op.location
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
