"""Multi-buffer an accumulator in tensor memory.

Before:  %m = ttng.tmem_alloc                    After:  %m = ttng.tmem_alloc … 2x128x128
         scf.for … {                                     scf.for … iter_args(%i = %c-1) {
           ttng.tc_gen5_mma %a, %b, %m, %use               %n = select %use, %i, (%i + 1) mod 2
           %x = ttng.tmem_load %m                          %v = ttg.memdesc_index %m[%n]
         }                                                 ttng.tc_gen5_mma %a, %b, %v, %use
                                                           %w = ttg.memdesc_index %m[%n]
                                                           %x = ttng.tmem_load %w
                                                           scf.yield %n
                                                         }

The next MMA can write its buffer while the result of the previous one is loaded. The loop changes
to the next buffer where it starts a new sum: at a store, and at an MMA that ignores its
accumulator.
"""

from __future__ import annotations

from weft.errors import PassError
from weft.ir import arith, locations, scf, ttg, ttng, types, ub
from weft.ir.builtin import BlockArgument, Operation, OpResult, SSAValue
from weft.ir.constants import boolean_value, constant_attribute
from weft.ir.rewriting import Builder, ancestors, erase
from weft.passes.pipelining.blackwell.mma_v5 import MMAS, Mma
from weft.passes.pipelining.buffers.multi_buffers import (
    buffer_array_type,
    increment_modulo,
    select_buffer,
)
from weft.passes.pipelining.loop_queries import is_inside
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule
from weft.passes.pipelining.schedule.stage_builder import StageBuilder
from weft.passes.rewrite.nesting import ancestor_in_block, precedes
from weft.passes.rewrite.operands import set_operand

__all__ = ["multi_buffer_accumulator", "reads_initial_value"]


def reads_initial_value(allocation: ttng.TMEMAllocOp, loop: scf.ForOp) -> bool:
    """Check whether a loop, or what follows it, may read what was stored before the loop.

    That is in the first buffer, so the loop starts with its index. Triton starts before the first
    buffer in any case, and reads memory that it did not allocate.
    """
    users = [use.operation for use in allocation.results[0].uses]
    outside = [user for user in users if not is_inside(user, loop)]
    if not any(isinstance(user, ttng.TMEMStoreOp) and not precedes(loop, user) for user in outside):
        return False
    if any(isinstance(user, ttng.TMEMLoadOp) and precedes(loop, user) for user in outside):
        return True
    return not _starts_new_sum(users, loop)


def _starts_new_sum(users: list[Operation], loop: scf.ForOp) -> bool:
    """Check whether the first access of the first iteration overwrites an accumulator."""
    first = next(op for op in loop.block.ops if any(_contains(op, user) for user in users))
    if isinstance(first, ttng.TMEMStoreOp):
        return boolean_value(constant_attribute(first.pred)) is True
    if not isinstance(first, MMAS):
        return False
    flag: SSAValue = first.useD
    if isinstance(flag, BlockArgument) and flag.block is loop.block and flag.index > 0:
        flag = loop.init_args[flag.index - 1]
    return boolean_value(constant_attribute(flag)) is False


def _contains(op: Operation, other: Operation) -> bool:
    return op is other or op in ancestors(other)


def multi_buffer_accumulator(
    allocation: ttng.TMEMAllocOp, loop: scf.ForOp, schedule: LoopSchedule, index: int, count: int
) -> None:
    """Give an accumulator several buffers.

    Args:
        allocation: The allocation, before the loop.
        loop: The loop.
        schedule: Its schedule; new operations are added.
        index: The index of the iter_arg that is the index of the buffer.
        count: The number of buffers.

    Raises:
        PassError: The loop never starts a new sum.
    """
    buffers = _TmemBuffers(allocation, loop, schedule, index, count)
    users = [use.operation for use in allocation.results[0].uses]
    can_change = False
    for user in users:
        if isinstance(user, ttng.TMEMStoreOp):
            can_change |= is_inside(user, loop)
            buffers.lower_store(user)
        elif isinstance(user, ttng.TMEMLoadOp):
            buffers.lower_load(user)
        elif isinstance(user, MMAS):
            can_change = boolean_value(constant_attribute(user.useD)) is not True
            buffers.lower_mma(user)
        else:
            raise PassError(
                "unsupported user of the accumulator",
                location=locations.position(user.location),
                found=user.name,
            )
    if not can_change:
        raise PassError(
            "cannot multi-buffer the accumulator",
            location=locations.position(allocation.location),
            found="no store to the accumulator, and an MMA that always uses it",
            hint="set disallow_acc_multi_buffer=True for this loop",
        )
    buffers.finish()


class _TmemBuffers:
    """The buffers of an accumulator, and the index of the current one in a loop's body.

    Attributes:
        allocation: The allocation that they replace.
        loop: The loop.
        buffers: The allocation of all buffers.
    """

    def __init__(
        self,
        allocation: ttng.TMEMAllocOp,
        loop: scf.ForOp,
        schedule: LoopSchedule,
        index: int,
        count: int,
    ) -> None:
        self.allocation = allocation
        self.loop = loop
        self._schedule = schedule
        self._result = loop.results[index]
        self._argument = loop.iter_args[index]
        self._definitions: list[tuple[Operation, SSAValue]] = []
        self.builder = StageBuilder(schedule)
        self.builder.before(allocation)
        self.buffers = _allocate(self.builder, allocation, count)
        self._modulus, self._zero, self._one = (
            self.builder.constant(number, types.i32) for number in (count, 0, 1)
        )
        placeholder = Builder().before(loop)
        # Different buffers do not conflict, so the order of their accesses is given by the loop.
        self._token = placeholder.value(ub.PoisonOp, (), ttg.async_token)

    def lower_store(self, store: ttng.TMEMStoreOp) -> None:
        """Let a store in the loop write the next buffer, if its predicate is true."""
        self._drop_tokens(store, "dep")
        if is_inside(store, self.loop):
            self._place(store)
            current = self._current(store)
            following = self._increment(current)
            following = self.builder.value(
                arith.SelectOp, [store.pred, following, current], types.i32
            )
            self._define(store, current, following)
            index: SSAValue = following
        else:
            self._place(store)
            index = self._index_outside(store)
        set_operand(store, "dst", select_buffer(self.builder, self.buffers, index))

    def lower_load(self, load: ttng.TMEMLoadOp) -> None:
        """Let a load read the current buffer, or the last one after the loop."""
        self._drop_tokens(load, "dep")
        self._place(load)
        is_in_loop = is_inside(load, self.loop)
        index = self._current(load) if is_in_loop else self._index_outside(load)
        set_operand(load, "src", select_buffer(self.builder, self.buffers, index))

    def lower_mma(self, mma: Mma) -> None:
        """Let an MMA write the next buffer if it does not use the accumulator."""
        self._drop_tokens(mma, "acc_dep")
        self._place(mma)
        if is_inside(mma, self.loop):
            current = self._current(mma)
            following = self._increment(current)
            index: SSAValue = self.builder.value(
                arith.SelectOp, [mma.useD, current, following], types.i32
            )
            self._define(mma, current, index)
        else:
            index = self._index_outside(mma)
        set_operand(mma, "d", select_buffer(self.builder, self.buffers, index))

    def finish(self) -> None:
        """Erase the old allocation, and pass the index of the last buffer to the next iteration."""
        assert self.buffers.op.results[1:]
        old_token = self.allocation.token
        if old_token is not None:
            old_token.replace_all_uses_with(self.buffers.op.results[1])
        erase(self.allocation)
        last = self._definitions[-1][1]
        assert isinstance(last, OpResult)
        self._replace_after(last.op, self._argument, last)

    def _place(self, op: Operation) -> None:
        location = self.builder.location
        self.builder.before(op)
        self.builder.location = location
        self.builder.position = self._schedule.get(self._top_level(op) or op)

    def _top_level(self, op: Operation) -> Operation | None:
        return ancestor_in_block(op, self.loop.block)

    def _increment(self, index: SSAValue) -> OpResult:
        location, self.builder.location = self.builder.location, self.loop.location
        increment = increment_modulo(self.builder, index, self._modulus, self._zero, self._one)
        self.builder.location = location
        return increment.value

    def _drop_tokens(self, op: ttng.TMEMLoadOp | ttng.TMEMStoreOp | Mma, dependency: str) -> None:
        set_operand(op, dependency, None)
        if op.token is not None:
            op.token.replace_all_uses_with(self._token)

    def _index_outside(self, op: Operation) -> SSAValue:
        """Find the index of the buffer of an operation before or after the loop."""
        return self._result if precedes(self.loop, op) else self._zero

    def _current(self, op: Operation) -> SSAValue:
        """Find the index of the buffer before an operation of the loop."""
        for definition, index in reversed(self._definitions):
            if precedes(definition, op):
                return index
        return self._argument

    def _define(self, op: Operation, old: SSAValue, new: SSAValue) -> None:
        """Set the index of the buffer after an operation."""
        self._replace_after(op, old, new)
        self._definitions.append((op, new))

    def _replace_after(self, op: Operation, old: SSAValue, new: SSAValue) -> None:
        for use in list(old.uses):
            if precedes(op, use.operation):
                use.operation.operands[use.index] = new


def _allocate(builder: Builder, allocation: ttng.TMEMAllocOp, count: int) -> OpResult:
    """Allocate several buffers like that of an allocation."""
    type_ = allocation.results[0].type
    assert isinstance(type_, ttg.MemDescType)
    memory = buffer_array_type(type_, count)
    return builder.create(ttng.TMEMAllocOp, (), [memory, ttg.async_token]).results[0]
