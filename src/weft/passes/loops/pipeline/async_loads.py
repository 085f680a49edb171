"""Which loads of a scheduled loop become asynchronous copies, and how many buffers they need.

%a = tt.load %p            stage 0
%d = tt.dot …, %a, …       stage 2: the result is needed two iterations later, so two
                           buffers hold the results that are loaded, but not used yet
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from weft.analysis.axis_info import ModuleAxisInfo
from weft.ir import attributes, scf, tt, ttg, ttng, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.constants import constant_attribute
from weft.ir.module_attributes import lookup_num_ctas
from weft.layouts import Encoding, SwizzledSharedEncoding
from weft.passes.loops.pipeline.wgmma import yielded_index
from weft.passes.pipelining.decision_records import (
    NARROW,
    SAME_STAGE,
    enabled,
    record_load,
    record_pipelined_load,
)
from weft.passes.pipelining.loads.copy_width import (
    MIN_COPY_BYTES,
    can_become_async_copy,
    copy_contiguity,
    copy_vector_bytes,
)
from weft.passes.pipelining.loads.load_levels import is_load
from weft.passes.pipelining.loads.shared_encodings import (
    descriptor_encoding,
    shared_encoding_of_load,
)
from weft.passes.pipelining.loop_queries import (
    ancestor_in_block,
    is_memdesc_view,
    top_level_users,
)
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule

__all__ = [
    "AsyncLoad",
    "feeds_async_mma",
    "find_async_loads",
    "first_use",
    "is_zero",
    "must_load_to_registers",
    "stages_to_use",
]

_PASS = "tritongpu-pipeline"


class AsyncLoad(Struct, frozen=True):
    """A load that becomes an asynchronous copy.

    Attributes:
        buffers: The number of buffers.
        encoding: The encoding of a buffer.
        contiguity: The number of elements that a thread copies at once; 1 for TMA.
    """

    buffers: int
    encoding: Encoding
    contiguity: int = 1


def find_async_loads(
    loop: scf.ForOp, schedule: LoopSchedule, infos: ModuleAxisInfo
) -> dict[Operation, AsyncLoad]:
    """Find the loads of a loop's body that become asynchronous copies, in program order."""
    loads: dict[Operation, AsyncLoad] = {}
    for op in loop.block.ops:
        if not is_load(op):
            continue
        distance = stages_to_use(op, loop, schedule)
        copy = _copy(op, loop, infos) if distance > 0 else None
        if copy is not None:
            encoding, contiguity = copy
            loads[op] = AsyncLoad(
                distance + feeds_async_mma(op, loop, schedule, encoding), encoding, contiguity
            )
            method = "cp.async" if isinstance(op, tt.LoadOp) else "TMA"
            record_pipelined_load(_PASS, op, loop, method, distance, loads[op].buffers)
        elif enabled():
            record_load(_PASS, op, loop, NARROW if distance > 0 else SAME_STAGE)
    return loads


def stages_to_use(op: Operation, loop: scf.ForOp, schedule: LoopSchedule) -> int:
    """Compute how many iterations the result of an operation is kept in memory.

    A user in a later cluster runs after the operation of a later iteration has started, so it
    needs one more. A wait on an mbarrier keeps the buffers that it lists until the last wait.
    """
    stage, cluster = schedule[op]
    op_users = dict.fromkeys(top_level_users(op, loop))
    if is_load(op):
        # An allocation with the encoding of the buffer disappears: its users read the buffer.
        for user in list(op_users):
            if isinstance(user, ttg.LocalAllocOp):
                op_users |= dict.fromkeys(top_level_users(user, loop))
    if not op_users:
        return 0
    first = min(
        schedule.stage(user) + (schedule.cluster(user).index > cluster.index) for user in op_users
    )
    waits = [schedule.stage(user) for user in op_users if isinstance(user, ttng.WaitBarrierOp)]
    return max([first, *waits]) - stage


def first_use(ops: Iterable[Operation], loop: scf.ForOp, schedule: LoopSchedule) -> Operation:
    """Find the operation of a loop's body that uses a result first."""
    op_users = [user for op in ops for user in top_level_users(op, loop)]
    first = op_users[0]
    for user in op_users[1:]:
        if schedule.is_before(user, first):
            first = user
    return first


def is_zero(value: SSAValue) -> bool:
    """Check whether a value is a constant tensor of zeros."""
    attribute = constant_attribute(value)
    return types.is_tensor(value.type) and attributes.number(attribute) == 0


def must_load_to_registers(op: Operation) -> bool:
    """Check whether a load is used by anything but one buffer in shared memory."""
    if _needs_select(op):
        return True
    uses = list(op.results[0].uses)
    if len(uses) != 1 or not isinstance(uses[0].operation, ttg.LocalAllocOp):
        return True
    if not isinstance(op, tt.DescriptorLoadOp | tt.DescriptorGatherOp):
        return False
    memory = uses[0].operation.result.type
    assert isinstance(memory, ttg.MemDescType)
    return memory.encoding is not descriptor_encoding(op)


def feeds_async_mma(
    op: Operation, loop: scf.ForOp, schedule: LoopSchedule, encoding: Encoding
) -> bool:
    """Check whether a wgmma reads the buffer of a load: it does so for one more iteration.

    If the load has other users, too, the MMA may still run into the next iteration. Triton gives
    only loads without other users a buffer for that, even if the MMA does not (decision 018).

    Args:
        op: The load.
        loop: The loop.
        schedule: The schedule of the loop.
        encoding: The encoding of the load's buffer.
    """
    if _needs_select(op):
        return False
    dots = list(_wgmmas_of_buffer(op, encoding))
    if must_load_to_registers(op):
        return any(_may_be_pending(dot, loop, schedule) for dot in dots)
    return bool(dots)


def _wgmmas_of_buffer(op: Operation, encoding: Encoding) -> Iterator[ttng.WarpGroupDotOp]:
    """Yield the MMAs that read the buffer of a load, or a view of it."""
    worklist: list[Operation] = []
    for use in op.results[0].uses:
        if isinstance(use.operation, ttg.LocalAllocOp):
            memory = use.operation.result.type
            assert isinstance(memory, ttg.MemDescType)
            if memory.encoding is encoding:  # the allocation becomes the buffer
                worklist.append(use.operation)
    while worklist:
        for result in worklist.pop().results:
            for use in result.uses:
                if is_memdesc_view(use.operation):
                    worklist.append(use.operation)
                elif isinstance(use.operation, ttng.WarpGroupDotOp):
                    yield use.operation


def _may_be_pending(dot: ttng.WarpGroupDotOp, loop: scf.ForOp, schedule: LoopSchedule) -> bool:
    """Check whether an MMA may run while the next iteration starts."""
    if types.element(dot.c.type) != types.f32:
        return False
    ancestor = ancestor_in_block(dot, loop.block)
    if ancestor is None or ancestor not in schedule:
        return True
    stage = schedule.stage(ancestor)
    delayed = any(schedule.stage(user) > stage for user in top_level_users(ancestor, loop))
    return delayed or yielded_index(dot, loop) is not None


def _needs_select(op: Operation) -> bool:
    """Check whether masked elements of a load are not zero, as a copy makes them."""
    return isinstance(op, tt.LoadOp) and op.other is not None and not is_zero(op.other)


def _copy(op: Operation, loop: scf.ForOp, infos: ModuleAxisInfo) -> tuple[Encoding, int] | None:
    """Describe the copy that replaces a load.

    Returns:
        The encoding of the buffer, and the number of elements that a thread copies at once. None
        if the load is too narrow for cp.async.
    """
    if not isinstance(op, tt.LoadOp):
        return shared_encoding_of_load(op), 1
    if not types.is_tensor(op.result.type):
        if types.bit_width(op.result.type) < 8 * MIN_COPY_BYTES:
            return None
        ctas = lookup_num_ctas(loop)
        cga_layout = tuple((1 << bit,) for bit in range(ctas.bit_length() - 1))
        return SwizzledSharedEncoding(1, 1, 1, (0,), cga_layout), 1
    encoding = shared_encoding_of_load(op)
    if not can_become_async_copy(op, infos):
        return None
    if copy_vector_bytes(op.result.type, encoding) < MIN_COPY_BYTES:
        return None
    return encoding, copy_contiguity(op, infos)
