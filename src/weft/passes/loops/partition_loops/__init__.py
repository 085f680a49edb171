"""Split warp-specialized loops into one loop for each partition (tritongpu-partition-loops).

Before:  scf.for … {                        After:  nvws.warp_group
           … {ttg.partition = array<i32: 0>}        partition0 num_warps(4) {
           … {ttg.partition = array<i32: 1>}          scf.for … { … }
         } {ttg.partition = array<i32: 0, 1>,         nvws.warp_group.yield
            ttg.partition.stages = […]}             }
                                                    partition1 num_warps(4) {
                                                      scf.for … { … }
                                                      nvws.warp_group.return
                                                    }

The results of the group are those of partition 0. A tensor that another partition computes comes
back through shared memory. Operations before and after the loop that belong to a partition move
into the group.

Needs partitions that communicate through memory only. Source: Triton, PartitionLoops.cpp.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct
from xdsl.ir import Use

from weft.errors import WeftError
from weft.ir import locations, nvws, scf, ttg, types
from weft.ir.attributes import array_i32
from weft.ir.builtin import ArrayAttr, Attribute, Block, ModuleOp, Operation, Region, SSAValue
from weft.ir.module_attributes import lookup_num_warps
from weft.ir.rewriting import Builder, erase, walk_inner_first
from weft.passes.diagnostics import PassFailure, emit_warning
from weft.passes.loops.partition_loops.carried_values import (
    carried_iter_args,
    computes_tensor,
    is_passed_back,
)
from weft.passes.loops.partition_loops.cloning import PartitionRegion, clone_loop, clone_op
from weft.passes.pipelining.loads.shared_encodings import default_shared_encoding
from weft.passes.pipelining.loop_queries import loops_inner_first
from weft.passes.pipelining.partitions.attributes import (
    STAGES,
    TAG,
    has_partition,
    partition_ids,
    tag_of,
)
from weft.passes.rewrite.nesting import ancestor_in_block

__all__ = ["PartitionLoops"]

_DEFAULT = 0


class PartitionLoops(Struct, frozen=True):
    """Divides loops among groups of warps."""

    name: ClassVar[str] = "tritongpu-partition-loops"

    def run(self, module: ModuleOp) -> None:
        """Split all loops that have partitions."""
        for loop in [op for op in loops_inner_first(module) if STAGES in op.attributes]:
            stages = loop.attributes[STAGES]
            assert isinstance(stages, ArrayAttr)
            _check_values(loop)
            if len(stages) > 1:
                _split(loop, len(stages))


def _check_values(loop: scf.ForOp) -> None:
    """Check that no partition uses a value that another one computes.

    Raises:
        PassFailure: A partition does; warnings about all such uses but the last are emitted.
    """
    failures = [
        _failure(op, partition, use, distance)
        for op in walk_inner_first(loop)
        for use, distance in _uses(op, loop)
        for partition in _partitions_before(op, use.operation)
    ]
    for failure in failures[:-1]:
        emit_warning(failure)
    if failures:
        raise failures[-1]


def _uses(op: Operation, loop: scf.ForOp) -> Iterator[tuple[Use, int]]:
    """Yield each use of the results of an operation, and its distance in iterations."""
    ids = set(partition_ids(op))
    worklist = [(use, 0) for result in op.results for use in result.uses]
    carried: set[int] = set()
    while ids and worklist:
        use, distance = worklist.pop(0)
        owner = ancestor_in_block(use.operation, loop.block)
        if owner is loop.terminator:
            if use.index not in carried:
                worklist += [(each, distance + 1) for each in loop.iter_args[use.index].uses]
            carried.add(use.index)
        elif owner is not None and (distance or not ids <= set(partition_ids(owner))):
            yield use, distance


def _partitions_before(op: Operation, user: Operation) -> list[int]:
    """List the partitions that compute a value which a partition without it uses."""
    ids, users = partition_ids(op), set(partition_ids(user))
    return [] if users <= set(ids) else [each for each in ids if each not in users]


def _failure(op: Operation, partition: int, use: Use, distance: int) -> PassFailure:
    users = partition_ids(use.operation)
    failure = PassFailure(
        f"non-root partition #{partition} has direct SSA consumer",
        location=locations.position(op.location),
        found=f"a use in partitions {sorted(users)}",
        accepted=[f"uses in partitions {sorted(partition_ids(op))}"],
        hint="run nvws-insert-aref first",
    )
    location = locations.position(use.operation.location)
    failure.notes += [
        WeftError(f"use at distance {distance} in partition #{user} here", location=location)
        for user in users
    ]
    return failure


def _split(loop: scf.ForOp, count: int) -> None:
    """Replace a loop by a group with one region for each partition.

    Args:
        loop: The loop.
        count: The number of partitions.
    """
    carried = carried_iter_args(loop, _DEFAULT)
    passed_back = [
        index for index in range(len(loop.results)) if is_passed_back(loop, index, _DEFAULT, count)
    ]
    builder = Builder().before(loop)
    buffers = {index: _allocate(builder, loop.results[index].type) for index in passed_back}
    blocks = [Block() for _ in range(count)]
    regions = {number: PartitionRegion(number, block) for number, block in enumerate(blocks)}
    assert loop.parent is not None
    tagged = [op for op in loop.parent.ops if has_partition(op) and tag_of(op) == tag_of(loop)]
    for op in tagged:
        if op is loop:
            clone_loop(loop, regions)
        else:
            clone_op(op, regions)
    for number, block in enumerate(blocks):
        _terminate(loop, number, block, buffers)
    warps = (lookup_num_warps(loop),) * count
    group = builder.create(
        nvws.WarpGroupOp,
        (),
        [loop.results[index].type for index in carried],
        {"numWarps": array_i32(warps)},
        regions=[Region(block) for block in blocks],
    )
    _replace_results(loop, group, carried, buffers)
    for op in reversed(tagged):
        erase(op)


def _allocate(builder: Builder, type_: Attribute) -> SSAValue:
    """Allocate a buffer for a tensor that a partition passes back."""
    memory = ttg.MemDescType.of(
        types.shape(type_),
        types.element(type_),
        default_shared_encoding(type_),
        ttg.SharedMemoryAttr(),
        mutable=True,
    )
    return builder.value(ttg.LocalAllocOp, (), memory)


def _terminate(loop: scf.ForOp, number: int, block: Block, buffers: dict[int, SSAValue]) -> None:
    """End the region of a partition with its results.

    Args:
        loop: The original loop.
        number: The number of the partition.
        block: The block of the region.
        buffers: The buffers of results that other partitions than the default one compute.
    """
    builder = Builder(loop.location).at_end(block)
    if number not in partition_ids(loop):
        builder.create(nvws.WarpGroupYieldOp)
        return
    copy = next(op for op in block.ops if isinstance(op, scf.ForOp))
    if number == _DEFAULT:
        builder.create(nvws.WarpGroupYieldOp, copy.results)
        return
    carried = carried_iter_args(loop, number)
    for index, buffer in buffers.items():
        if computes_tensor(loop, index, number):
            builder.create(ttg.LocalStoreOp, [copy.results[carried.index(index)], buffer])
    builder.create(nvws.WarpGroupReturnOp)


def _replace_results(
    loop: scf.ForOp, group: nvws.WarpGroupOp, carried: list[int], buffers: dict[int, SSAValue]
) -> None:
    """Replace the results of a loop where operations outside of the partitions use them."""
    builder = Builder().after(group)
    for index, result in enumerate(loop.results):
        if not result.first_use:
            continue
        if index in buffers:
            load = builder.create(ttg.LocalLoadOp, [buffers[index]], [result.type])
            builder.create(ttg.LocalDeallocOp, [buffers[index]])
            result.replace_all_uses_with(load.result)
        elif any(_is_outside(use.operation) for use in result.uses):
            result.replace_all_uses_with(group.results[carried.index(index)])


def _is_outside(user: Operation) -> bool:
    """Check whether a user is in no partition, or is another warp-specialized loop."""
    return not has_partition(user) or (isinstance(user, scf.ForOp) and TAG in user.attributes)
