"""Communicate between tasks: buffers, mbarriers and tokens for the channels of a function.

    %a = tt.descriptor_load %d[%i] {0}         nvws.producer_acquire %t, %b, %phase      {0}
    %m = ttg.local_alloc %a        {1}   →     ttng.barrier_expect %full[%b], 8192       {0}
    %r = ttng.warp_group_dot %m …  {1}         ttng.async_tma_copy … %buffers[%b]        {0}
                                               ttng.wait_barrier %full[%b], %phase       {1}
                                               %r = ttng.warp_group_dot %buffers[%b] …   {1}
                                               nvws.consumer_release %t, %b              {1}

Each producer has an array of buffers in shared memory, and each group of channels an mbarrier per
buffer that the TMA arrives on, and a token per consumer and buffer that says that it is free.
Without TMA, tokens also say that buffers are full (`nvws.producer_commit`, `nvws.consumer_wait`).
Source: Triton, WSCodePartition.cpp, WSLowerMem.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from weft.analysis.slices import backward_slice
from weft.errors import PassError
from weft.ir import arith, attributes, locations, nvws, tt, ttg, ttng, types
from weft.ir.builtin import Operation, OpResult, SSAValue
from weft.ir.rewriting import Builder, erase, move_before, walk
from weft.passes.nvidia.warp_specialization.accumulated_counts import AccumulatedCounts
from weft.passes.nvidia.warp_specialization.channel_buffers import (
    ChannelGroup,
    create_buffers,
    create_channel_groups,
    index_and_phase,
)
from weft.passes.nvidia.warp_specialization.channels import (
    Channel,
    actual_consumers,
    block_of,
    collect_channels,
    group_by_consumer,
    group_by_producer,
    unique_consumer,
)
from weft.passes.nvidia.warp_specialization.task_ids import TaskBuilder, tasks_of
from weft.passes.nvidia.warp_specialization.transfers import Transfer, create_transfer
from weft.passes.pipelining.buffers.multi_buffers import replace_view_uses, select_buffer
from weft.passes.pipelining.loop_queries import enclosing_loop
from weft.passes.pipelining.partitions.attributes import hash_map_order
from weft.passes.rewrite.nesting import ancestor_in_block, precedes

__all__ = ["insert_communication"]


def insert_communication(
    function: tt.FuncOp, default_buffers: int, *, tma_only: bool = True
) -> bool:
    """Insert the communication between the tasks of a function.

    Args:
        function: A function whose operations have tasks.
        default_buffers: The number of buffers for loops without `tt.num_stages`.
        tma_only: Whether to refuse values that no TMA load copies. Their tokens cannot be lowered.

    Returns:
        Whether there are tasks that communicate.

    Raises:
        PassError: A channel begins at an operation that is not a TMA load, although `tma_only`, or
            its consumers are in different branches.
    """
    channels = collect_channels(function, default_buffers)
    if not channels:
        return False
    if tma_only:
        _check_sources(channels)
    by_consumer, by_producer = group_by_consumer(channels), group_by_producer(channels)
    first_channels = {id(group[0]): _first_channel(group) for group in by_producer}
    _interleave_producers(channels)
    counts = AccumulatedCounts(function, channels)
    buffers = create_buffers(function, channels, by_producer)
    transfers: dict[Channel, Transfer] = {}
    for group in by_producer:
        first = first_channels[id(group[0])]
        index = _compute_index(group, first.user, counts)
        transfers |= dict.fromkeys(group, create_transfer(first, buffers[first], index))
    for group in create_channel_groups(function, by_consumer, transfers):
        _Communication(group, transfers, buffers, counts).insert()
    _fold_local_loads(function)
    return True


def _check_sources(channels: list[Channel]) -> None:
    """Check that TMA loads produce all values that are passed.

    Raises:
        PassError: At the first other operation.
    """
    for channel in channels:
        if not isinstance(channel.source, tt.DescriptorLoadOp):
            raise PassError(
                "warp specialization on Hopper passes only TMA loads between tasks",
                location=locations.position(channel.source.location),
                found=channel.source.name,
                accepted=["tt.descriptor_load"],
                hint="load through a tensor descriptor, or leave out warp_specialize",
            )


def _first_channel(group: list[Channel]) -> Channel:
    """Find the channel of a value whose user comes before all others.

    Raises:
        PassError: The users are in different branches.
    """
    users = list(dict.fromkeys(channel.user for channel in group))
    for channel in group:
        if all(other is channel.user or precedes(channel.user, other) for other in users):
            return channel
    source = group[0].source
    raise PassError(
        "conditional consumers of a load are not supported by warp specialization",
        location=locations.position(source.location),
        found=", ".join(user.name for user in users),
        hint="use the value before the condition, or leave out warp_specialize",
    )


def _interleave_producers(channels: list[Channel]) -> None:
    """Order loads by the consumers that wait for them, if all are in one block."""
    block = block_of(channels[0].source)
    if any(channel.source.parent is not block for channel in channels):
        return
    by_consumer: dict[int, list[Channel]] = {}
    for channel in channels:
        by_consumer.setdefault(channel.consumers[0], []).append(channel)
    if len(by_consumer) <= 1:
        return
    ordered = [
        channel
        for task in sorted(by_consumer)
        for channel in sorted(by_consumer[task], key=lambda channel: len(channel.consumers))
    ]
    last = channels[0].source
    for channel in ordered:
        source = channel.source
        if source is not last:
            source.detach()
            Builder().after(last).insert(source)
        last = source
    # What a load is computed from comes as late as possible.
    for channel in reversed(ordered):
        for op in backward_slice(channel.source, omit_block_arguments=True):
            if op.parent is block:
                move_before(op, channel.source)


def _compute_index(group: list[Channel], user: Operation, counts: AccumulatedCounts) -> SSAValue:
    """Compute the buffer of a value before its source; TMA copies do not use it."""
    source = group[0].source
    tasks = dict.fromkeys((*tasks_of(source), *tasks_of(user)))
    builder = TaskBuilder(tuple(tasks)).before(source)
    if enclosing_loop(source) is None:
        return builder.constant(0, types.i32)
    return index_and_phase(builder, counts.count_at(source), group[0].buffers)[0]


class _Communication:
    """The communication of one group of channels.

    Attributes:
        first_load, last_load: The operations of the producer that fill buffers.
        first_use, last_use: Of the consumers, in one block.
    """

    def __init__(
        self,
        group: ChannelGroup,
        transfers: Mapping[Channel, Transfer],
        buffers: dict[Channel, SSAValue],
        counts: AccumulatedCounts,
    ) -> None:
        self._group = group
        self._counts = counts
        self._buffers = buffers
        channels = group.channels
        copies = {transfers[channel].copy for channel in channels}
        users = {transfers[channel].read for channel in channels}
        users |= {channel.user for channel in channels}
        users |= {unique_consumer(channel.user) for channel in channels}
        loads = [op for op in block_of(transfers[channels[0]].copy).ops if op in copies]
        uses = [op for op in block_of(channels[0].user).ops if op in users]
        self.first_load, self.last_load = loads[0], loads[-1]
        self.first_use, self.last_use = uses[0], uses[-1]

    def insert(self) -> None:
        """Insert waits and signals, and turn the loads into asynchronous copies."""
        first = self._group.channels[0]
        index, phase = self._index_and_phase((first.producer, *first.consumers))
        tasks = sorted(self._group.tokens, key=hash_map_order)
        tokens = [(task, self._group.tokens[task]) for task in tasks]
        producer = TaskBuilder((first.producer,))
        for _, token in tokens:
            producer.before(_same_level(self.first_use, self.first_load))
            producer.location = self.first_load.location
            producer.create(nvws.ProducerAcquireOp, [token, index, phase])
            if self._group.full is None:
                producer.after(_same_level(self.first_use, self.last_load))
                producer.location = self.last_load.location
                producer.create(nvws.ProducerCommitOp, [token, index])
        for task, token in tokens:
            consumer = TaskBuilder((task,))
            if self._group.full is None:
                consumer.before(_same_level(self.first_load, self.first_use))
                consumer.location = self.first_use.location
                consumer.create(nvws.ConsumerWaitOp, [token, index, phase])
            consumer.after(self._release_point(task))
            consumer.create(nvws.ConsumerReleaseOp, [token, index])
        if self._group.full is not None:
            self._copy(self._group.full, index, phase)

    def _index_and_phase(self, tasks: tuple[int, ...]) -> tuple[SSAValue, SSAValue]:
        builder = TaskBuilder(tasks)
        if enclosing_loop(self.first_load) is not None:
            builder.before(self.first_load)
            count = self._counts.count_at(self.first_load)
            return index_and_phase(builder, count, self._group.channels[0].buffers)
        parent = self.first_load.parent_op()
        assert parent is not None
        if isinstance(parent, tt.FuncOp):
            builder.at_start(parent.entry)
        else:
            builder.before(parent)
        builder.location = self.first_load.location
        return builder.constant(0, types.i32), builder.constant(0, types.i1)

    def _release_point(self, task: int) -> Operation:
        """Find the operation after which a consumer does not read the buffer any more."""
        use = self.last_use
        if use.parent is not self.last_load.parent:
            return _same_level(self.last_load, use)
        last: list[Operation] = []
        for consumer in actual_consumers(use):
            # Keep consumers that no other one is always executed after.
            if any(_always_follows(other, consumer) for other in last):
                continue
            last = [other for other in last if not _always_follows(consumer, other)]
            last.append(consumer)
        if len(last) == 1:
            ancestor = ancestor_in_block(last[0], block_of(use))
            assert ancestor is not None
            return ancestor
        return next(op for op in reversed(list(block_of(use).ops)) if tasks_of(op) == (task,))

    def _copy(self, mbarriers: SSAValue, index: SSAValue, phase: SSAValue) -> None:
        """Turn TMA loads into copies into the buffers, and their uses into reads of these.

        As in Triton, all of it has the location of the mbarriers.
        """
        location = locations.location_of(mbarriers)
        channels = self._group.channels
        loads = list(dict.fromkeys(channel.source for channel in channels))
        buffers = {channel.source: self._buffers[channel] for channel in channels}
        size = sum(_bytes_of(load) for load in loads)
        builder = TaskBuilder(tasks_of(self.first_load)).before(self.first_load)
        builder.location = location
        full = select_buffer(builder, mbarriers, index)
        true = builder.constant(True, types.i1)
        builder.create(
            ttng.BarrierExpectOp, [full, true], (), {"size": attributes.integer(size, types.i32)}
        )
        for load in loads:
            assert isinstance(load, tt.DescriptorLoadOp)
            builder.before(load)
            builder.location = location
            view = select_buffer(builder, buffers[load], index)
            sizes = (1, len(load.indices), 0, 1, 1, 1)
            builder.create(
                ttng.AsyncTMACopyGlobalToLocalOp,
                [load.desc, *load.indices, full, view, true],
                (),
                {"operandSegmentSizes": attributes.array_i32(sizes)},
            )
        builder = TaskBuilder(tasks_of(self.first_use)).before(self.first_use)
        builder.location = location
        full = select_buffer(builder, mbarriers, index)
        parity = builder.value(arith.ExtSIOp, [phase], types.i32)
        segments = {"operandSegmentSizes": attributes.array_i32((1, 1, 0, 0))}
        builder.create(ttng.WaitBarrierOp, [full, parity], (), segments)
        for load in loads:
            view_type = _constant_view_type(buffers[load])
            view = builder.value(ttg.MemDescIndexOp, [buffers[load], index], view_type)
            value = builder.value(ttg.LocalLoadOp, [view], load.results[0].type)
            load.results[0].replace_all_uses_with(value)
            erase(load)


def _constant_view_type(buffers: SSAValue) -> ttg.MemDescType:
    """Compute the type of a view of one of several buffers, which cannot be written through it."""
    type_ = buffers.type
    assert isinstance(type_, ttg.MemDescType)
    assert type_.encoding is not None
    return ttg.MemDescType.of(
        type_.shape[1:], type_.element_type, type_.encoding, type_.memory_space
    )


def _bytes_of(load: Operation) -> int:
    type_ = load.results[0].type
    return prod(types.shape(type_)) * types.bit_width(type_) // 8


def _same_level(anchor: Operation, op: Operation) -> Operation:
    """Find the ancestor of an operation in the region of an anchor, or the operation itself."""
    return ancestor_in_block(op, block_of(anchor)) or op


def _always_follows(op: Operation, other: Operation) -> bool:
    """Check whether an operation is executed after another one whenever that one is."""
    inner = ancestor_in_block(other, block_of(op))
    return inner is not None and inner is not op and inner.is_before_in_block(op)


def _fold_local_loads(function: tt.FuncOp) -> None:
    """Let what reads an allocation of a loaded buffer read the buffer itself."""
    for op in list(walk(function)):
        if not isinstance(op, ttg.LocalAllocOp) or not isinstance(op.src, OpResult):
            continue
        load = op.src.op
        if isinstance(load, ttg.LocalLoadOp) and tasks_of(load) == tasks_of(op):
            replace_view_uses(Builder().before(op), op, load.src)
