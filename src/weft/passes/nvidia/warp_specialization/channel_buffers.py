"""The shared memory of channels: buffers, mbarriers and tokens, at the start of the function.

A TMA load that two consumers read, with three buffers:

    %buffers = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, …>     one per load
    %full = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, …>            one per group, for TMA
    %token_1, %token_2 = nvws.create_token {numBuffers = 3}             one per consumer

The n-th copy goes to buffer n mod 3, and its mbarrier has the phase (n div 3) mod 2.
Source: Triton, WSCodePartition.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from weft.ir import arith, attributes, nvws, tt, ttg, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import Builder
from weft.layouts import Encoding, NvmmaSharedEncoding, SwizzledSharedEncoding
from weft.layouts.cga import cga_bases
from weft.layouts.dimension_order import memory_order
from weft.layouts.nvmma_swizzling import swizzle_bytes
from weft.passes.nvidia.warp_specialization.channels import DOTS, Channel, actual_consumers
from weft.passes.nvidia.warp_specialization.task_ids import TaskBuilder
from weft.passes.nvidia.warp_specialization.transfers import Transfer
from weft.passes.pipelining.buffers.mbarriers import create_barriers
from weft.passes.pipelining.loads.shared_encodings import tile_encoding
from weft.passes.pipelining.loop_queries import enclosing_loop

__all__ = ["ChannelGroup", "create_buffers", "create_channel_groups", "index_and_phase"]


class ChannelGroup(Struct, eq=False):
    """Channels that share mbarriers.

    Attributes:
        channels: In the order of their sources.
        full: The mbarriers that the TMA arrives on when a buffer is full, None without TMA.
        tokens: For each consumer, the tokens that it releases when it is done with a buffer.
    """

    channels: list[Channel]
    full: SSAValue | None
    tokens: dict[int, SSAValue] = field(default_factory=dict)


def create_buffers(
    function: tt.FuncOp, channels: list[Channel], by_producer: list[list[Channel]]
) -> dict[Channel, SSAValue]:
    """Allocate the buffers of each load, at the start of the function.

    Args:
        function: The function that has the loads.
        channels: All channels.
        by_producer: The channels of each load.

    Returns:
        For each channel, the array of buffers of its load.
    """
    builder = Builder(function.location).at_start(function.entry)
    groups = {id(group[0]): group for group in by_producer}
    buffers: dict[Channel, SSAValue] = {}
    for channel in channels:
        group = groups.get(id(channel))
        if group is None:
            continue
        source = channel.source
        type_ = channel.value.type
        count = 1 if enclosing_loop(source) is None else channel.buffers
        memory = ttg.MemDescType.of(
            (count, *types.shape(type_)),
            types.element(type_),
            _buffer_encoding(channel, source),
            ttg.SharedMemoryAttr(),
            mutable=True,
        )
        allocation = builder.value(ttg.LocalAllocOp, (), memory)
        buffers |= dict.fromkeys(group, allocation)
    return buffers


def _buffer_encoding(channel: Channel, source: Operation) -> Encoding:
    """Choose the encoding of a buffer: what a dot reads, or what the descriptor has."""
    type_ = channel.value.type
    encoding, shape = types.encoding(type_), types.shape(type_)
    assert encoding is not None
    feeds_dot = any(isinstance(op, DOTS) for op in actual_consumers(channel.user))
    if not feeds_dot and isinstance(source, tt.DescriptorLoadOp):
        return tile_encoding(source, source.desc, type_)
    order, bits = memory_order(encoding, shape), types.bit_width(type_)
    if len(shape) == 1 or not feeds_dot:
        return SwizzledSharedEncoding(1, 1, 1, order, cga_bases(encoding))
    return NvmmaSharedEncoding(
        swizzle_bytes(shape, order, bits, padded=False),
        bits,
        order[0] == 0,
        False,
        cga_bases(encoding),
        len(shape),
    )


def index_and_phase(
    builder: TaskBuilder, count: SSAValue, buffers: int
) -> tuple[SSAValue, SSAValue]:
    """Compute the buffer and the phase of its mbarrier: count mod n, and the parity of count div n.

    Args:
        builder: Where the computation goes.
        count: How many copies came before, i64.
        buffers: The number of buffers, n.

    Returns:
        The index, i32, and the phase, i1.
    """
    number = builder.constant(buffers, types.i32)
    modulus = builder.value(arith.ExtSIOp, [number], types.i64)
    rounds = builder.value(arith.DivUIOp, [count, modulus], types.i64)
    past = builder.value(arith.MulIOp, [rounds, modulus], types.i64)
    index = builder.value(arith.SubIOp, [count, past], types.i64)
    index = builder.value(arith.TruncIOp, [index], types.i32)
    one = builder.constant(1, types.i64)
    parity = builder.value(arith.AndIOp, [rounds, one], types.i64)
    return index, builder.value(arith.TruncIOp, [parity], types.i1)


def create_channel_groups(
    function: tt.FuncOp,
    by_consumer: list[list[Channel]],
    transfers: Mapping[Channel, Transfer],
) -> list[ChannelGroup]:
    """Create the mbarriers and tokens of each group, at the start of the function.

    Args:
        function: The function that has the channels.
        by_consumer: The channels that share mbarriers.
        transfers: How the value of each channel is passed.
    """
    builder = Builder(function.location).at_start(function.entry)
    groups: list[ChannelGroup] = []
    for channels in by_consumer:
        first = channels[0]
        transfer = transfers[first]
        barriers = None
        if transfer.is_tma:
            start = Builder(function.location).at_start(function.entry)
            barriers = create_barriers(start, function, first.buffers)
        group = ChannelGroup(channels, barriers)
        count = 1 if enclosing_loop(first.source) is None else first.buffers
        type_ = types.tensor((count,), nvws.TokenType())
        properties = {
            "numBuffers": attributes.integer(count, types.i32),
            "loadType": transfer.kind.attr(),
        }
        for task in first.consumers:
            group.tokens[task] = builder.value(nvws.CreateTokenOp, (), type_, properties)
        groups.append(group)
    return groups
