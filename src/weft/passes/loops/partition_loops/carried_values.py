"""The iter_args that each partition keeps in its copy of a loop."""

from __future__ import annotations

from weft.ir import scf, types
from weft.ir.builtin import OpResult
from weft.passes.pipelining.partitions.attributes import partition_ids, partition_outputs

__all__ = ["carried_iter_args", "computes_tensor", "is_passed_back"]


def carried_iter_args(loop: scf.ForOp, partition: int) -> list[int]:
    """List the numbers of the iter_args that a partition uses."""
    outputs = partition_outputs(loop)
    return [index for index, ids in enumerate(outputs) if partition in ids]


def computes_tensor(loop: scf.ForOp, index: int, partition: int) -> bool:
    """Check whether a result of a loop is a tensor that a partition computes."""
    value = loop.yielded_values[index]
    if not types.is_tensor(value.type) or not isinstance(value, OpResult):
        return False
    if isinstance(value.op, scf.IfOp):
        return partition in partition_outputs(value.op)[value.index]
    return partition in partition_ids(value.op)


def is_passed_back(loop: scf.ForOp, index: int, default: int, count: int) -> bool:
    """Check whether a result is a used tensor that only other partitions than the default one have.

    Args:
        loop: The loop.
        index: The number of the result.
        default: The default partition.
        count: The number of partitions.
    """
    if default in partition_outputs(loop)[index] or not loop.results[index].first_use:
        return False
    return any(computes_tensor(loop, index, other) for other in range(count) if other != default)
