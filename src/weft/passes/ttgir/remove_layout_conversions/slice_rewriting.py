"""Duplicate a slice in its new layouts, and replace the conversion by the duplicate.

    %s = tt.splat %n : #a                       %s = tt.splat %n : #a      (dead if it has no use)
    %x = arith.addf %s, %t : #a                 %s1 = tt.splat %n : #b
    %y = ttg.convert_layout %x : #a -> #b  →    %x1 = arith.addf %s1, %t1 : #b
    tt.store %p, %y : #b                        tt.store %p, %x1 : #b

A copy is inserted right before its original. Loops and conditionals are not copied, but get
additional iter_args and results, after the existing ones, for the values of the slice. Values
without remaining uses are left to the clean-up.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from weft.ir import arith, scf, ttg, types
from weft.ir.builtin import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from weft.ir.locations import location_of
from weft.ir.rewriting import Builder, clone, set_type
from weft.layouts import Encoding
from weft.passes.ttgir.remove_layout_conversions.backward_slice import BackwardSlice
from weft.passes.ttgir.remove_layout_conversions.rematerialized_values import RematerializedValues

__all__ = ["Copies", "duplicate_slice", "insert_early_conversion"]

Copies = dict[SSAValue, SSAValue]
"""The copy of each value in its new layout."""


def duplicate_slice(
    slice_: BackwardSlice,
    conversion: Operation,
    rematerialized: RematerializedValues,
    copies: Copies,
) -> None:
    """Duplicate a slice, and replace the conversion by the copy of its operand.

    Args:
        slice_: The slice.
        conversion: The conversion; it is erased at the end of the phase.
        rematerialized: Receives the copies.
        copies: Values of the slice that have copies already; the new copies are added.
    """
    for value in tuple(slice_.values):
        existing = slice_.reused.get((value, slice_.layouts[value]))
        if existing is not None:
            copies[value] = existing
            del slice_.values[value]
    duplication = _Duplication(slice_, rematerialized, copies)
    for op in _sort_by_dependency(duplication.operations()):
        duplication.duplicate(op)
    rematerialized.mark_users_affected(conversion.results[0])
    conversion.results[0].replace_all_uses_with(copies[conversion.operands[0]])
    # Replace uses last: until here the slice and its copies refer to the old loops' results.
    rematerialized.rename(duplication.replacements)
    for old, new in duplication.replacements:
        old.replace_all_uses_with(new)
    rematerialized.erased += [conversion, *duplication.replaced_ops]


def insert_early_conversion(
    builder: Builder,
    value: SSAValue,
    encoding: Encoding,
    conversion: Operation,
    rematerialized: RematerializedValues,
    copies: Copies,
) -> None:
    """Convert a value of a slice at the builder's position, instead of at the conversion.

    Args:
        builder: Where to insert the conversion.
        value: The value; the slice ends there.
        encoding: The layout to convert to.
        conversion: The conversion that the slice replaces; the new one gets its location.
        rematerialized: The new conversion is added to the affected operations.
        copies: Receives the converted value.
    """
    builder.location = conversion.location
    type_ = types.with_encoding(value.type, encoding)
    new_conversion = builder.create(ttg.ConvertLayoutOp, [value], [type_])
    rematerialized.affected[new_conversion] = None
    copies[value] = new_conversion.results[0]


class _Duplication(Struct):
    """The duplication of one slice.

    Attributes:
        slice: The slice.
        rematerialized: Receives the copies.
        copies: Receives the copies.
        yielded: The operands of each yield to yield a second time, as indices.
        replacements: Results of replaced loops and conditionals with their replacements.
        replaced_ops: The replaced loops and conditionals.
    """

    slice: BackwardSlice
    rematerialized: RematerializedValues
    copies: Copies
    yielded: dict[Operation, list[int]] = field(default_factory=dict)
    replacements: list[tuple[SSAValue, SSAValue]] = field(default_factory=list)
    replaced_ops: list[Operation] = field(default_factory=list)

    def operations(self) -> dict[Operation, None]:
        """Collect the operations to copy or to replace, and the yields to extend."""
        ops: dict[Operation, None] = {}
        for value in self.slice.values:
            if isinstance(value, OpResult):
                ops[value.op] = None
                if isinstance(value.op, scf.IfOp):
                    for region in value.op.regions:
                        self._add_yield(region.block, value.index, ops)
                continue
            assert isinstance(value, BlockArgument)
            loop = value.block.parent_op()
            assert isinstance(loop, scf.ForOp)
            index = loop.iter_arg_index(value)
            assert index is not None
            ops[loop] = None
            self._add_yield(value.block, index, ops)
        return ops

    def _add_yield(self, block: Block, index: int, ops: dict[Operation, None]) -> None:
        terminator = block.last_op
        assert terminator is not None
        ops[terminator] = None
        self.yielded.setdefault(terminator, []).append(index)

    def duplicate(self, op: Operation) -> None:
        """Copy an operation; replace a loop or conditional by one with more results."""
        if isinstance(op, scf.ForOp):
            self._replace_for(op)
        elif isinstance(op, scf.IfOp):
            self._replace_if(op)
        elif isinstance(op, scf.YieldOp):
            new_operands = [self.copies[op.operands[index]] for index in sorted(self.yielded[op])]
            op.operands = [*op.operands, *new_operands]
            self.rematerialized.affected[op] = None
        elif isinstance(op, arith.ConstantOp):
            self._copy_constant(op)
        else:
            self._copy(op)

    def _add_copy(self, old: SSAValue, new: SSAValue, slice_value: SSAValue) -> None:
        """Add a value to the rematerialized ones, in the layout of a value of the slice."""
        self.rematerialized.add(old, self.slice.layouts[slice_value], new)

    def _copy_constant(self, op: Operation) -> None:
        """Copy a constant and convert the copy; the clean-up folds the two to one constant."""
        builder = Builder().before(op)
        copy = clone(op, {})
        builder.insert(copy)
        old = op.results[0]
        type_ = types.with_encoding(old.type, self.slice.layouts[old])
        conversion = builder.create(ttg.ConvertLayoutOp, copy.results, [type_])
        self.rematerialized.affected[copy] = self.rematerialized.affected[conversion] = None
        self.copies[old] = conversion.results[0]
        self._add_copy(old, conversion.results[0], old)

    def _copy(self, op: Operation) -> None:
        copy = clone(op, self.copies)
        Builder().before(op).insert(copy)
        self.rematerialized.affected[copy] = None
        for old, new in zip(op.results, copy.results, strict=True):
            encoding = self.slice.layouts.get(old)
            if encoding is not None:
                set_type(new, types.with_encoding(old.type, encoding))
                self._add_copy(old, new, old)

    # ----------------------------------------------------------------- loops and conditionals
    def _replace_for(self, op: scf.ForOp) -> None:
        """Replace a loop by one with a second iter_arg for each iter_arg of the slice."""
        indices = [index for index, arg in enumerate(op.iter_args) if arg in self.slice.values]
        new_inits = [self.copies[op.init_args[index]] for index in indices]
        inits = [*op.init_args, *new_inits]
        # The body moves instead of being cloned, so that values of the slice stay valid. Its yield
        # gets the additional operands later, when their producers have copies.
        body = op.block
        op.regions[0].detach_block(body)
        for value in new_inits:
            argument = body.insert_arg(value.type, len(body.args))
            argument.location = location_of(value)
        builder = Builder().before(op)
        new_loop = builder.create(
            scf.ForOp,
            [*op.bounds, *inits],
            [init.type for init in inits],
            op.properties,
            op.attributes,
            [Region(body)],
        )
        self._add_replacement(op, new_loop)
        for copy_index, index in enumerate(indices, len(op.results)):
            argument, argument_copy = new_loop.iter_args[index], new_loop.iter_args[copy_index]
            result_copy = new_loop.results[copy_index]
            self.copies[op.results[index]] = result_copy
            self.copies[argument] = argument_copy
            # The slice contains the argument; the result has the same layout.
            self._add_copy(new_loop.results[index], result_copy, argument)
            self._add_copy(argument, argument_copy, argument)

    def _replace_if(self, op: scf.IfOp) -> None:
        """Replace a conditional by one with a second result for each result of the slice."""
        results = [result for result in op.results if result in self.slice.values]
        layouts = self.slice.layouts
        new_types = [types.with_encoding(result.type, layouts[result]) for result in results]
        regions = [op.detach_region(region) for region in tuple(op.regions)]
        builder = Builder().before(op)
        new_if = builder.create(
            scf.IfOp,
            list(op.operands),
            [*(result.type for result in op.results), *new_types],
            op.properties,
            op.attributes,
            regions,
        )
        self._add_replacement(op, new_if)
        for result, copy in zip(results, new_if.results[len(op.results) :], strict=True):
            self.copies[result] = copy
            self._add_copy(result, copy, result)

    def _add_replacement(self, op: Operation, new_op: Operation) -> None:
        self.replacements += zip(op.results, new_op.results, strict=False)
        self.replaced_ops.append(op)
        self.rematerialized.affected[new_op] = None


def _sort_by_dependency(ops: dict[Operation, None]) -> list[Operation]:
    """Sort operations so that each follows its operands and the operation that contains it.

    This is a depth-first topological sort with an explicit stack, because slices can be deep.
    """
    order: dict[Operation, None] = {}
    visited: set[Operation] = set()
    for start in ops:
        stack = [(start, iter(_dependencies(start)))] if start not in visited else []
        visited.add(start)
        while stack:
            op, dependencies = stack[-1]
            for other in dependencies:
                if other in ops and other not in visited:
                    visited.add(other)
                    stack.append((other, iter(_dependencies(other))))
                    break
            else:
                order[op] = None
                stack.pop()
    return list(order)


def _dependencies(op: Operation) -> Iterator[Operation]:
    """Yield the operations that must be duplicated before another one."""
    parent = op.parent_op()
    if parent is not None:
        yield parent
    for value in op.operands:
        if isinstance(value, OpResult):
            yield value.op
        elif isinstance(value, BlockArgument):
            loop = value.block.parent_op()
            if loop is not None:
                yield loop
