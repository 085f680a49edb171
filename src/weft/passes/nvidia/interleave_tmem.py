"""Read tensor memory as late as can be (`triton-nvidia-interleave-tmem`).

Before:  %x = ttng.tmem_load %m         After:  %p = tt.addptr …
         %p = tt.addptr …                       %x = ttng.tmem_load %m
         tt.store %p, %x                        tt.store %p, %x

A tile of an accumulator takes many registers; loaded late, it takes them for a short while. A load
moves, with the pure operations right behind it that alone use it, down to what reads them, or what
may write the same buffer, frees it, or signals that it may be written. Allocations move likewise,
so that buffers live shorter.

Two buffers overlap unless they come from different allocations, or are parts that do not meet.

Keeps: values, and the order of accesses to one buffer. Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from weft.ir import ttg, ttng
from weft.ir.builtin import BlockArgument, ModuleOp, Operation, SSAValue
from weft.ir.interfaces import Effect, get_effects, is_memory_effect_free
from weft.ir.rewriting import constant_value, move_before, walk
from weft.passes.rewrite.traits import is_terminator

__all__ = ["InterleaveTmem"]

# Nothing moves across these: what belongs to a group of copies is not told.
_ORDERED = (ttg.AsyncCommitGroupOp, ttg.AsyncWaitOp)

# Free of effects where they are not written later, but no mere values.
_BUFFERS = (ttg.LocalAllocOp, ttng.TMEMAllocOp, ttng.WarpGroupDotOp)

_Range = tuple[int, int] | None  # first and behind the last; None where it is not known


@dataclass(frozen=True, slots=True)
class InterleaveTmem:
    """Post: no load of tensor memory could stand further down."""

    name: ClassVar[str] = "triton-nvidia-interleave-tmem"

    def run(self, module: ModuleOp) -> None:
        """Move loads and allocations in place."""
        found = [op for op in walk(module) if isinstance(op, ttng.TMEMLoadOp | ttng.TMEMAllocOp)]
        for op in found:
            buffer = op.src if isinstance(op, ttng.TMEMLoadOp) else op.results[0]
            assert buffer is not None
            while _sink(op, buffer):
                pass


def _sink(op: Operation, buffer: SSAValue) -> bool:
    """Move an operation, with its followers, down to what must stay behind; tell if it moved."""
    chain = _with_followers(op)
    results = {result for one in chain for result in one.results}
    first = following = chain[-1].next_op
    place: Operation | None = None
    while following is not None and not is_terminator(type(following)):
        place = following
        if any(value in results for value in _read(following)):
            break
        if isinstance(following, ttng.ArriveBarrierOp) or _touches(following, buffer):
            break
        following = following.next_op
    if place is None or place is first:
        return False
    for one in chain:
        move_before(one, place)
    return True


def _with_followers(op: Operation) -> list[Operation]:
    """Return an operation and the pure ones right behind it, each the only use of the last."""
    chain = [op]
    while True:
        uses = [use for result in chain[-1].results for use in result.uses]
        if len(uses) != 1 or uses[0].operation is not chain[-1].next_op:
            return chain
        if isinstance(uses[0].operation, _BUFFERS) or not is_memory_effect_free(uses[0].operation):
            return chain
        chain.append(uses[0].operation)


def _read(op: Operation) -> Iterator[SSAValue]:
    """Yield what an operation, or any inside it, reads."""
    for inner in op.walk():
        yield from inner.operands


def _touches(op: Operation, buffer: SSAValue) -> bool:
    """Tell whether an operation may write or free a buffer in tensor memory."""
    for inner in op.walk():
        if inner.regions:
            continue
        if isinstance(inner, _ORDERED) or get_effects(inner) & Effect.UNKNOWN:
            return True
        written = _written(inner)
        if written is not None and _may_overlap(written, buffer):
            return True
    return False


def _written(op: Operation) -> SSAValue | None:
    """Return the buffer in tensor memory that an operation writes."""
    if isinstance(op, ttng.TMEMStoreOp | ttng.TMEMCopyOp):
        return op.dst
    if isinstance(op, ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp):
        return op.d
    if isinstance(op, ttng.TMEMAllocOp) and op.src is not None:
        return op.results[0]
    return None


# ----------------------------------------------------------------------------------- overlaps
def _may_overlap(a: SSAValue, b: SSAValue) -> bool:
    first, second = _access(a), _access(b)
    if first is None or second is None:
        return True
    if first[0] is not second[0]:
        return False
    for one, other in zip(first[1], second[1], strict=False):
        if one is not None and other is not None and (one[1] <= other[0] or other[1] <= one[0]):
            return False
    return True


def _access(value: SSAValue) -> tuple[SSAValue, list[_Range]] | None:
    """Return the allocation behind a view and the part of it that is seen; None if unknown."""
    if isinstance(value, BlockArgument):
        parent = value.block.parent_op()
        if isinstance(parent, ttg.WarpSpecializePartitionsOp):
            around = parent.parent_op()
            assert around is not None
            return _access(around.operands[value.index])
        return None
    op = value.owner
    type_ = value.type
    if not isinstance(type_, ttg.MemDescType) or not isinstance(op, Operation):
        return None
    if isinstance(op, ttng.TMEMAllocOp):
        return value, [(0, size) for size in type_.shape]
    if isinstance(op, ttg.MemDescTransOp | ttg.MemDescReshapeOp):
        return _access(op.src)
    if isinstance(op, ttg.MemDescIndexOp):
        return _part_by_index(op)
    if isinstance(op, ttng.TMEMSubSliceOp):
        return _columns(op, type_.shape[1])
    return None


def _part_by_index(op: ttg.MemDescIndexOp) -> tuple[SSAValue, list[_Range]] | None:
    found = _access(op.src)
    if found is None:
        return None
    number = constant_value(op.index)
    at: _Range = None if number is None else (int(number), int(number) + 1)
    return found[0], [at, *found[1][1:]]


def _columns(op: ttng.TMEMSubSliceOp, size: int) -> tuple[SSAValue, list[_Range]] | None:
    found = _access(op.src)
    if found is None or found[1][-1] is None:
        return found
    start = found[1][-1][0] + op.N.value.data
    return found[0], [*found[1][:-1], (start, start + size)]
