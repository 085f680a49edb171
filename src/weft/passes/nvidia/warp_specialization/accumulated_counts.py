"""Counts of the values that went through the channels of a region, as iter_args.

    scf.for %i … {                            scf.for %i … iter_args(%n = %c0_i64) {
      %a = tt.descriptor_load … {0}     →       …
      %d = dot %a … {1}                         %m = arith.addi %n, %c1_i64
    }                                           scf.yield %m
                                              }

The count of a channel's region selects the buffer (count mod buffers) and the phase of its mbarrier
(count div buffers, mod 2). A count goes on when its loop runs again, so outer loops carry the
counts of all regions in them. They are the last iter_args, in the order of the regions: outer
regions first. Source: Triton, WSBuffer.cpp, CodePartitionUtility.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import PassError
from weft.ir import arith, locations, scf, tt, types
from weft.ir.builtin import Block, BlockArgument, Operation, SSAValue
from weft.ir.rewriting import walk
from weft.passes.nvidia.warp_specialization.channels import Channel
from weft.passes.nvidia.warp_specialization.task_ids import TaskBuilder, nested_tasks, tasks_of
from weft.passes.pipelining.loop_queries import enclosing_loop

__all__ = ["AccumulatedCounts"]


class AccumulatedCounts:
    """The regions that channels are in, and their counts."""

    def __init__(self, function: tt.FuncOp, channels: Sequence[Channel]) -> None:
        regions = (channel.user.parent_op() for channel in channels)
        self._regions: list[Operation] = [
            op for op in dict.fromkeys(regions) if isinstance(op, scf.ForOp | scf.IfOp)
        ]
        tops = [
            op
            for block in function.body.blocks
            for op in block.ops
            if op.regions
            and len(tasks_of(op)) != 1
            and any(_contains(op, c.source) and _contains(op, c.user) for c in channels)
        ]
        for op in tops:
            self._add_to(op)

    def count_at(self, op: Operation) -> SSAValue:
        """Get the count of the region of an operation in a loop."""
        loop, region = enclosing_loop(op), op.parent_op()
        assert loop is not None
        assert region is not None
        return self._argument(loop, region)

    def _in(self, op: Operation) -> list[Operation]:
        """List the regions in an operation, outer ones first; it may be one itself."""
        return [inner for inner in walk(op) if inner in self._regions]

    def _argument(self, loop: scf.ForOp, region: Operation) -> BlockArgument:
        """Find the iter_arg of a loop that counts for a region, or for the first one in it."""
        inner = self._in(loop)
        position = 0
        for op in walk(loop):
            if op is region:
                break
            position += op in inner
        arguments = loop.block.args
        return arguments[len(arguments) - len(inner) + position]

    def _add_to(self, op: Operation) -> Operation:
        """Add counts to a loop or conditional and to those in it; return its replacement."""
        if isinstance(op, scf.ForOp):
            return self._add_to_loop(op)
        assert isinstance(op, scf.IfOp)
        if self._in(op):
            return self._add_to_conditional(op)
        for inner in [each for each in walk(op) if isinstance(each, scf.ForOp)]:
            self._add_to_loop(inner)
        return op

    def _add_inside(self, block: Block) -> list[Operation]:
        """Add counts to the loops and conditionals of a block; list those that have counts."""
        nested = [op for op in block.ops if isinstance(op, scf.ForOp | scf.IfOp)]
        return [new_op for new_op in map(self._add_to, nested) if self._in(new_op)]

    def _replace_region(self, op: Operation, new_op: Operation) -> None:
        if op in self._regions:
            self._regions[self._regions.index(op)] = new_op

    def _initial(self, op: Operation, count: int) -> list[SSAValue]:
        """Get the counts before an operation: iter_args of the loop around it, or zeros."""
        parent, inner = enclosing_loop(op), self._in(op)
        if parent is not None and inner:
            first = self._argument(parent, inner[0]).index
            return list(parent.block.args[first : first + count])
        builder = TaskBuilder(nested_tasks(op)).before(op)
        return [builder.constant(0, types.i64) for _ in range(count)]

    def _add_to_loop(self, op: scf.ForOp) -> scf.ForOp:
        count = len(self._in(op))
        initial = self._initial(op, count)
        tasks = nested_tasks(op)
        body = op.block
        terminator = op.terminator
        first = len(body.args)
        arguments = [body.insert_arg(types.i64, len(body.args)) for _ in initial]
        for argument in arguments:
            argument.location = op.location
        terminator.operands = [*terminator.operands, *arguments]
        inits = [*op.init_args, *initial]
        region = op.detach_region(op.regions[0])
        new_op = (
            TaskBuilder(tasks)
            .before(op)
            .create(
                scf.ForOp,
                [*op.bounds, *inits],
                [init.type for init in inits],
                op.properties,
                regions=[region],
            )
        )
        for result, new_result in zip(op.results, new_op.results, strict=False):
            result.replace_all_uses_with(new_result)
        self._replace_region(op, new_op)
        op.detach()
        op.erase()
        nested = self._add_inside(body)
        if not count:
            return new_op
        counts = self._counts_after(new_op, nested, arguments)
        terminator.operands = [*terminator.operands[: first - 1], *counts]
        return new_op

    def _counts_after(
        self, op: Operation, nested: list[Operation], before: Sequence[SSAValue]
    ) -> list[SSAValue]:
        """Compute the counts at the end of a block: of its region, then of nested ones."""
        counts: list[SSAValue] = []
        if op in self._regions:
            terminator = op.regions[0].block.last_op
            assert terminator is not None
            builder = TaskBuilder(nested_tasks(op)).before(terminator)
            builder.location = op.location
            one = builder.constant(1, types.i64)
            counts.append(builder.value(arith.AddIOp, [before[0], one], types.i64))
        for inner in nested:
            counts += inner.results[len(inner.results) - len(self._in(inner)) :]
        return counts

    def _add_to_conditional(self, op: scf.IfOp) -> scf.IfOp:
        if op.regions[1].blocks:
            raise PassError(
                "warp specialization of a loop with an else-block",
                location=locations.position(op.location),
                hint="leave out warp_specialize, or the else-block",
            )
        count, tasks = len(self._in(op)), nested_tasks(op)
        builder = TaskBuilder(tasks).before(op)
        then_region = op.detach_region(op.regions[0])
        else_region = op.detach_region(op.regions[0])
        else_region.add_block(Block())
        new_op = builder.create(
            scf.IfOp, op.operands, [types.i64] * count, regions=[then_region, else_region]
        )
        self._replace_region(op, new_op)
        op.detach()
        op.erase()
        nested = self._add_inside(then_region.block)
        parent = enclosing_loop(new_op)
        builder.at_end(else_region.block)
        if parent is None:
            before: list[SSAValue] = [builder.constant(0, types.i64) for _ in range(count)]
        else:
            before = self._initial(new_op, count)
        counts = self._counts_after(new_op, nested, before)
        terminator = then_region.block.last_op
        assert terminator is not None
        builder.before(terminator)
        builder.location = new_op.location
        builder.create(scf.YieldOp, counts)
        terminator.detach()
        terminator.erase()
        builder.at_end(else_region.block).create(scf.YieldOp, before)
        return new_op


def _contains(op: Operation, inner: Operation) -> bool:
    return op.is_ancestor(inner) and op is not inner
