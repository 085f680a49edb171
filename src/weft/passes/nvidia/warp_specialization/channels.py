"""Channels: loads of the producer whose results consumers use.

    %a = tt.descriptor_load {0}
    %m = ttg.local_alloc %a {1}      a channel from task 0 to task 1, which ends here
    %d = ttng.warp_group_dot %m {1}  the actual consumer: it reads the buffer itself

Channels of one load share its buffers. Channels that end at one operation, or at allocations for
one operation, share their mbarriers: one group. Source: Triton, WSCodePartition.cpp.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from weft.ir import scf, tt, ttg, ttng
from weft.ir.builtin import Block, Operation, OpResult, SSAValue
from weft.ir.rewriting import walk_inner_first
from weft.passes.nvidia.warp_specialization.task_ids import tasks_of
from weft.passes.pipelining.loop_queries import enclosing_loop, num_stages_of
from weft.passes.rewrite.nesting import precedes

__all__ = [
    "DOTS",
    "Channel",
    "actual_consumers",
    "block_of",
    "collect_channels",
    "group_by_consumer",
    "group_by_producer",
    "unique_consumer",
]

DOTS = (ttng.WarpGroupDotOp, tt.DotOp)
_PRODUCERS = (tt.LoadOp, tt.DescriptorLoadOp, *DOTS)


class Channel(Struct, eq=False):
    """A value that one task computes and others use.

    Attributes:
        producer: The task that computes it.
        consumers: The tasks that use it.
        user: The operation that uses it.
        operand: The index of the operand that it is.
        buffers: How many of the values are in flight.
    """

    producer: int
    consumers: tuple[int, ...]
    user: Operation
    operand: int
    buffers: int

    @property
    def value(self) -> SSAValue:
        """The value; another one once a load from the buffer replaces it."""
        return self.user.operands[self.operand]

    @property
    def source(self) -> Operation:
        """The operation that defines the value."""
        value = self.value
        assert isinstance(value, OpResult)
        return value.op


def block_of(op: Operation) -> Block:
    """Get the block of an operation."""
    assert op.parent is not None
    return op.parent


def collect_channels(function: tt.FuncOp, default_buffers: int) -> list[Channel]:
    """Find the channels of a function.

    Args:
        function: A function whose operations have tasks.
        default_buffers: The number of buffers for values outside loops with `tt.num_stages`.
    """
    channels: list[Channel] = []
    for op in walk_inner_first(function):
        tasks = tasks_of(op)
        if not isinstance(op, _PRODUCERS) or len(tasks) != 1:
            continue
        loop = enclosing_loop(op)
        buffers = default_buffers if loop is None else num_stages_of(loop, default_buffers)
        for result in op.results:
            for user, index in dict.fromkeys(_transitive_users(result)):
                consumers = tuple(task for task in tasks_of(user) if task != tasks[0])
                if user is op or not consumers or not _reaches(op, user):
                    continue
                channels.append(Channel(tasks[0], consumers, user, index, buffers))
    return channels


def _transitive_users(value: SSAValue) -> Iterator[tuple[Operation, int]]:
    """List the users of a value and of the results of regions that yield it."""
    for user in [use.operation for use in value.uses]:
        if isinstance(user, scf.YieldOp):
            parent = user.parent_op()
            assert parent is not None
            for index, operand in enumerate(user.operands):
                if operand is value:
                    yield from _transitive_users(parent.results[index])
        else:
            yield user, next(i for i, operand in enumerate(user.operands) if operand is value)


def _reaches(op: Operation, user: Operation) -> bool:
    """Check whether a user comes after an operation, or after the region that it is in."""
    if op.parent is user.parent:
        return op.is_before_in_block(user)
    parent = op.parent_op()
    return parent is not None and (isinstance(parent, tt.FuncOp) or precedes(parent, user))


def actual_consumers(user: Operation) -> list[Operation]:
    """List the operations that read what a channel ends at, through transposed views."""
    if not isinstance(user, ttg.LocalAllocOp):
        return [user]
    consumers: dict[Operation, None] = {}
    worklist: list[Operation] = [user]
    while worklist:
        for use in worklist.pop().results[0].uses:
            if isinstance(use.operation, tt.TransOp | ttg.MemDescTransOp):
                worklist.append(use.operation)
            else:
                consumers[use.operation] = None
    return list(consumers)


def unique_consumer(user: Operation) -> Operation:
    """Find the only operation that reads what a channel ends at; else the end of the channel."""
    consumers = actual_consumers(user)
    return consumers[0] if len(consumers) == 1 else user


def group_by_producer(channels: list[Channel]) -> list[list[Channel]]:
    """Group channels by the operation that they begin at."""
    groups: dict[Operation, list[Channel]] = {}
    for channel in channels:
        groups.setdefault(channel.source, []).append(channel)
    return list(groups.values())


def group_by_consumer(channels: list[Channel]) -> list[list[Channel]]:
    """Group channels that begin in one block and end at one consumer, sources in program order."""
    groups: dict[Operation, list[Channel]] = {}
    for channel in channels:
        for group in groups.values():
            if _can_share(channel, group[0]):
                group.append(channel)
                break
        else:
            groups.setdefault(channel.user, []).append(channel)
    for group in groups.values():
        order = {op: position for position, op in enumerate(block_of(group[0].source).ops)}
        group.sort(key=lambda channel: order.get(channel.source, 0))
    return list(groups.values())


def _can_share(first: Channel, second: Channel) -> bool:
    """Check whether two channels can share their mbarriers."""
    if first.source.parent is not second.source.parent:
        return False
    if first.user is second.user:
        return True
    if tasks_of(first.source) != tasks_of(second.source):
        return False
    if tasks_of(first.user) != tasks_of(second.user):
        return False
    consumer = unique_consumer(first.user)
    return consumer is unique_consumer(second.user) and consumer.parent is first.user.parent
