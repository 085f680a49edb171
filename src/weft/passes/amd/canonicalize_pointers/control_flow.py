"""Loops, conditionals and branches that carry pairs: two values in the place of each pointer.

    %r = scf.for … iter_args(%p = %q) -> (tensor<…ptr>)
        →  %r:2 = scf.for … iter_args(%b = %base, %o = %offset) -> (!tt.ptr<f32>, tensor<…xi32>)

An operation that opens blocks is made anew, with the old one's blocks, which get two arguments
beside each old one that was a pointer. The old operations and arguments go when nothing reads
them any more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.ir import cf, scf
from weft.ir.builtin import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from weft.ir.rewriting import Builder
from weft.passes.amd.canonicalize_pointers.offsets import Offsets
from weft.passes.amd.canonicalize_pointers.pair import Pair

__all__ = ["ControlFlow"]


class ControlFlow:
    """Rewrite what passes values from block to block.

    can: the values that pairs stand for.  pairs: those pairs, as far as they are made.
    replaced, arguments: operations and block arguments that became superfluous, in order.
    """

    def __init__(self, can: set[SSAValue], walk: Callable[[Region], None]) -> None:
        self.can = can
        self.pairs: dict[SSAValue, Pair] = {}
        self.replaced: list[Operation] = []
        self.arguments: list[BlockArgument] = []
        self._walk = walk
        self._targets: dict[Block, Sequence[SSAValue]] = {}
        self._passed: dict[Block, Sequence[SSAValue]] = {}

    def pointer(self, value: SSAValue, before: Operation) -> SSAValue:
        """Return a value as it was, a pointer made from its pair if it has one."""
        pair = self.pairs.get(value)
        return value if pair is None else pair.pointer(Offsets(before))

    def _flat(
        self, values: Sequence[SSAValue], targets: Sequence[SSAValue], before: Operation
    ) -> list[SSAValue]:
        """Return what to pass on: both values of a pair where the target is one."""
        found: list[SSAValue] = []
        for value, target in zip(values, targets, strict=True):
            if target in self.can:
                found += self.pairs[value].values
            else:
                found.append(self.pointer(value, before))
        return found

    def _open(self, block: Block, arguments: Sequence[SSAValue], given: Sequence[SSAValue]) -> None:
        """Give a block two arguments beside each that gets a pair."""
        for argument, value in zip(arguments, given, strict=True):
            if argument not in self.can or argument in self.pairs:
                continue
            assert isinstance(argument, BlockArgument)
            pair = self.pairs[value]
            base = block.insert_arg(pair.base.type, argument.index + 1)
            offset = block.insert_arg(pair.offset.type, argument.index + 2)
            base.location = offset.location = argument.location
            self.pairs[argument] = pair.moved(base, offset)
            self.arguments.append(argument)

    def _stand_in(self, op: Operation, made: Operation, sources: Sequence[SSAValue]) -> None:
        """Let the results of an operation stand for those of the old one.

        sources: for each old result a pair, or anything else, that says what is known of it.
        """
        new = iter(made.results)
        for result, source in zip(op.results, sources, strict=True):
            if result in self.can:
                self.pairs[result] = self.pairs[source].moved(next(new), next(new))
            else:
                result.replace_all_uses_with(next(new))
        self.replaced.append(op)

    def for_loop(self, op: scf.ForOp) -> None:
        """Carry pairs round a counted loop."""
        inits, arguments, block = op.init_args, op.iter_args, op.block
        self._targets[block] = arguments
        flat = self._flat(inits, arguments, op)
        operands = [*op.bounds, *flat]
        if not self.can.isdisjoint(arguments):
            self._open(block, arguments, inits)
            types = [value.type for value in flat]
            made = _anew(op, operands, types)
            self._stand_in(op, made, inits)
            body = made.regions[0]
        else:
            op.operands = operands
            body = op.regions[0]
        self._walk(body)

    def while_loop(self, op: scf.WhileOp) -> None:
        """Carry pairs round a loop on a condition."""
        inits, before, after = tuple(op.operands), op.before_block, op.after_block
        carried, looked_at = tuple(before.args), tuple(after.args)
        self._targets[before], self._targets[after] = tuple(op.results), carried
        operands = self._flat(inits, carried, op)
        self._open(before, carried, inits)
        self._walk(op.regions[0])
        passed = self._passed[before]
        self._open(after, looked_at, passed)
        self._walk(op.regions[1])
        last = before.last_op
        assert isinstance(last, scf.ConditionOp)
        if self.can.isdisjoint((*carried, *looked_at)):
            op.operands = operands
            return
        made = _anew(op, operands, [value.type for value in last.arguments])
        self._stand_in(op, made, passed)

    def conditional(self, op: scf.IfOp) -> None:
        """Give pairs from both branches of a conditional."""
        for region in op.regions:
            if region.blocks.first is not None:
                self._targets[region.block] = tuple(op.results)
                self._walk(region)
        if self.can.isdisjoint(op.results):
            return
        last, passed = op.then_block.last_op, self._passed[op.then_block]
        assert last is not None
        made = _anew(op, list(op.operands), [value.type for value in last.operands])
        self._stand_in(op, made, passed)

    def terminator(self, op: scf.YieldOp | scf.ConditionOp) -> None:
        """Pass pairs on at the end of a block."""
        block = op.parent
        assert block is not None
        targets = self._targets.get(block)
        if targets is None:
            return
        self._passed[block] = passed = op.successor_operands(None)
        condition = (op.condition,) if isinstance(op, scf.ConditionOp) else ()
        op.operands = [*condition, *self._flat(passed, targets, op)]

    def branch(self, op: cf.BranchOp | cf.CondBranchOp) -> None:
        """Pass pairs on to other blocks."""
        for index, edge in enumerate(op.block_edges()):
            target, values = edge.block, edge.operands
            arguments = self._targets.setdefault(target, tuple(target.args))
            op.set_successor_operands(index, self._flat(values, arguments, op))
            self._open(target, arguments, values)


def _anew(
    op: scf.ForOp | scf.WhileOp | scf.IfOp, operands: list[SSAValue], types: list[Attribute]
) -> Operation:
    """Return an operation like another one, with its blocks, made before it."""
    regions = []
    for region in op.regions:
        regions.append(Region())
        region.move_blocks(regions[-1])
    builder = Builder().before(op)
    return builder.create(type(op), operands, types, op.properties, op.attributes, regions)
