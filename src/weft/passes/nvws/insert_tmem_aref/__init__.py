"""Hand accumulators in TMEM from partition to partition (nvws-insert-tmem-aref).

Before:  %m, %t0 = ttng.tmem_alloc
         scf.for … iter_args(%t = %t0) {
           %t1 = ttng.tc_gen5_mma %a, %b, %m[%t] {ttg.partition = array<i32: 1>}
           %x, %t2 = ttng.tmem_load %m[%t1] {ttg.partition = array<i32: 0>}
           scf.yield %t2
After:   %n = ttng.tmem_alloc                       two buffers, if iterations can overlap
         %r = nvws.aref.create %n
         %b0, %u0 = nvws.aref.put.enter %r
         scf.for … iter_args(%u = %u0) {
           %c = nvws.aref.buffer %r, %u             {ttg.partition = array<i32: 1>}
           ttng.tc_gen5_mma %a, %b, %c
           nvws.aref.put.exit %r, %u [tc5mma]
           %d, %v = nvws.aref.get.enter %r          {ttg.partition = array<i32: 0>}
           %x = ttng.tmem_load %d
           nvws.aref.get.exit %r, %v [none]
           %e, %u1 = nvws.aref.put.enter %r         {ttg.partition = array<i32: 1>}
           scf.yield %u1

Needs partitions, and tokens of the accumulators. Source: Triton, InsertTmemAref.cpp.
"""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

from msgspec import Struct

from weft.errors import PassError
from weft.ir import locations, scf, tt, ttg, ttng, ub
from weft.ir.builtin import ModuleOp
from weft.ir.loop_attributes import DISALLOW_ACC_MULTI_BUFFER, WARP_SPECIALIZE
from weft.ir.rewriting import Builder, walk_inner_first
from weft.passes.nvws.insert_tmem_aref.accesses import Access, accesses_to, owners_of
from weft.passes.nvws.insert_tmem_aref.ownership import (
    Ownership,
    hand_over,
    store_initial_value,
)
from weft.passes.nvws.insert_tmem_aref.split_conditionals import split_conditionals
from weft.passes.pipelining.blackwell.mma_v5 import MMAS, Mma
from weft.passes.pipelining.blackwell.tmem_accumulators import (
    can_multi_buffer_accumulator,
    modifies_what_it_reads,
)
from weft.passes.pipelining.partitions.arefs import allocate, create_aref, multi_buffered
from weft.passes.pipelining.partitions.attributes import (
    warp_specialized_loop,
)
from weft.passes.pipelining.schedule.loop_schedule import stage_and_cluster
from weft.passes.rewrite.nesting import ancestor_in_block

__all__ = ["InsertTmemAref"]

_MAX_OWNERS = 2
_ROWS, _COLUMNS, _WIDE = 128, 512, 256
_ACCESSES = (ttng.TMEMLoadOp, ttng.TMEMStoreOp, *MMAS)


class InsertTmemAref(Struct, frozen=True):
    """Makes partitions that access a buffer in TMEM take turns."""

    name: ClassVar[str] = "nvws-insert-tmem-aref"

    def run(self, module: ModuleOp) -> None:
        """Insert references in functions with a warp-specialized loop."""
        for function in [op for op in module.walk() if isinstance(op, tt.FuncOp)]:
            ops = list(walk_inner_first(function))
            if not any(
                isinstance(op, scf.ForOp) and WARP_SPECIALIZE in op.attributes for op in ops
            ):
                continue
            elements = 0
            for root in [accesses_to(op) for op in ops if isinstance(op, ttng.TMEMAllocOp)]:
                is_used_outside, owners = owners_of(root)
                count = len({owner for owner, _ in owners})
                if count > _MAX_OWNERS:
                    raise PassError(
                        "more than two partitions access a buffer in tensor memory",
                        location=locations.position(root.op.location),
                        found=f"{count} partitions",
                        accepted=["one partition with MMAs, and another one"],
                        hint="remove warp_specialize=True",
                    )
                if count + is_used_outside > 1:
                    elements = _insert_aref(root, elements)
            split_conditionals(function)


def _insert_aref(root: Access, elements: int) -> int:
    """Replace a buffer by a reference.

    Args:
        root: The allocation and its accesses.
        elements: The elements of the buffers so far.

    Returns:
        The elements with those of the new buffers.
    """
    allocation = root.op
    assert isinstance(allocation, ttng.TMEMAllocOp)
    assert root.following is not None
    type_ = allocation.results[0].type
    assert isinstance(type_, ttg.MemDescType)
    count = 2 if _can_double_buffer(root, elements) else 1
    elements += type_.shape[0] * type_.shape[1] * count
    loop = warp_specialized_loop(allocation)
    builder = Builder().before(allocation if loop is None else loop)
    aref = create_aref(builder, [allocate(builder, multi_buffered(type_, count))])
    poison = builder.value(ub.PoisonOp, (), ttg.async_token)
    state = Ownership(aref, allocation.results[0], poison)
    owner = root.owner
    if allocation.src is None and loop is not None:
        owner = root.following.owner
    builder = Builder().before(allocation)
    state.acquire(builder, owner, stage_and_cluster(allocation))
    if state.owner is None:
        # The buffer is released by the first partition that owns it.
        access: Access | None = root.following
        while access is not None and state.owner is None:
            state.owner = access.owner
            access = access.following
    if allocation.src is not None:
        store_initial_value(builder, allocation, owner, state)
    last = hand_over(root.following, owner, state)
    if loop is not None:
        builder.after(last.op)
    else:
        assert aref.parent is not None
        outer = ancestor_in_block(last.op, aref.parent)
        assert outer is not None
        if last.owner is not None:
            state.positions[last.owner] = None
        builder.after(outer)
    state.release(builder)
    if not state.is_put:
        # A put without a get would block the next one, so that the other partition gets it.
        others = sorted({owner for owner, _ in owners_of(root)[1] if owner != state.owner})
        state.acquire(builder, others[0] if others else None, None)
        state.release(builder)
    return elements


def _can_double_buffer(root: Access, elements: int) -> bool:
    """Check whether the next accumulation can begin while the last one is read.

    Args:
        root: The allocation and its accesses.
        elements: The elements of the buffers so far.
    """
    if not _has_producer_and_consumer(root):
        return False
    for use in root.op.results[0].uses:
        mma = use.operation
        loop = mma.parent_op()
        if isinstance(mma, MMAS) and isinstance(loop, scf.ForOp):
            outer = warp_specialized_loop(loop)
            if (
                modifies_what_it_reads(mma, loop)
                or not can_multi_buffer_accumulator(mma, loop)
                or (outer is not None and DISALLOW_ACC_MULTI_BUFFER in outer.attributes)
                or not _fits_twice(mma, elements)
            ):
                return False
    return True


def _fits_twice(mma: Mma, elements: int) -> bool:
    """Check whether tensor memory holds two accumulators of an MMA."""
    type_ = mma.d.type
    assert isinstance(type_, ttg.MemDescType)
    rows, columns = type_.shape
    if elements + rows * columns * 2 > _ROWS * _COLUMNS:
        return False
    return not (isinstance(mma, ttng.TCGen5MMAScaledOp) and columns == _WIDE)


def _has_producer_and_consumer(root: Access) -> bool:
    """Check whether one partition writes the buffer, then another one reads it, then the first.

    Without this, the second partition writes the buffer, too.
    """
    _, owners = owners_of(root)
    writes = True
    changes = 0
    for (owner, op), (following, _) in pairwise(owners):
        if isinstance(op, _ACCESSES) and isinstance(op, ttng.TMEMLoadOp) is writes:
            return False
        if owner != following:
            writes = not writes
            changes += 1
    return changes == _MAX_OWNERS
