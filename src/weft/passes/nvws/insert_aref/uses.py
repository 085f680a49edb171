"""The uses of a value in partitions that do not compute it."""

from __future__ import annotations

from msgspec import Struct

from weft.ir.builtin import Operation, SSAValue
from weft.passes.nvws.insert_aref.producers import Produced, descriptor_load_of
from weft.passes.pipelining.partitions.attributes import (
    has_partition,
    hash_map_order,
    partition_ids_of_use,
)

__all__ = ["OperandUse", "uses_by_partition"]


class OperandUse(Struct, frozen=True):
    """An operand.

    Attributes:
        user: The operation.
        index: The number of the operand.
        value: The value.
    """

    user: Operation
    index: int
    value: SSAValue


def uses_by_partition(produced: Produced) -> dict[int, list[OperandUse]]:
    """Group the uses of a value by partition, without the partitions that compute it.

    If the value is a buffer that a load by descriptor fills, the uses of the loaded tensor count,
    too: they read the buffer.

    Returns:
        The uses by partition, in the order of `hash_map_order`.
    """
    values = [produced.value]
    load = descriptor_load_of(produced.value)
    if load is not None:
        values.append(load.results[0])
    groups: dict[int, list[OperandUse]] = {}
    for value in values:
        for use in value.uses:
            if not has_partition(use.operation):
                continue
            for partition in partition_ids_of_use(use.operation, use.index):
                if partition not in produced.partitions:
                    entry = OperandUse(use.operation, use.index, value)
                    groups.setdefault(partition, []).append(entry)
    return {number: groups[number] for number in sorted(groups, key=hash_map_order)}
