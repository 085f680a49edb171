"""How a value gets into a buffer of its channel, and out of it.

source of the channel    copy into the buffer               read from the buffer
tt.descriptor_load       a TMA copy (`code_partition`)      through the buffer itself
tt.load                  ttg.async_copy_global_to_local     ttg.local_load
any other                ttg.local_store                    ttg.local_load

Source: Triton, WSLowerMem.cpp.
"""

from __future__ import annotations

from msgspec import Struct

from weft.ir import tt, ttg
from weft.ir.builtin import Operation, OpResult, SSAValue
from weft.ir.enums import TokenLoadType
from weft.ir.locations import LocationAttr
from weft.ir.rewriting import erase
from weft.passes.nvidia.warp_specialization.channels import Channel
from weft.passes.nvidia.warp_specialization.task_ids import TaskBuilder, tasks_of
from weft.passes.pipelining.buffers.async_copies import create_uncommitted_copy
from weft.passes.pipelining.buffers.multi_buffers import select_buffer

__all__ = ["Transfer", "create_transfer"]


class Transfer(Struct, eq=False):
    """The operations that pass a value.

    Attributes:
        copy: What fills the buffer; for TMA the load, which becomes a copy later.
        read: The first operation of the consumers that needs the value.
    """

    copy: Operation
    read: Operation

    @property
    def is_tma(self) -> bool:
        """Whether the TMA fills the buffer, and arrives on an mbarrier."""
        return isinstance(self.copy, tt.DescriptorLoadOp)

    @property
    def kind(self) -> TokenLoadType:
        """What signals that the buffer is full, for the tokens."""
        if self.is_tma:
            return TokenLoadType.TMA_LOAD
        if isinstance(self.copy, ttg.AsyncCopyGlobalToLocalOp):
            return TokenLoadType.ASYNC_LOAD
        return TokenLoadType.LOCAL_STORE


def create_transfer(channel: Channel, buffers: SSAValue, index: SSAValue) -> Transfer:
    """Create the copy of a value and its read; leave TMA loads for later.

    Args:
        channel: The channel whose user comes first.
        buffers: The array of buffers.
        index: The number of the buffer.
    """
    source, value = channel.source, channel.value
    if isinstance(source, tt.DescriptorLoadOp):
        return Transfer(source, channel.user)
    if isinstance(source, tt.LoadOp):
        builder = TaskBuilder(tasks_of(source)).after(source)
        view = select_buffer(builder, buffers, index, builder.location)
        copy: Operation = create_uncommitted_copy(builder, source, view, 1)
        readers = {task for use in value.uses for task in tasks_of(use.operation)}
        read = _read(channel, tuple(readers), buffers, index, source.location)
        value.replace_all_uses_with(read)
        erase(source)
        return Transfer(copy, read.op)
    read = _read(channel, tasks_of(channel.user), buffers, index, channel.user.location)
    value.replace_all_uses_with(read)
    builder = TaskBuilder((channel.producer,)).after(source)
    view = select_buffer(builder, buffers, index, builder.location)
    return Transfer(builder.create(ttg.LocalStoreOp, [value, view]), read.op)


def _read(
    channel: Channel,
    tasks: tuple[int, ...],
    buffers: SSAValue,
    index: SSAValue,
    location: LocationAttr,
) -> OpResult:
    """Read a value from its buffer before its first user."""
    builder = TaskBuilder(tasks).before(channel.user)
    builder.location = location
    view = select_buffer(builder, buffers, index, builder.location)
    return builder.value(ttg.LocalLoadOp, [view], channel.value.type)
