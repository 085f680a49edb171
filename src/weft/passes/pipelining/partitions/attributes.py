"""The attributes by which a warp-specialized loop says which groups of warps run an operation.

    scf.for … {
      %a = tt.descriptor_load … {ttg.partition = array<i32: 2>}            partition 2 loads
      %i = arith.addi … {ttg.partition = array<i32: 0, 1>}                 both compute the index
    } {ttg.partition = array<i32: 0, 1, 2>,
       ttg.partition.outputs = [array<i32: 0>],                            who has each result
       ttg.partition.stages = [0 : i32, 1 : i32, 0 : i32],
       ttg.warp_specialize.tag = 0 : i32}                                  the number of the loop

A terminator with values has the partitions of its parent. Operations outside of the loop that
belong to a partition name the loop by its tag.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

from weft.ir import attributes, scf, types
from weft.ir.attributes import array_i32, array_values
from weft.ir.builtin import ArrayAttr, Attribute, Operation, Region, SSAValue
from weft.ir.loop_attributes import WARP_SPECIALIZE
from weft.ir.operation import Op
from weft.ir.rewriting import Builder, ancestors
from weft.passes.pipelining.schedule.loop_schedule import set_stage_and_cluster, stage_and_cluster

__all__ = [
    "OUTPUTS",
    "PARTITION",
    "STAGES",
    "TAG",
    "Placement",
    "has_partition",
    "hash_map_order",
    "partition_ids",
    "partition_ids_of_use",
    "partition_outputs",
    "placement_of",
    "set_partition",
    "set_partition_outputs",
    "tag_of",
    "warp_specialized_loop",
    "warp_specialized_loops",
]

PARTITION = "ttg.partition"
OUTPUTS = "ttg.partition.outputs"
STAGES = "ttg.partition.stages"
TAG = "ttg.warp_specialize.tag"


_HASH_FACTOR, _HASH_BUCKETS = 37, 64

_Op = TypeVar("_Op", bound=Op)


def hash_map_order(number: int) -> int:
    """Order small numbers as Triton does where it iterates over a hash map of them.

    That order shows in the IR. `llvm::DenseMap` hashes an integer n to 37 * n, and has 64 buckets
    at first (llvm/ADT/DenseMapInfo.h).
    """
    return number * _HASH_FACTOR % _HASH_BUCKETS


def has_partition(op: Operation | None) -> bool:
    """Check whether an operation names its partitions."""
    return op is not None and PARTITION in op.attributes


def partition_ids(op: Operation) -> tuple[int, ...]:
    """List the partitions of an operation in ascending order, () if it names none."""
    return tuple(sorted(array_values(op.attributes.get(PARTITION))))


def partition_outputs(op: Operation) -> list[tuple[int, ...]]:
    """List the partitions of each result of an operation with regions."""
    outputs = op.attributes.get(OUTPUTS)
    return [array_values(each) for each in outputs] if isinstance(outputs, ArrayAttr) else []


def partition_ids_of_use(user: Operation, index: int) -> tuple[int, ...]:
    """List the partitions that use an operand.

    Args:
        user: The operation with the operand.
        index: The number of the operand. An init arg or a yielded value is used where the
            result is.
    """
    if isinstance(user, scf.YieldOp):
        parent = user.parent_op()
        assert parent is not None
        return partition_outputs(parent)[index]
    init_arg = user.init_arg_index(index) if isinstance(user, scf.ForOp) else None
    return partition_ids(user) if init_arg is None else partition_outputs(user)[init_arg]


def set_partition(op: Operation, ids: Iterable[int]) -> None:
    """Set the partitions of an operation, and of the terminators of its regions."""
    attribute = array_i32(tuple(sorted(set(ids))))
    op.attributes[PARTITION] = attribute
    for region in op.regions:
        for block in region.blocks:
            if block.last_op is not None:
                block.last_op.attributes[PARTITION] = attribute


def set_partition_outputs(op: Operation, outputs: Sequence[Iterable[int]]) -> None:
    """Set the partitions of each result; none removes the attribute."""
    if not outputs:
        op.attributes.pop(OUTPUTS, None)
        return
    entries: list[Attribute] = [array_i32(tuple(sorted(set(ids)))) for ids in outputs]
    op.attributes[OUTPUTS] = ArrayAttr(entries)


def tag_of(op: Operation) -> int | None:
    """Read the number of the warp-specialized loop that an operation belongs to."""
    tag = attributes.number(op.attributes.get(TAG))
    return tag if isinstance(tag, int) else None


class Placement(Struct, frozen=True):
    """Where an operation runs, to create others in the same place.

    Attributes:
        partitions: The partitions; None for an operation outside of the partitions, which has
            no stage either.
        position: The stage and cluster, None for none.
        tag: The tag of the loop, for operations outside of it.
    """

    partitions: tuple[int, ...] | None = None
    position: tuple[int, int] | None = None
    tag: int | None = None

    def assign(self, op: Operation) -> None:
        """Give an operation this placement."""
        if self.partitions is None:
            return
        set_partition(op, self.partitions)
        if self.tag is not None:
            op.attributes[TAG] = attributes.integer(self.tag, types.i32)
        if self.position is not None:
            set_stage_and_cluster(op, *self.position)

    def create(
        self,
        builder: Builder,
        cls: type[_Op],
        operands: Sequence[SSAValue] = (),
        result_types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> _Op:
        """Create an operation with this placement."""
        op = builder.create(cls, operands, result_types, properties, regions=regions)
        self.assign(op)
        return op

    def constant(self, builder: Builder, number: int | bool, type_: Attribute) -> SSAValue:
        """Create a constant with this placement."""
        value = builder.constant(number, type_)
        self.assign(value.op)
        return value


def placement_of(op: Operation) -> Placement:
    """Read the placement of an operation."""
    if not has_partition(op):
        return Placement()
    return Placement(partition_ids(op), stage_and_cluster(op), tag_of(op))


def warp_specialized_loop(op: Operation) -> scf.ForOp | None:
    """Find the warp-specialized loop that is or contains an operation."""
    for each in (op, *ancestors(op)):
        if isinstance(each, scf.ForOp) and WARP_SPECIALIZE in each.attributes:
            return each
    return None


def warp_specialized_loops(loops: Iterable[scf.ForOp]) -> list[scf.ForOp]:
    """List the loops that ask for warp specialization."""
    return [loop for loop in loops if WARP_SPECIALIZE in loop.attributes]
