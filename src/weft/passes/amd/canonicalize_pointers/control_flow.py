"""Carry fat pointers through loops, conditionals and branches: two values per pointer.

    %r = scf.for … iter_args(%p = %q) -> (tensor<…ptr>)
        →  %r:2 = scf.for … iter_args(%b = %base, %o = %offset) -> (!tt.ptr<f32>, tensor<…xi32>)

An operation with regions is created again with the regions of the old one. Their blocks get two new
arguments after each pointer argument. The old operations and arguments are erased at the end, when
they have no uses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.ir import cf, scf
from weft.ir.builtin import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from weft.ir.rewriting import Builder
from weft.passes.amd.canonicalize_pointers.fat_pointer import FatPointer
from weft.passes.amd.canonicalize_pointers.offsets import Offsets

__all__ = ["ControlFlow"]


class ControlFlow:
    """Rewrites operations that forward values between blocks.

    Attributes:
        candidates: the values that become fat pointers.
        fat_pointers: the fat pointers created so far.
        replaced: replaced operations, in order, to be erased.
        arguments: replaced block arguments, in order, to be erased.
    """

    def __init__(self, candidates: set[SSAValue], walk: Callable[[Region], None]) -> None:
        self.candidates = candidates
        self.fat_pointers: dict[SSAValue, FatPointer] = {}
        self.replaced: list[Operation] = []
        self.arguments: list[BlockArgument] = []
        self._walk = walk
        self._targets: dict[Block, Sequence[SSAValue]] = {}
        self._forwarded: dict[Block, Sequence[SSAValue]] = {}

    def pointer(self, value: SSAValue, before: Operation) -> SSAValue:
        """Return a value as a plain pointer, created from its fat pointer if it has one."""
        fat_pointer = self.fat_pointers.get(value)
        return value if fat_pointer is None else fat_pointer.pointer(Offsets(before))

    def _flatten(
        self, values: Sequence[SSAValue], targets: Sequence[SSAValue], before: Operation
    ) -> list[SSAValue]:
        """List the values to forward: base and offset for each target that is a candidate."""
        result: list[SSAValue] = []
        for value, target in zip(values, targets, strict=True):
            if target in self.candidates:
                result += self.fat_pointers[value].values
            else:
                result.append(self.pointer(value, before))
        return result

    def _add_block_arguments(
        self, block: Block, arguments: Sequence[SSAValue], initial: Sequence[SSAValue]
    ) -> None:
        """Add two arguments to a block after each argument that becomes a fat pointer."""
        for argument, value in zip(arguments, initial, strict=True):
            if argument not in self.candidates or argument in self.fat_pointers:
                continue
            assert isinstance(argument, BlockArgument)
            fat_pointer = self.fat_pointers[value]
            base = block.insert_arg(fat_pointer.base.type, argument.index + 1)
            offset = block.insert_arg(fat_pointer.offset.type, argument.index + 2)
            base.location = offset.location = argument.location
            self.fat_pointers[argument] = fat_pointer.with_values(base, offset)
            self.arguments.append(argument)

    def _map_results(self, op: Operation, new_op: Operation, sources: Sequence[SSAValue]) -> None:
        """Replace the results of an operation by those of the new one.

        Args:
            op: the old operation.
            new_op: the new operation.
            sources: for each result of `op`, a value with the same fat-pointer properties.
        """
        new = iter(new_op.results)
        for result, source in zip(op.results, sources, strict=True):
            if result in self.candidates:
                self.fat_pointers[result] = self.fat_pointers[source].with_values(
                    next(new), next(new)
                )
            else:
                result.replace_all_uses_with(next(new))
        self.replaced.append(op)

    def for_loop(self, op: scf.ForOp) -> None:
        """Rewrite an scf.for."""
        inits, arguments, block = op.init_args, op.iter_args, op.block
        self._targets[block] = arguments
        flat = self._flatten(inits, arguments, op)
        operands = [*op.bounds, *flat]
        if not self.candidates.isdisjoint(arguments):
            self._add_block_arguments(block, arguments, inits)
            types = [value.type for value in flat]
            new_op = _recreate(op, operands, types)
            self._map_results(op, new_op, inits)
            self._copy_hints(new_op, (block.args[0], *arguments))
            body = new_op.regions[0]
        else:
            op.operands = operands
            body = op.regions[0]
        self._walk(body)

    def _copy_hints(self, loop: Operation, arguments: Sequence[SSAValue]) -> None:
        """Set the attributes of a loop about a base for the offset that follows it, too.

            {tt.divisibility_arg1 = …}  →  {tt.divisibility_arg1 = …, tt.divisibility_arg2 = …}

        Args:
            loop: the new loop.
            arguments: the arguments of the body before the rewrite.
        """
        index = 0
        for argument in arguments:
            if argument in self.candidates:
                base, offset = f"_arg{index}", f"_arg{index + 1}"
                for name, attribute in tuple(loop.attributes.items()):
                    if name.endswith(base):
                        loop.attributes[name.removesuffix(base) + offset] = attribute
                index += 1
            index += 1

    def while_loop(self, op: scf.WhileOp) -> None:
        """Rewrite an scf.while."""
        inits, before, after = tuple(op.operands), op.before_block, op.after_block
        carried, after_args = tuple(before.args), tuple(after.args)
        self._targets[before], self._targets[after] = tuple(op.results), carried
        operands = self._flatten(inits, carried, op)
        self._add_block_arguments(before, carried, inits)
        self._walk(op.regions[0])
        forwarded = self._forwarded[before]
        self._add_block_arguments(after, after_args, forwarded)
        self._walk(op.regions[1])
        last = before.last_op
        assert isinstance(last, scf.ConditionOp)
        if self.candidates.isdisjoint((*carried, *after_args)):
            op.operands = operands
            return
        new_op = _recreate(op, operands, [value.type for value in last.arguments])
        self._map_results(op, new_op, forwarded)

    def conditional(self, op: scf.IfOp) -> None:
        """Rewrite an scf.if."""
        for region in op.regions:
            if region.blocks.first is not None:
                self._targets[region.block] = tuple(op.results)
                self._walk(region)
        if self.candidates.isdisjoint(op.results):
            return
        last, forwarded = op.then_block.last_op, self._forwarded[op.then_block]
        assert last is not None
        new_op = _recreate(op, list(op.operands), [value.type for value in last.operands])
        self._map_results(op, new_op, forwarded)

    def terminator(self, op: scf.YieldOp | scf.ConditionOp) -> None:
        """Rewrite an scf.yield or scf.condition."""
        block = op.parent
        assert block is not None
        targets = self._targets.get(block)
        if targets is None:
            return
        self._forwarded[block] = forwarded = op.successor_operands(None)
        condition = (op.condition,) if isinstance(op, scf.ConditionOp) else ()
        op.operands = [*condition, *self._flatten(forwarded, targets, op)]

    def branch(self, op: cf.BranchOp | cf.CondBranchOp) -> None:
        """Rewrite a cf branch."""
        for index, edge in enumerate(op.block_edges()):
            target, values = edge.block, edge.operands
            arguments = self._targets.setdefault(target, tuple(target.args))
            op.set_successor_operands(index, self._flatten(values, arguments, op))
            self._add_block_arguments(target, arguments, values)


def _recreate(
    op: scf.ForOp | scf.WhileOp | scf.IfOp, operands: list[SSAValue], types: list[Attribute]
) -> Operation:
    """Create an operation before another, with its regions, properties and attributes."""
    regions: list[Region] = []
    for region in op.regions:
        regions.append(Region())
        region.move_blocks(regions[-1])
    builder = Builder().before(op)
    return builder.create(type(op), operands, types, op.properties, op.attributes, regions)
