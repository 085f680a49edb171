"""Get a value from the buffer of an asynchronous reference.

    %x, %t = nvws.aref.get.enter %r          before the first use
    ttng.tc_gen5_mma %x, …
    nvws.aref.get.exit %r, %t [tc5mma]       after the last use

A tensor or scalar is loaded, and the buffer is free after the load.
"""

from __future__ import annotations

from weft.ir import nvws, scf, tt, ttg, ttng, types
from weft.ir.builtin import Block, Operation, OpResult, SSAValue
from weft.ir.rewriting import Builder, ancestors, defining_op
from weft.passes.nvws.insert_aref.shared_buffers import tensor_of_scalar
from weft.passes.nvws.insert_aref.uses import OperandUse
from weft.passes.pipelining.blackwell.mma_v5 import MMAS
from weft.passes.pipelining.buffers.multi_buffers import replace_view_uses
from weft.passes.pipelining.loop_queries import (
    is_memdesc_view,
    loops_inner_first,
    top_level_users,
)
from weft.passes.pipelining.partitions.arefs import (
    async_ops,
    buffer_view_type,
    common_block,
    create_enter,
    first_in_block,
    last_in_block,
)
from weft.passes.pipelining.partitions.attributes import (
    Placement,
    partition_ids,
    partition_ids_of_use,
    set_partition,
)
from weft.passes.pipelining.schedule.loop_schedule import MAX_STAGE, stage_and_cluster
from weft.passes.rewrite.nesting import ancestor_in_block

__all__ = ["create_gets"]

_Position = tuple[int, int] | None


def create_gets(
    loop: scf.ForOp,
    block: Block,
    aref: nvws.ArefCreateOp,
    partition: int,
    uses: list[OperandUse],
) -> None:
    """Get values from a buffer for the uses in one partition.

    Args:
        loop: The warp-specialized loop.
        block: The block of the operation that defines the values.
        aref: The reference.
        partition: The partition.
        uses: The uses of the values: those of a buffer, of a tensor, or of both where a load by
            descriptor fills the buffer.
    """
    values = list(dict.fromkeys(use.value for use in uses))
    first_position, last_position = _positions_of_uses(loop, values, partition)
    builder = Builder().before(first_in_block((use.user for use in uses), block))
    placement = Placement((partition,), first_position)
    view = buffer_view_type(aref.operands[0].type, mutable=False)
    enter = create_enter(builder, nvws.ArefGetEnterOp, placement, aref.result, [view])
    buffer = enter.results[0]
    consumers = _consumers(values, partition)
    kinds = _kinds(consumers)
    last_use: Operation | None = None
    for value in values:
        allocation = defining_op(value, ttg.LocalAllocOp)
        if allocation is not None:
            replace_view_uses(builder, allocation, buffer)
            for use in buffer.uses:
                if is_memdesc_view(use.operation):
                    set_partition(use.operation, (partition,))
            continue
        is_tensor = types.is_tensor(value.type)
        type_ = value.type if is_tensor else tensor_of_scalar(value)
        load = placement.create(builder, ttg.LocalLoadOp, [buffer], [type_])
        loaded: SSAValue = load.result
        if not is_tensor:
            loaded = placement.create(builder, tt.UnsplatOp, [loaded], [value.type]).results[0]
        for use in uses:
            if use.value is value:
                use.user.operands[use.index] = loaded
        if not is_tensor or buffer.has_one_use():
            last_use = load
    if last_use is None:
        last_use = last_in_block(consumers, common_block(consumers))
    Placement((partition,), last_position).create(
        builder.after(last_use),
        nvws.ArefGetExitOp,
        [aref.result, enter.results[1]],
        properties=async_ops(kinds),
    )


def _positions_of_uses(
    loop: scf.ForOp, values: list[SSAValue], partition: int
) -> tuple[_Position, _Position]:
    """Find the stage and cluster of the first and the last use of values in a partition.

    Returns:
        Both; None for values that no scheduled loop defines.
    """
    scheduled = [each for each in loops_inner_first(loop) if MAX_STAGE in each.attributes]
    if not scheduled:
        return None, None
    users: list[Operation] = []
    for value in values:
        if isinstance(value, OpResult) and scheduled[-1] in ancestors(value.op):
            users += top_level_users(
                value.op, scheduled[-1], lambda user: partition in partition_ids(user)
            )
    ordered = sorted(
        (user for user in users if stage_and_cluster(user) is not None),
        key=lambda user: stage_and_cluster(user) or (0, 0),
    )
    if not ordered:
        return None, None
    return stage_and_cluster(ordered[0]), stage_and_cluster(ordered[-1])


def _consumers(values: list[SSAValue], partition: int) -> list[Operation]:
    """List the operations of a partition that use values, also through views of buffers.

    A loop that contains such a user counts, too: the buffer is in use until its end.
    """
    consumers: dict[Operation, None] = {}
    for value in values:
        if isinstance(value, OpResult):
            _add_consumers(value.op, partition, consumers)
        else:
            for use in value.uses:
                if partition_ids_of_use(use.operation, use.index) == (partition,):
                    consumers[use.operation] = None
    return list(consumers)


def _add_consumers(op: Operation, partition: int, consumers: dict[Operation, None]) -> None:
    assert op.parent is not None
    for result in op.results:
        for use in result.uses:
            user = use.operation
            if any(isinstance(other.type, ttg.MemDescType) for other in user.results):
                _add_consumers(user, partition, consumers)
            elif partition_ids_of_use(user, use.index) == (partition,):
                consumers[user] = None
                ancestor = ancestor_in_block(user, op.parent)
                if ancestor is not None:
                    consumers[ancestor] = None


def _kinds(consumers: list[Operation]) -> list[str]:
    """List the kinds of operations after which a buffer is free."""
    kinds: dict[str, None] = {}
    for op in consumers:
        if isinstance(op, scf.ForOp) and len(consumers) > 1:
            continue  # the operations in the loop count
        if isinstance(op, ttng.WarpGroupDotOp):
            kinds["wgmma"] = None
        else:
            kinds["tc5mma" if isinstance(op, MMAS) else "none"] = None
    return list(kinds)
