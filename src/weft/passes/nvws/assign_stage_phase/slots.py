"""Compute which buffer and which phase each access to a reference is for.

A reference has a number of buffers (stages). Accesses use them in turn. An mbarrier changes its
phase each time all buffers were used:

    access   0  1  2  3  4  5          3 buffers
    stage    0  1  2  0  1  2
    phase    0  0  0  1  1  1          of a get; a put begins with 1: the buffers are free

Stage and phase are those of the last access, so that each access first computes its own:

    %n = %stage + 1
    %wraps = %n == 3
    %stage1 = select %wraps, 0, %n
    %phase1 = select %wraps, %phase ^ 1, %phase

Loops carry both as iter_args, conditionals return both. Every partition counts its own accesses.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from weft.ir import arith, nvws, scf, types
from weft.ir.attributes import array_i32
from weft.ir.builtin import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import Builder, replace
from weft.passes.pipelining.loop_signature import add_iter_args
from weft.passes.pipelining.partitions.arefs import depth_of
from weft.passes.pipelining.partitions.attributes import (
    has_partition,
    partition_ids,
    partition_outputs,
    placement_of,
    set_partition,
    set_partition_outputs,
)

__all__ = ["Enter", "Slot", "SlotTracker"]

Enter = nvws.ArefPutEnterOp | nvws.ArefGetEnterOp

_STAGE_USERS = (nvws.ArefBufferOp, nvws.ArefPutExitOp, nvws.ArefGetExitOp)


class Slot(Struct, frozen=True):
    """The buffer that the last access was for.

    Attributes:
        stage: Its number.
        phase: Its phase.
        token: The token of the access, None before the first one.
    """

    stage: SSAValue
    phase: SSAValue
    token: SSAValue | None = None


class SlotTracker:
    """Assigns stage and phase to the accesses of one partition to one reference.

    Attributes:
        aref: The reference.
        kind: The class of the accesses, put or get.
        partition: The partition; accesses outside of the partitions count for each.
        stage_positions: Where a loop or a yield with a token has the stage that belongs to it: by
            the operation and the token.
    """

    __slots__ = ("aref", "kind", "partition", "stage_positions")

    def __init__(self, aref: nvws.ArefCreateOp, kind: type[Enter], partition: int) -> None:
        self.aref = aref
        self.kind = kind
        self.partition = partition
        self.stage_positions: dict[tuple[Operation, SSAValue | None], int] = {}

    # ------------------------------------------------------------------------- accesses
    def _access(self, op: Operation) -> Enter | None:
        """Get an operation as an access of the partition, None for others."""
        if not isinstance(op, self.kind) or op.aref is not self.aref.result:
            return None
        return op if not has_partition(op) or self.partition in partition_ids(op) else None

    def _is_used(self, block: Block, token: SSAValue | None) -> bool:
        """Check whether a block accesses the reference, or the buffer that belongs to a token."""
        for op in block.ops:
            if self._access(op) is not None:
                return True
            if (
                isinstance(op, nvws.ArefBufferOp)
                and op.aref is self.aref.result
                and op.token is token
            ):
                return True
            if isinstance(op, scf.ForOp):
                index = _index_of(op.init_args, token)
                if self._is_used(op.block, None if index is None else op.iter_args[index]):
                    return True
            elif isinstance(op, scf.IfOp) and (
                self._is_used(op.then_block, token)
                or (op.else_block is not None and self._is_used(op.else_block, token))
            ):
                return True
        return False

    # ------------------------------------------------------------------------- assignment
    def assign_in_block(self, block: Block, slot: Slot) -> Slot:
        """Assign the accesses in a block.

        Args:
            block: The block.
            slot: The slot of the last access before it.

        Returns:
            The slot of the last access.
        """
        op = block.first_op
        while op is not None:
            following = op.next_op
            access = self._access(op)
            if access is not None:
                slot = self._advance(access, slot)
            elif isinstance(op, scf.ForOp):
                slot = self._assign_in_loop(op, slot)
            elif isinstance(op, scf.IfOp):
                slot = self._assign_in_conditional(op, slot)
            op = following
        return slot

    def _advance(self, access: Enter, slot: Slot) -> Slot:
        """Compute the slot of an access, and assign it."""
        builder = Builder().before(access)
        where = placement_of(access)

        def create(cls: type[arith.AddIOp | arith.XOrIOp], value: SSAValue) -> SSAValue:
            one = where.constant(builder, 1, types.i32)
            return where.create(builder, cls, [value, one], [types.i32]).results[0]

        def select(condition: SSAValue, value: SSAValue, other: SSAValue) -> SSAValue:
            operands = [condition, value, other]
            return where.create(builder, arith.SelectOp, operands, [types.i32]).results[0]

        following = create(arith.AddIOp, slot.stage)
        depth = where.constant(builder, depth_of(self.aref.operands[0].type), types.i32)
        predicate = {"predicate": CmpIPredicate.EQ.attr()}
        wraps = where.create(
            builder, arith.CmpIOp, [following, depth], [types.i1], dict(predicate)
        ).results[0]
        stage = select(wraps, where.constant(builder, 0, types.i32), following)
        phase = select(wraps, create(arith.XOrIOp, slot.phase), slot.phase)
        access.operands = [access.aref, stage, phase]
        access.properties["operandSegmentSizes"] = array_i32((1, 1, 1))
        return Slot(stage, phase, access.results[-1])

    def _assign_in_loop(self, loop: scf.ForOp, slot: Slot) -> Slot:
        """Carry the slot through a loop that accesses the reference."""
        index = _index_of(loop.init_args, slot.token)
        argument = None if index is None else loop.iter_args[index]
        if not self._is_used(loop.block, argument):
            return slot
        count = len(loop.iter_args)
        partitions = set(partition_ids(loop))
        outputs = partition_outputs(loop)
        loop = add_iter_args(loop, [slot.stage, slot.phase])
        token = slot.token if argument is None else argument
        first = Slot(loop.iter_args[count], loop.iter_args[count + 1], token)
        last = self.assign_in_block(loop.block, first)
        terminator = loop.terminator
        terminator.operands = [*terminator.operands[:count], last.stage, last.phase]
        self.stage_positions[loop, token] = count
        self.stage_positions[terminator, last.token] = count
        for value in (last.stage, last.phase):
            ids = _partitions_of(value)
            partitions |= ids
            outputs.append(tuple(ids))
        set_partition(loop, partitions)
        set_partition_outputs(loop, outputs)
        return Slot(
            loop.results[count],
            loop.results[count + 1],
            slot.token if index is None else loop.results[index],
        )

    def _assign_in_conditional(self, op: scf.IfOp, slot: Slot) -> Slot:
        """Return the slot from a conditional that accesses the reference."""
        blocks = [op.then_block] if op.else_block is None else [op.then_block, op.else_block]
        if not any(self._is_used(block, slot.token) for block in blocks):
            return slot
        count = len(op.results)
        outputs = partition_outputs(op)
        op = _add_results(op)
        assert op.else_block is not None
        partitions: tuple[set[int], set[int]] = (set(), set())
        slots = [self.assign_in_block(block, slot) for block in (op.then_block, op.else_block)]
        token = slot.token
        for region, last in zip(op.regions, slots, strict=True):
            terminator = region.block.last_op
            assert terminator is not None
            index = _index_of(terminator.operands, slot.token)
            if index is not None:
                token = op.results[index]
            self.stage_positions[terminator, last.token] = count
        for region, last in zip(op.regions, slots, strict=True):
            terminator = region.block.last_op
            assert terminator is not None
            terminator.operands = [*terminator.operands, last.stage, last.phase]
            for ids, value in zip(partitions, (last.stage, last.phase), strict=True):
                if isinstance(value, OpResult):
                    ids.update(partition_ids(value.op))
        set_partition(op, partition_ids(op))
        set_partition_outputs(op, [*outputs, *partitions])
        return Slot(op.results[count], op.results[count + 1], token)

    # ------------------------------------------------------------------------- other users
    def propagate(self, access: Enter) -> None:
        """Assign the stage of an access to the operations that use its token."""
        stage = access.stage
        assert stage is not None
        self._propagate(access.results[-1], stage, set())

    def _propagate(self, token: SSAValue, stage: SSAValue, visited: set[Operation]) -> None:
        for use in tuple(token.uses):
            user = use.operation
            if user in visited:
                continue
            visited.add(user)
            if isinstance(user, _STAGE_USERS):
                if isinstance(stage, BlockArgument):
                    _add_partitions_to_slot(stage, partition_ids(user))
                user.operands = [*user.operands[:2], stage]
            elif isinstance(user, scf.ForOp):
                index = user.init_arg_index(use.index)
                assert index is not None
                argument = user.iter_args[index]
                position = self.stage_positions[user, argument]
                self._propagate(argument, user.iter_args[position], visited)
            elif isinstance(user, scf.YieldOp):
                position = self.stage_positions[user, token]
                parent = user.parent_op()
                assert parent is not None
                self._propagate(parent.results[use.index], parent.results[position], visited)


def _index_of(values: Iterable[SSAValue], value: SSAValue | None) -> int | None:
    """Find the first position of a value."""
    return next((index for index, each in enumerate(values) if each is value), None)


def _partitions_of(value: SSAValue) -> set[int]:
    """Find the partitions that compute a stage or phase that a loop yields."""
    if isinstance(value, OpResult):
        op = value.op
        return set(partition_outputs(op)[value.index] if op.regions else partition_ids(op))
    # An iter_arg that the body does not change belongs to all that use it.
    users = (use.operation for use in value.uses)
    return {
        number
        for user in users
        if not isinstance(user, scf.YieldOp)
        for number in partition_ids(user)
    }


def _add_partitions_to_slot(stage: BlockArgument, ids: tuple[int, ...]) -> None:
    """Add partitions to a loop that carries a stage, and to the stage and the phase after it."""
    loop = stage.block.parent_op()
    assert isinstance(loop, scf.ForOp)
    set_partition(loop, (*partition_ids(loop), *ids))
    outputs = partition_outputs(loop)
    for position in (stage.index - 1, stage.index):
        outputs[position] = (*outputs[position], *ids)
    set_partition_outputs(loop, outputs)


def _add_results(op: scf.IfOp) -> scf.IfOp:
    """Replace a conditional by one that also returns a stage and a phase, yet to be yielded."""
    regions: list[Region] = []
    for old in op.regions:
        region = Region()
        old.move_blocks(region)
        if not region.blocks:
            region.add_block(Block())
            Builder(op.location).at_end(region.block).create(scf.YieldOp)
        regions.append(region)
    result_types = [*(result.type for result in op.results), types.i32, types.i32]
    new_op = (
        Builder()
        .before(op)
        .create(scf.IfOp, op.operands, result_types, op.properties, op.attributes, regions)
    )
    replace(op, new_op.results[: len(op.results)])
    return new_op
