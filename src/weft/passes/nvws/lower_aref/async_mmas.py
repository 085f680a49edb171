"""Issue MMAs that read buffers which TMA fills without waiting for them.

ttng.tc_gen5_mma %a, %b, …    becomes    ttng.tc_gen5_mma %a, %b, … {is_async}

The tensor core signals the mbarrier of the buffers when the MMA is complete.
"""

from __future__ import annotations

from weft.ir import attributes, nvws, scf, ttg, ttng
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import defining_op
from weft.passes.pipelining.blackwell.mma_v5 import MMAS, Mma, has_shared_encoding
from weft.passes.pipelining.loop_queries import (
    enclosing_loop,
    is_defined_outside,
    num_stages_of,
    top_level_users,
)
from weft.passes.pipelining.partitions.attributes import has_partition, partition_ids

__all__ = ["make_async", "mmas_that_read"]


def mmas_that_read(aref: nvws.ArefCreateOp) -> list[Mma]:
    """List the MMAs that read buffers of a reference, in partitions other than the default one."""
    mmas: dict[Mma, None] = {}
    for use in aref.result.uses:
        get = use.operation
        if not isinstance(get, nvws.ArefGetEnterOp) or (
            has_partition(get) and partition_ids(get)[0] == 0
        ):
            continue
        for result in get.results:
            for result_use in result.uses:
                mmas |= dict.fromkeys(_mmas_from(result_use.operation))
    return list(mmas)


def _mmas_from(consumer: Operation) -> list[Mma]:
    """List an MMA, or those that use what another operation returns."""
    if isinstance(consumer, MMAS):
        return [consumer]
    loop = enclosing_loop(consumer)
    if loop is None:
        return []
    users = top_level_users(consumer, loop, lambda user: isinstance(user, MMAS))
    return [user for user in users if isinstance(user, MMAS)]


def make_async(mma: Mma, num_stages: int) -> None:
    """Issue an MMA asynchronously, if its loop has several stages."""
    loop = enclosing_loop(mma)
    if loop is None or num_stages_of(loop, num_stages) <= 1:
        return
    is_async = not isinstance(mma, ttng.TCGen5MMAScaledOp) or all(
        _stays(scale, loop) for scale in (mma.a_scale, mma.b_scale)
    )
    if is_async:
        mma.properties["is_async"] = attributes.unit
    else:
        mma.properties.pop("is_async", None)


def _stays(scale: SSAValue, loop: scf.ForOp) -> bool:
    """Check whether the scales of an MMA stay as they are while it runs."""
    if is_defined_outside(scale, loop):
        return True
    if not has_shared_encoding(scale):
        return False
    op = defining_op(scale)
    while isinstance(op, ttg.MemDescTransOp | ttg.MemDescReshapeOp):
        op = defining_op(op.src)
    return isinstance(op, nvws.ArefPutEnterOp | nvws.ArefGetEnterOp | nvws.ArefBufferOp)
