"""Move the operations of each task into a separate region.

    %a = f %x {0}                  ttg.warp_specialize(%x)
    %b = g %x {1}            →     default { %a = f %x }
                                   partition0(%y) num_warps(4) { %b = g %y }

Task 0, the producer, gets the default region. An operation of several tasks is cloned into each of
their regions. Source: Triton, WSSpecialize.cpp.
"""

from __future__ import annotations

from weft.ir import arith, attributes, scf, tt, ttg
from weft.ir.builtin import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from weft.ir.locations import location_of
from weft.ir.rewriting import Builder, clone, locate_loop_arguments, walk, walk_inner_first
from weft.passes.nvidia.warp_specialization.task_ids import (
    TaskBuilder,
    nested_tasks,
    set_tasks,
    tasks_of,
)
from weft.passes.rewrite.nesting import is_defined_in_region, replace_uses_in_region

__all__ = ["specialize_regions"]

_WARPS = 4
_REGISTERS = 232  # of each thread of a consumer


def specialize_regions(function: tt.FuncOp) -> None:
    """Create the regions of the tasks of a function, before its return."""
    originals = [op for block in function.body.blocks for op in block.ops if tasks_of(op)]
    tasks = nested_tasks(function)
    default, *regions = (_task_region(originals, task) for task in tasks)
    _terminate(default, ttg.WarpYieldOp, function)
    for region in regions:
        _terminate(region, ttg.WarpReturnOp, function)
    last_block = list(function.body.blocks)[-1]
    terminator = last_block.last_op
    assert terminator is not None
    holder_block = Block()
    location = originals[0].location
    holder = Builder(location).at_end(holder_block)
    partitions = holder.create(ttg.WarpSpecializePartitionsOp, (), (), regions=regions)
    Builder(location).restore((last_block, terminator)).create(
        ttg.WarpSpecializeOp,
        (),
        (),
        {
            "partitionNumWarps": attributes.array_i32((_WARPS,) * len(regions)),
            "requestedRegisters": attributes.array_i32((_REGISTERS,) * len(regions)),
        },
        regions=[default, Region([holder_block])],
    )
    _capture(partitions)
    for op in reversed(originals):
        op.detach()
        op.erase()


def _terminate(
    region: Region, cls: type[ttg.WarpYieldOp] | type[ttg.WarpReturnOp], function: tt.FuncOp
) -> None:
    # Triton creates only the yield of the producer by a builder that sets tasks, without use of it.
    Builder(function.location).at_end(region.block).create(cls)


def _task_region(originals: list[Operation], task: int) -> Region:
    """Clone the operations of one task."""
    block = Block()
    clones = _Clones(task)
    for op in originals:
        clones.add(op, block)
    return Region([block])


def _capture(partitions: ttg.WarpSpecializePartitionsOp) -> None:
    """Pass the values that partitions use to them as arguments; clone constants into them."""
    used: dict[SSAValue, None] = {}
    for region in partitions.regions:
        for block in region.blocks:
            for op in block.ops:
                for inner in walk_inner_first(op):
                    used |= dict.fromkeys(
                        value for value in inner.operands if not is_defined_in_region(value, region)
                    )
    for value in used:
        if isinstance(value, OpResult) and isinstance(value.op, arith.ConstantOp):
            for region in partitions.regions:
                copy = clone(value.op, {})
                Builder().at_start(region.block).insert(copy)
                replace_uses_in_region(value, copy.results[0], region)
            continue
        partitions.operands = [*partitions.operands, value]
        for region in partitions.regions:
            argument = region.block.insert_arg(value.type, len(region.block.args))
            argument.location = location_of(value)
            replace_uses_in_region(value, argument, region)


class _Clones:
    """The clones of the operations of one task."""

    def __init__(self, task: int) -> None:
        self._task = task
        self._values: dict[SSAValue, SSAValue] = {}

    def add(self, op: Operation, block: Block) -> None:
        """Clone an operation to the end of a block, if it is of the task."""
        if self._task not in tasks_of(op) and not isinstance(op, scf.YieldOp):
            return
        if isinstance(op, scf.ForOp):
            self._add_loop(op, block)
        elif isinstance(op, scf.IfOp):
            self._add_conditional(op, block)
        else:
            copy = clone(op, self._values)
            Builder().at_end(block).insert(copy)
            for inner in walk(copy):
                set_tasks(inner, (self._task,))

    def _builder(self, original: Operation, block: Block) -> TaskBuilder:
        """Create a builder at the end of a block, at the location of an operation to clone."""
        builder = TaskBuilder((self._task,)).at_end(block)
        builder.location = original.location
        return builder

    def _new(self, values: list[SSAValue]) -> list[SSAValue]:
        return [self._values.get(value, value) for value in values]

    def _add_loop(self, op: scf.ForOp, block: Block) -> None:
        positions = self._used_iter_args(op)
        inits = self._new([op.init_args[position] for position in positions])
        types = [init.type for init in inits]
        body = Block(arg_types=[op.block.args[0].type, *types])
        locate_loop_arguments(body, inits, op.location)
        region = Region([body])
        bounds = self._new(list(op.bounds))
        new_op = self._builder(op, block).create(
            scf.ForOp, [*bounds, *inits], types, op.properties, regions=[region]
        )
        self._values[op.block.args[0]] = body.args[0]
        for position, argument in zip(positions, body.args[1:], strict=True):
            self._values[op.block.args[position + 1]] = argument
        for inner in op.block.ops:
            if inner is not op.terminator:
                self.add(inner, body)
        yielded = self._new([op.yielded_values[position] for position in positions])
        self._builder(op.terminator, body).create(scf.YieldOp, yielded)
        for position, result in zip(positions, new_op.results, strict=True):
            self._values[op.results[position]] = result

    def _add_conditional(self, op: scf.IfOp, block: Block) -> None:
        *_, then_yield = op.regions[0].block.ops
        positions = [
            index for index, value in enumerate(then_yield.operands) if self._is_defined(value)
        ]
        regions = [Region([Block()]) if region.blocks else Region() for region in op.regions]
        for region, new_region in zip(op.regions, regions, strict=True):
            if not region.blocks:
                continue
            *body, terminator = region.block.ops
            for inner in body:
                self.add(inner, new_region.block)
            values = self._new([terminator.operands[position] for position in positions])
            self._builder(terminator, new_region.block).create(scf.YieldOp, values)
        new_op = self._builder(op, block).create(
            scf.IfOp,
            self._new([op.operands[0]]),
            [op.results[position].type for position in positions],
            regions=regions,
        )
        for position, result in zip(positions, new_op.results, strict=True):
            self._values[op.results[position]] = result

    def _is_defined(self, value: SSAValue) -> bool:
        """Check whether the task has a value; an iter_arg if it has the initial value."""
        while isinstance(value, BlockArgument):
            loop = value.block.parent_op()
            if not isinstance(loop, scf.ForOp) or value.index == 0:
                return True
            value = loop.init_args[value.index - 1]
        assert isinstance(value, OpResult)
        return self._task in tasks_of(value.op)

    def _used_iter_args(self, loop: scf.ForOp) -> list[int]:
        """List the iter_args that the task uses, in the loop or after it."""
        return [
            index
            for index, (argument, result) in enumerate(
                zip(loop.block.args[1:], loop.results, strict=True)
            )
            if self._is_used(argument) or self._is_used(result)
        ]

    def _is_used(self, value: SSAValue) -> bool:
        for use in value.uses:
            user = use.operation
            if self._task not in tasks_of(user):
                continue
            if isinstance(user, scf.YieldOp):
                if (
                    isinstance(user.parent_op(), scf.IfOp)
                    and isinstance(value, BlockArgument)
                    and self._is_defined(value)
                ):
                    return True
            elif isinstance(user, scf.ForOp):
                index = user.init_arg_index(use.index)
                if not isinstance(value, BlockArgument) or index is None:
                    continue
                if self._is_initialized(value) or self._is_used(user.iter_args[index]):
                    return True
            elif not user.regions:
                return True
        return False

    def _is_initialized(self, argument: BlockArgument) -> bool:
        """Check whether an operation of the task computes the initial value of an iter_arg."""
        loop = argument.block.parent_op()
        if not isinstance(loop, scf.ForOp) or argument.index == 0:
            return False
        init = loop.init_args[argument.index - 1]
        return isinstance(init, OpResult) and self._task in tasks_of(init.op)
