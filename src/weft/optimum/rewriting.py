"""Rewrite a function with a layout assignment, in place.

    %r = tt.make_range : #a                        %r = tt.make_range : #b
    %x = tt.load %p : #a                           %x = tt.load %p : #b
    %y = ttg.convert_layout %x : #a -> #b    →     tt.store %q, %x : #b
    tt.store %q, %y : #b

Blocks are walked in program order. The first member of each node is computed in the first selected
layout; copies of it follow for other layouts, and conversions follow the definition. Operands are
looked up by value and layout, so the module's own conversions and duplicates lose their uses and
are erased. A loop or conditional whose carried values exist in more layouts, or fewer, than before
is replaced by one with other results.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct, field

from weft.ir import scf, ttg, types
from weft.ir.builtin import (
    Attribute,
    Block,
    BlockArgument,
    Operation,
    Region,
    SSAValue,
)
from weft.ir.rewriting import Builder, clone, erase, set_type
from weft.layouts import Encoding
from weft.optimum.assignment import FunctionOptimum
from weft.optimum.constants import retype_constant
from weft.optimum.operation_kinds import Kind
from weft.optimum.program import Node

__all__ = ["rewrite"]

_Key = tuple[int, Encoding]
_Entry = tuple[int, Encoding] | int
"""An iter_arg or a result: a (value, layout), or the index of one that is no tensor."""


def rewrite(optimum: FunctionOptimum) -> None:
    """Give a function the layouts of its cheapest assignment."""
    rewriting = _Rewriting.of(optimum)
    entry = optimum.program.function.regions[0].blocks.first
    assert entry is not None
    rewriting.rewrite_block(entry)
    rewriting.erase_unused()


class _Rewriting(Struct):
    """The rewrite of one function.

    Attributes:
        optimum: The assignment.
        nodes: The index of the node of each first member, and of each carried value.
        conversions: For each value, the layouts to convert from and to.
        available: The SSA value that holds a value in a layout.
        unused: Operations without uses after the rewrite.
        arguments: Block arguments without uses after the rewrite.
    """

    optimum: FunctionOptimum
    nodes: dict[tuple[Operation, int], int] = field(default_factory=dict)
    conversions: dict[int, list[tuple[Encoding, Encoding]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    available: dict[_Key, SSAValue] = field(default_factory=dict)
    unused: list[Operation] = field(default_factory=list)
    arguments: list[BlockArgument] = field(default_factory=list)

    @classmethod
    def of(cls, optimum: FunctionOptimum) -> _Rewriting:
        """Index the nodes and conversions of an assignment."""
        rewriting = cls(optimum)
        for index, node in enumerate(optimum.program.nodes):
            if node.kind is not Kind.ARGUMENT:
                rewriting.nodes[node.op, node.index] = index
        for value, source, target in optimum.solution.converted:
            layouts = optimum.candidates[value]
            rewriting.conversions[value].append((layouts[source], layouts[target]))
        return rewriting

    # ----------------------------------------------------------------------------------- lookup
    def _number(self, value: SSAValue) -> int:
        return self.optimum.program.numbers[value]

    def _get(self, value: SSAValue, encoding: Encoding) -> SSAValue:
        return self.available[self._number(value), encoding]

    def _define(self, number: int, encoding: Encoding, value: SSAValue, builder: Builder) -> None:
        """Make a value available in a layout, and in those that it is converted to."""
        key = number, encoding
        if key in self.available:
            return
        self.available[key] = value
        for source, target in self.conversions[number]:
            if source is encoding and (number, target) not in self.available:
                type_ = types.with_encoding(value.type, target)
                converted = builder.create(ttg.ConvertLayoutOp, [value], [type_]).results[0]
                self.available[number, target] = converted

    # ---------------------------------------------------------------------------------- blocks
    def rewrite_block(self, block: Block) -> None:
        """Rewrite the operations of a block and of the regions inside."""
        first = block.first_op
        for argument in block.args:
            number = self.optimum.program.numbers.get(argument)
            encoding = types.encoding(argument.type)
            if number is not None and encoding is not None:
                builder = Builder().at_start(block)
                if first is not None:
                    builder.before(first)
                self._define(number, encoding, argument, builder)
        self._rewrite_ops(block)

    def _rewrite_ops(self, block: Block) -> None:
        op = block.first_op
        while op is not None:
            following = op.next_op
            self._rewrite_op(op)
            op = following

    def _rewrite_op(self, op: Operation) -> None:
        if isinstance(op, ttg.ConvertLayoutOp):
            # Those of block arguments, at the start of a block, are new.
            if op.result in self.optimum.program.numbers:
                self.unused.append(op)
        elif isinstance(op, scf.ForOp):
            self._rewrite_for(op)
        elif isinstance(op, scf.IfOp):
            self._rewrite_if(op)
        elif isinstance(op, scf.YieldOp) and isinstance(op.parent_op(), scf.ForOp | scf.IfOp):
            return  # the loop or conditional rewrites it
        elif (op, -1) in self.nodes:
            self._rewrite_node(op, self.nodes[op, -1])
        elif _has_tensors(op):
            self.unused.append(op)  # a duplicate in another layout
        else:
            self._rewrite_regions(op)

    def _rewrite_regions(self, op: Operation) -> None:
        for region in op.regions:
            for block in region.blocks:
                if any(value.owner is block for value in self.optimum.program.numbers) or any(
                    _has_tensors(inner) for inner in block.walk()
                ):
                    self.rewrite_block(block)

    def _rewrite_node(self, op: Operation, index: int) -> None:
        node = self.optimum.program.nodes[index]
        selected = list(self.optimum.computed(index))
        if not selected:
            self.unused.append(op)
            return
        # Copies before the operands of the original change: they look theirs up by number.
        copies = [op, *(clone(op, {}) for _ in selected[1:])]
        builder = Builder(op.location).after(op)
        for copy in copies[1:]:
            builder.insert(copy)
        for copy, alternative in zip(copies, selected, strict=True):
            layouts = iter(alternative.operands)
            for slot, value in enumerate(copy.operands):
                if types.is_tensor(value.type):
                    copy.operands[slot] = self._get(value, next(layouts))
            if node.kind is Kind.FIXED:
                continue
            results = [result for result in copy.results if types.is_tensor(result.type)]
            for result, encoding in zip(results, alternative.results, strict=True):
                set_type(result, types.with_encoding(result.type, encoding))
            retype_constant(copy)
        # Conversions after all copies, in the order of the copies.
        for copy, alternative in zip(copies, selected, strict=True):
            results = [result for result in copy.results if types.is_tensor(result.type)]
            for result, number, encoding in zip(
                results, node.results, alternative.results, strict=True
            ):
                self._define(number, encoding, result, builder)
        self._rewrite_regions(op)

    # --------------------------------------------------------------------- loops and conditionals
    def _entries(self, op: Operation) -> list[_Entry]:
        """List the new results of a loop or conditional."""
        entries: list[_Entry] = []
        leaders = self.optimum.program.leaders
        for index, result in enumerate(op.results):
            if (op, index) not in leaders:
                entries.append(index)
            elif leaders[op, index] == index:
                node = self.nodes[op, index]
                number = self._number(result)
                entries += [(number, each.results[-1]) for each in self.optimum.computed(node)]
        return entries

    def _sources(self, op: Operation, entries: Sequence[_Entry], slot: int) -> list[SSAValue]:
        """List what initializes or yields each entry.

        Args:
            op: The loop or conditional.
            entries: Its new results.
            slot: The operand of the carried values; scalars come from `_scalars`.
        """
        sources: list[SSAValue] = []
        for entry in entries:
            if isinstance(entry, int):
                sources.append(_scalar_source(op, entry, slot))
            else:
                node = self._carried_node(op, entry[0])
                sources.append(self.available[node.operands[slot], entry[1]])
        return sources

    def _carried_node(self, op: Operation, number: int) -> Node:
        nodes = self.optimum.program.nodes
        node = self.optimum.program.values[number].node
        assert node is not None
        assert node.op is op
        return nodes[self.nodes[op, node.index]]

    def _rewrite_for(self, op: scf.ForOp) -> None:
        entries = self._entries(op)
        inits = self._sources(op, entries, 0)
        body, terminator = op.block, op.terminator
        old_arguments = op.iter_args
        first = body.first_op
        assert first is not None
        # New arguments after the old ones, which lose their uses.
        arguments: list[SSAValue] = []
        for entry, init in zip(entries, inits, strict=True):
            argument = body.insert_arg(init.type, len(body.args))
            old = old_arguments[entry if isinstance(entry, int) else self._index(op, entry)]
            argument.location, argument.name_hint = old.location, old.name_hint
            arguments.append(argument)
            if isinstance(entry, int):
                old.replace_all_uses_with(argument)
            else:
                number = self._carried_node(op, entry[0]).results[0]
                builder = Builder().before(first)
                builder.location = argument.location or op.location
                self._define(number, entry[1], argument, builder)
        self._rewrite_ops(body)
        terminator.operands = self._sources(op, entries, 1)
        self.arguments += old_arguments
        op.regions[0].detach_block(body)
        new_op = self._replace(op, [*op.bounds, *inits], entries, [Region(body)])
        self._define_results(op, new_op, entries)

    def _rewrite_if(self, op: scf.IfOp) -> None:
        for region in op.regions:
            for block in region.blocks:
                self._rewrite_ops(block)
        entries = self._entries(op)
        blocks = [block for region in op.regions for block in region.blocks]
        if entries or op.results:
            for slot, block in enumerate(blocks):
                assert block.last_op is not None
                block.last_op.operands = self._sources(op, entries, slot)
        regions = [op.detach_region(region) for region in tuple(op.regions)]
        new_op = self._replace(op, list(op.operands), entries, regions)
        self._define_results(op, new_op, entries)

    def _index(self, op: Operation, entry: _Key) -> int:
        return self._carried_node(op, entry[0]).index

    def _replace(
        self,
        op: Operation,
        operands: Sequence[SSAValue],
        entries: Sequence[_Entry],
        regions: Sequence[Region],
    ) -> Operation:
        """Create the new loop or conditional before the old one."""
        result_types: list[Attribute] = []
        for entry in entries:
            old = op.results[entry if isinstance(entry, int) else self._index(op, entry)]
            layout = None if isinstance(entry, int) else entry[1]
            type_ = old.type if layout is None else types.with_encoding(old.type, layout)
            result_types.append(type_)
        builder = Builder().before(op)
        return builder.create(
            type(op), operands, result_types, op.properties, op.attributes, regions
        )

    def _define_results(self, op: Operation, new_op: Operation, entries: Sequence[_Entry]) -> None:
        builder = Builder().after(new_op)
        for entry, result in zip(entries, new_op.results, strict=True):
            if isinstance(entry, int):
                result.name_hint = op.results[entry].name_hint
                op.results[entry].replace_all_uses_with(result)
            else:
                result.name_hint = op.results[self._index(op, entry)].name_hint
                self._define(*entry, result, builder)
        self.unused.append(op)

    # -------------------------------------------------------------------------------- clean-up
    def erase_unused(self) -> None:
        """Erase the operations and block arguments that lost their uses."""
        for op in reversed(self.unused):
            erase(op)
        for argument in reversed(self.arguments):
            argument.block.erase_arg(argument)


def _scalar_source(op: Operation, index: int, slot: int) -> SSAValue:
    if isinstance(op, scf.ForOp):
        return op.init_args[index] if slot == 0 else op.terminator.operands[index]
    block = op.regions[slot].block
    assert block.last_op is not None
    return block.last_op.operands[index]


def _has_tensors(op: Operation) -> bool:
    return any(types.is_tensor(value.type) for value in (*op.operands, *op.results))
