"""Sink TMEM loads and allocations to reduce register pressure (triton-nvidia-interleave-tmem).

Before:  %x = ttng.tmem_load %m         After:  %p = tt.addptr …
         %p = tt.addptr …                       %x = ttng.tmem_load %m
         tt.store %p, %x                        tt.store %p, %x

A tile of an accumulator needs many registers; a late load shortens their live range. A load is
moved down, with the pure operations directly after it that are its only users, to the first
operation that uses the result, may write or free the buffer, or signals an mbarrier. Allocations
are moved likewise, to shorten the live ranges of buffers.

Two buffers may overlap unless they have different allocations or are disjoint slices. The query
creates the offsets of a slice as constants, as Triton's does. `cse` erases them later.

Keeps: values, and the order of accesses to one buffer. Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from weft.ir import tt, ttg, ttng, types
from weft.ir.builtin import BlockArgument, ModuleOp, Operation, SSAValue
from weft.ir.interfaces import Effect, get_effects, is_memory_effect_free
from weft.ir.rewriting import Builder, constant_value, move_before, walk
from weft.passes.rewrite.traits import is_terminator

__all__ = ["InterleaveTmem"]

# Nothing moves across these, as they may write any memory. Assembly and external functions may be
# free of effects.
_ORDERED = (
    tt.ElementwiseInlineAsmOp,
    tt.ExternElementwiseOp,
    ttg.AsyncCommitGroupOp,
    ttg.AsyncWaitOp,
    ttg.BarrierOp,
    ttng.TMAStoreWaitOp,
    ttng.WarpGroupDotWaitOp,
)

# Operations without memory effects that must not move with a load.
_BUFFERS = (ttg.LocalAllocOp, ttng.TMEMAllocOp, ttng.WarpGroupDotOp)

_Range = tuple[int, int] | None  # [first, end); None if unknown


class InterleaveTmem(Struct, frozen=True):
    """Move every TMEM load and allocation as far down as possible."""

    name: ClassVar[str] = "triton-nvidia-interleave-tmem"

    def run(self, module: ModuleOp) -> None:
        """Move loads and allocations in place."""
        candidates = [
            op for op in walk(module) if isinstance(op, ttng.TMEMLoadOp | ttng.TMEMAllocOp)
        ]
        for op in candidates:
            buffer = op.src if isinstance(op, ttng.TMEMLoadOp) else op.results[0]
            assert buffer is not None
            while _sink(op, buffer):
                pass


def _sink(op: Operation, buffer: SSAValue) -> bool:
    """Move an operation and its followers down; return whether they moved."""
    chain = _with_followers(op)
    results = {result for member in chain for result in member.results}
    following = chain[-1].next_op
    target: Operation | None = None
    while following is not None and not is_terminator(type(following)):
        target = following
        uses_result = any(value in results for value in _operands(following))
        # The aliases of a user are queried too, because of the constants that queries leave.
        if isinstance(following, ttng.ArriveBarrierOp) or _may_write(following, buffer):
            break
        if uses_result:
            break
        following = following.next_op
    if target is None or target is chain[-1].next_op:
        return False
    for member in chain:
        move_before(member, target)
    return True


def _with_followers(op: Operation) -> list[Operation]:
    """List an operation and the pure operations directly after it that are its only users."""
    chain = [op]
    while True:
        uses = [use for result in chain[-1].results for use in result.uses]
        if len(uses) != 1 or uses[0].operation is not chain[-1].next_op:
            return chain
        if isinstance(uses[0].operation, _BUFFERS) or not is_memory_effect_free(uses[0].operation):
            return chain
        chain.append(uses[0].operation)


def _operands(op: Operation) -> Iterator[SSAValue]:
    """Yield the operands of an operation and of its nested operations."""
    for inner in op.walk():
        yield from inner.operands


def _may_write(op: Operation, buffer: SSAValue) -> bool:
    """Check whether an operation may write or free a TMEM buffer."""
    for inner in op.walk():
        if inner.regions:
            continue
        effects = get_effects(inner)
        if effects & Effect.UNKNOWN or (effects and isinstance(inner, _ORDERED)):
            return True
        buffer_ = _written_buffer(inner)
        if buffer_ is not None and _may_overlap(buffer_, buffer):
            return True
    return False


def _written_buffer(op: Operation) -> SSAValue | None:
    """Return the TMEM buffer that an operation writes; None if it writes none."""
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
    for own, other in zip(first[1], second[1], strict=False):
        if own is not None and other is not None and (own[1] <= other[0] or other[1] <= own[0]):
            return False
    return True


def _access(value: SSAValue) -> tuple[SSAValue, list[_Range]] | None:
    """Return the allocation of a view and its range along each dimension; None if unknown."""
    if isinstance(value, BlockArgument):
        parent = value.block.parent_op()
        if isinstance(parent, ttg.WarpSpecializePartitionsOp):
            return _access(parent.operands[value.index])
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
    """Compute the range of one buffer of several.

    As in Triton, the offsets along the other dimensions are unused constants before the operation.
    """
    builder = Builder().before(op)
    buffer = op.results[0].type
    assert isinstance(buffer, ttg.MemDescType)
    for _ in range(len(buffer.shape) - 1):
        builder.constant(0, types.i32)
    candidates = _access(op.src)
    if candidates is None:
        return None
    number = constant_value(op.index)
    index_range: _Range = None if number is None else (int(number), int(number) + 1)
    return candidates[0], [index_range, *candidates[1][1:]]


def _columns(op: ttng.TMEMSubSliceOp, size: int) -> tuple[SSAValue, list[_Range]] | None:
    candidates = _access(op.src)
    if candidates is None or candidates[1][-1] is None:
        return candidates
    start = candidates[1][-1][0] + op.N.value.data
    return candidates[0], [*candidates[1][:-1], (start, start + size)]
