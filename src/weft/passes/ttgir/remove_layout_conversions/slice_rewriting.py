"""Compute the values of a slice in their new layouts, and drop the conversion.

    %s = tt.splat %n : #a                       %s = tt.splat %n : #a        (dead unless read)
    %x = arith.addf %s, %t : #a                 %s1 = tt.splat %n : #b
    %y = ttg.convert_layout %x : #a -> #b  →    %x1 = arith.addf %s1, %t1 : #b
    tt.store %p, %y : #b                        tt.store %p, %x1 : #b

Each copy stands right before what it is a copy of. A loop carries what is in the slice twice; a
conditional gives it twice; the new values come behind the old ones. What is not read any more
is left to the clean-up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from weft.ir import arith, scf, ttg, types
from weft.ir.builtin import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from weft.ir.rewriting import Builder, clone, set_type
from weft.layouts import Encoding
from weft.passes.ttgir.remove_layout_conversions.backward_slice import Slice
from weft.passes.ttgir.remove_layout_conversions.known import Known

__all__ = ["Copies", "convert_early", "copy_slice"]

Copies = dict[SSAValue, SSAValue]


def copy_slice(slice_: Slice, conversion: Operation, known: Known, copies: Copies) -> None:
    """Copy a slice, and let the readers of the conversion read the copy.

    Args: copies: values of the slice that have copies already; the new ones are added.
    """
    for value in tuple(slice_.values):
        other = slice_.reused.get((value, slice_.layouts[value]))
        if other is not None:
            copies[value] = other
            del slice_.values[value]
    work = _Copying(slice_, known, copies)
    for op in _in_order(work.operations()):
        work.copy(op)
    known.touch_readers(conversion.results[0])
    conversion.results[0].replace_all_uses_with(copies[conversion.operands[0]])
    known.replaced(work.replaced)
    for old, new in work.replaced:
        old.replace_all_uses_with(new)
    known.gone += [conversion, *work.gone]


def convert_early(
    builder: Builder,
    value: SSAValue,
    encoding: Encoding,
    conversion: Operation,
    known: Known,
    copies: Copies,
) -> SSAValue:
    """Convert a value of a slice where the builder stands, on behalf of a later conversion."""
    builder.location = conversion.location
    type_ = types.with_encoding(value.type, encoding)
    made = builder.create(ttg.ConvertLayoutOp, [value], [type_])
    known.touched[made] = None
    copies[value] = made.results[0]
    return made.results[0]


@dataclass(slots=True)
class _Copying:
    """One copy of one slice.

    yielded: per yield, the operands that it gives a second time.  replaced: results of loops and
    conditionals, and of the ones that took their places.  gone: what they took the places of.
    """

    slice: Slice
    known: Known
    copies: Copies
    yielded: dict[Operation, list[int]] = field(default_factory=dict)
    replaced: list[tuple[SSAValue, SSAValue]] = field(default_factory=list)
    gone: list[Operation] = field(default_factory=list)

    def operations(self) -> dict[Operation, None]:
        """Return what has to be copied or made anew, yields included."""
        found: dict[Operation, None] = {}
        for value in self.slice.values:
            if isinstance(value, OpResult):
                found[value.op] = None
                if isinstance(value.op, scf.IfOp):
                    for region in value.op.regions:
                        self._yields(region.block, value.index, found)
                continue
            assert isinstance(value, BlockArgument)
            loop = value.block.parent_op()
            assert isinstance(loop, scf.ForOp)
            index = loop.iter_arg_index(value)
            assert index is not None
            found[loop] = None
            self._yields(value.block, index, found)
        return found

    def _yields(self, block: Block, index: int, found: dict[Operation, None]) -> None:
        last = block.last_op
        assert last is not None
        found[last] = None
        self.yielded.setdefault(last, []).append(index)

    def copy(self, op: Operation) -> None:
        """Copy one operation, or make it anew with more to give."""
        if isinstance(op, scf.ForOp):
            self._for(op)
        elif isinstance(op, scf.IfOp):
            self._if(op)
        elif isinstance(op, scf.YieldOp):
            more = [self.copies[op.operands[index]] for index in sorted(self.yielded[op])]
            op.operands = [*op.operands, *more]
            self.known.touched[op] = None
        elif isinstance(op, arith.ConstantOp):
            self._constant(op)
        else:
            self._clone(op)

    def _remember(self, old: SSAValue, new: SSAValue, of: SSAValue) -> None:
        self.known.add(old, self.slice.layouts[of], new)

    def _constant(self, op: Operation) -> None:
        """Copy a constant with a conversion; the clean-up makes one constant of both."""
        builder = Builder().before(op)
        twin = clone(op, {})
        builder.insert(twin)
        old = op.results[0]
        type_ = types.with_encoding(old.type, self.slice.layouts[old])
        converted = builder.create(ttg.ConvertLayoutOp, twin.results, [type_])
        self.known.touched[twin] = self.known.touched[converted] = None
        self.copies[old] = converted.results[0]
        self._remember(old, converted.results[0], old)

    def _clone(self, op: Operation) -> None:
        twin = clone(op, self.copies)
        Builder().before(op).insert(twin)
        self.known.touched[twin] = None
        for old, new in zip(op.results, twin.results, strict=True):
            encoding = self.slice.layouts.get(old)
            if encoding is not None:
                set_type(new, types.with_encoding(old.type, encoding))
                self._remember(old, new, old)

    # ----------------------------------------------------------------- loops and conditionals
    def _for(self, op: scf.ForOp) -> None:
        """Make a loop that carries the arguments of the slice a second time."""
        carried = [index for index, arg in enumerate(op.iter_args) if arg in self.slice.values]
        more = [self.copies[op.init_args[index]] for index in carried]
        inits = [*op.init_args, *more]
        body = op.block
        op.regions[0].detach_block(body)
        for value in more:
            body.insert_arg(value.type, len(body.args))
        builder = Builder().before(op)
        made = builder.create(
            scf.ForOp,
            [*op.bounds, *inits],
            [init.type for init in inits],
            op.properties,
            op.attributes,
            [Region(body)],
        )
        self._take_over(op, made)
        for place, index in enumerate(carried, len(op.results)):
            argument, twin = made.iter_args[index], made.iter_args[place]
            self.copies[op.results[index]] = made.results[place]
            self.copies[argument] = twin
            # The slice holds the argument; the result is known with it.
            self._remember(made.results[index], made.results[place], argument)
            self._remember(argument, twin, argument)

    def _if(self, op: scf.IfOp) -> None:
        """Make a conditional that gives the results of the slice a second time."""
        given = [result for result in op.results if result in self.slice.values]
        layouts = self.slice.layouts
        more = [types.with_encoding(result.type, layouts[result]) for result in given]
        regions = [op.detach_region(region) for region in tuple(op.regions)]
        made = (
            Builder()
            .before(op)
            .create(
                scf.IfOp,
                list(op.operands),
                [*(result.type for result in op.results), *more],
                op.properties,
                op.attributes,
                regions,
            )
        )
        self._take_over(op, made)
        for result, twin in zip(given, made.results[len(op.results) :], strict=True):
            self.copies[result] = twin
            self._remember(result, twin, result)

    def _take_over(self, op: Operation, made: Operation) -> None:
        self.replaced += zip(op.results, made.results, strict=False)
        self.gone.append(op)
        self.known.touched[made] = None


def _in_order(found: dict[Operation, None]) -> list[Operation]:
    """Return operations so that each comes behind what it reads and what it stands in."""
    done: dict[Operation, None] = {}
    entered: set[Operation] = set()
    for start in found:
        stack = [(start, iter(_before(start)))] if start not in entered else []
        entered.add(start)
        while stack:
            op, earlier = stack[-1]
            for other in earlier:
                if other in found and other not in entered:
                    entered.add(other)
                    stack.append((other, iter(_before(other))))
                    break
            else:
                done[op] = None
                stack.pop()
    return list(done)


def _before(op: Operation) -> Iterator[Operation]:
    """Yield what has to be copied before an operation, if it is copied at all."""
    around = op.parent_op()
    if around is not None:
        yield around
    for value in op.operands:
        if isinstance(value, OpResult):
            yield value.op
        elif isinstance(value, BlockArgument):
            loop = value.block.parent_op()
            if loop is not None:
                yield loop
