"""Clone the operations of a loop into the regions of their partitions.

scf.for … iter_args(%a {0}, %b {1}) {       partition 0         partition 1
  %x = … %a {partition 0}                   scf.for … (%a) {    scf.for … (%b) {
  %y = … %b {partition 1}              →      %x = … %a           %y = … %b
  scf.yield %x, %y                            scf.yield %x        scf.yield %y
}                                           }                   }
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from weft.errors import PassError
from weft.ir import locations, scf, tt
from weft.ir.builtin import Block, Operation, Region, SSAValue
from weft.ir.operation import Op
from weft.ir.rewriting import Builder, clone
from weft.passes.loops.partition_loops.carried_values import carried_iter_args
from weft.passes.pipelining.partitions.attributes import (
    OUTPUTS,
    PARTITION,
    STAGES,
    partition_ids,
    partition_outputs,
)

__all__ = ["PartitionRegion", "clone_loop", "clone_op"]


class PartitionRegion:
    """The region of a partition while it is filled.

    Attributes:
        number: The number of the partition.
        builder: Where the next operation goes.
        values: The values of the loop, and those that replace them in this partition.
    """

    __slots__ = ("builder", "number", "values")

    def __init__(self, number: int, block: Block) -> None:
        self.number = number
        self.builder = Builder().at_end(block)
        self.values: dict[SSAValue, SSAValue] = {}

    def value(self, value: SSAValue) -> SSAValue:
        """Look up a value; those defined before the loop stay."""
        return self.values.get(value, value)

    def create(
        self,
        op: Op,
        operands: Sequence[SSAValue],
        results: Sequence[int],
        regions: Sequence[Region],
    ) -> Operation:
        """Create a copy of control flow with some of its results.

        Args:
            op: The operation.
            operands: Its operands in the partition.
            results: The numbers of the results that the partition uses.
            regions: The regions of the copy.
        """
        self.builder.location = op.location
        copy = self.builder.create(
            type(op),
            operands,
            [op.results[index].type for index in results],
            op.properties,
            {name: value for name, value in op.attributes.items() if name != OUTPUTS},
            regions,
        )
        for index, result in zip(results, copy.results, strict=True):
            self.values[op.results[index]] = result
        return copy


Regions = Mapping[int, PartitionRegion]


def clone_loop(loop: scf.ForOp, regions: Regions) -> None:
    """Clone a loop into its partitions; each copy has only the iter_args that it uses."""
    copies: list[tuple[PartitionRegion, Operation]] = []
    for partition in _regions_of(loop, regions):
        carried = carried_iter_args(loop, partition.number)
        inits = [loop.init_args[index] for index in carried]
        arguments = [loop.induction_variable, *(loop.iter_args[index] for index in carried)]
        block = Block(arg_types=[argument.type for argument in arguments])
        for old, new in zip(arguments, block.args, strict=True):
            partition.values[old] = new
        operands = [partition.value(value) for value in (*loop.bounds, *inits)]
        copies.append((partition, partition.create(loop, operands, carried, [Region(block)])))
        _enter(partition, block, has_values=bool(carried))
    _clone_block(loop.block, regions)
    for partition, copy in copies:
        partition.builder.after(copy)
        for op in copy.walk():
            op.attributes.pop(PARTITION, None)
        copy.attributes.pop(STAGES, None)


def clone_op(op: Operation, regions: Regions) -> None:
    """Clone an operation without regions into its partitions.

    Raises:
        PassError: It has regions.
    """
    if op.regions:
        raise PassError(
            f"cannot divide {op.name} among partitions",
            location=locations.position(op.location),
            found=op.name,
            accepted=["scf.for", "scf.if", "tt.reduce", "operations without regions"],
            hint="move the operation out of the warp-specialized loop",
        )
    for partition in _regions_of(op, regions):
        partition.builder.insert(clone(op, partition.values))


def _regions_of(op: Operation, regions: Regions) -> list[PartitionRegion]:
    return [regions[number] for number in partition_ids(op)]


def _enter(partition: PartitionRegion, block: Block, *, has_values: bool) -> None:
    """Continue in a new block; one that yields no values ends with a yield already."""
    if not has_values:
        partition.builder.at_end(block).create(scf.YieldOp)
    partition.builder.at_start(block)


def _clone_block(block: Block, regions: Regions) -> None:
    """Clone the operations of a block."""
    for op in block.ops:
        match op:
            case scf.ForOp():
                clone_loop(op, regions)
            case scf.IfOp():
                _clone_conditional(op, regions)
            case tt.ReduceOp():
                _clone_reduction(op, regions)
            case scf.YieldOp():
                _clone_yield(op, regions)
            case _:
                clone_op(op, regions)


def _clone_conditional(op: scf.IfOp, regions: Regions) -> None:
    """Clone a conditional; each copy has only the results that it uses."""
    partitions = _regions_of(op, regions)
    outputs = partition_outputs(op)
    copies: list[Operation] = []
    for partition in partitions:
        carried = [index for index, ids in enumerate(outputs) if partition.number in ids]
        blocks = [[Block()], [Block()] if op.else_block is not None else []]
        copy = partition.create(
            op, [partition.value(op.condition)], carried, [Region(each) for each in blocks]
        )
        copies.append(copy)
    for index, region in enumerate(op.regions):
        if not region.blocks:
            continue
        for partition, copy in zip(partitions, copies, strict=True):
            _enter(partition, copy.regions[index].block, has_values=bool(copy.results))
        _clone_block(region.block, regions)
    for partition, copy in zip(partitions, copies, strict=True):
        partition.builder.after(copy)


def _clone_reduction(op: tt.ReduceOp, regions: Regions) -> None:
    """Clone a reduction with its region."""
    partitions = _regions_of(op, regions)
    copies: list[Operation] = []
    body = op.regions[0].block
    for partition in partitions:
        block = Block(arg_types=[argument.type for argument in body.args])
        for old, new in zip(body.args, block.args, strict=True):
            partition.values[old] = new
        operands = [partition.value(operand) for operand in op.operands]
        copies.append(partition.create(op, operands, range(len(op.results)), [Region(block)]))
        partition.builder.at_end(block)
    _clone_block(body, regions)
    for partition, copy in zip(partitions, copies, strict=True):
        partition.builder.after(copy)


def _clone_yield(op: scf.YieldOp, regions: Regions) -> None:
    """Yield in each partition the values that it keeps."""
    parent = op.parent_op()
    assert parent is not None
    if not op.operands:
        return
    outputs = partition_outputs(parent)
    for partition in _regions_of(op, regions):
        carried: Iterable[SSAValue] = (
            value
            for value, ids in zip(op.operands, outputs, strict=True)
            if partition.number in ids
        )
        values = [partition.value(value) for value in carried]
        if values:
            partition.builder.create(scf.YieldOp, values)
