"""Fuse an outer loop with the inner loops of its body into one loop.

    for i in range(n):                    t = 0;  i = -1
        prologue(i)                           for _ in range(n * (max(1, m) …)):
        for j in range(m):                    if t == 0:  i += 1;  prologue(i);  j = 0
            body(i, j)            →           if 0 <= t < m:  body(i, j);  j += 1
        epilogue(i)                           if t == max(1, m) - 1:  epilogue(i)
                                              t = 0 if t == max(1, m) - 1 else t + 1

t counts the iterations of one outer iteration. Each inner loop takes max(1, m) iterations, because
its prologue and epilogue run even if it does not. With several inner loops, the last iteration of
one is the first of the next: k inner loops take k - 1 iterations less than the sum of theirs. If
the bounds of an inner loop depend on i, a separate loop first sums up the number of iterations, and
each start of an outer iteration computes the bounds again.

An inner loop that starts from a value defined outside the outer loop needs no such value from its
prologue: see `outside_init_args`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Use

from weft.ir import arith, attributes, scf, types
from weft.ir.builtin import Attribute, Block, Operation, Region, SSAValue
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import Builder, erase
from weft.passes.ttgir.fuse_nested_loops.body_sections import split_body
from weft.passes.ttgir.fuse_nested_loops.bounds import InnerLoop, LoopArithmetic
from weft.passes.ttgir.fuse_nested_loops.fused_loop import create_fused_loop
from weft.passes.ttgir.fuse_nested_loops.outside_init_args import (
    MovedLoop,
    initialize_from_outside,
)
from weft.passes.ttgir.fuse_nested_loops.trip_counts import (
    compute_trip_counts,
    recompute_trip_count,
)

__all__ = ["Fusion"]


class Fusion:
    """The fusion of an outer loop with inner loops of its body.

    Args:
        outer: The outer loop.
        inners: The inner loops, in order.
        inner_always_runs: Whether the only inner loop runs in every outer iteration, so that its
            body is unconditional.
    """

    def __init__(
        self, outer: scf.ForOp, inners: Sequence[InnerLoop], inner_always_runs: bool
    ) -> None:
        self.outer = outer
        self.inners = list(inners)
        self.inner_always_runs = inner_always_runs
        self.builder = Builder().before(outer)
        widths = [types.bit_width(outer.induction_variable.type)]
        widths += [types.bit_width(inner.op.induction_variable.type) for inner in inners]
        self.arithmetic = LoopArithmetic(self.builder, types.IntegerType(max(widths)))

    def run(self) -> scf.ForOp:
        """Replace the outer loop; return the fused loop."""
        counts = compute_trip_counts(self.outer, self.inners, self.arithmetic)
        self.outer_count = counts.outer_iteration
        self.sections = split_body(self.outer, [inner.op for inner in self.inners])
        self.fused = create_fused_loop(
            self.outer, self.inners, self.sections, counts, self.arithmetic
        )
        outer_iter_args = self._iter_args_of("outer", 0, len(self.outer.iter_args))
        for old, new in zip(self.outer.iter_args, outer_iter_args, strict=True):
            old.replace_all_uses_with(new)
        self.inner_counts = self._iter_args_of("counts", 0, len(self.inners))
        self.builder.at_start(self.fused.op.block)
        self.loops: list[MovedLoop] = []
        for index in range(len(self.inners)):
            self._move_inner_loop(index)
        epilogue_if = self._move_epilogue()
        self._create_yield()
        initialize_from_outside(self.fused, self.loops, epilogue_if)
        for inner in self.inners:
            erase(inner.op)
        erase(self.outer)
        return self.fused.op

    def _compare(self, predicate: CmpIPredicate, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.builder.value(arith.CmpIOp, [a, b], types.i1, {"predicate": predicate.attr()})

    def _create_if(self, condition: SSAValue, result_types: Sequence[Attribute]) -> scf.IfOp:
        regions = [Region(Block()), Region(Block())]
        return self.builder.create(scf.IfOp, [condition], result_types, regions=regions)

    def _move_after(self, op: Operation) -> None:
        """Continue after an operation, at the location of the outer loop."""
        self.builder.restore((op.parent, op.next_op))

    def _move_inner_loop(self, index: int) -> None:
        """Move the prologue and the body of an inner loop into conditionals on t."""
        make, t = self.arithmetic, self.fused.t
        # Each earlier loop takes at least one iteration, and shares its last one with the next.
        begin = make.constant(0)
        for count in self.inner_counts[:index]:
            begin = make.value(arith.AddIOp, begin, make.at_least_one(count))
        begin = make.value(arith.SubIOp, begin, make.constant(index))
        is_first_iteration = self._compare(CmpIPredicate.EQ, t, begin)
        prologue_if = self._move_prologue(index, is_first_iteration)
        induction_variable, iter_args = self._use_prologue_results(index, prologue_if)
        end = make.value(arith.AddIOp, begin, make.cast(self.inner_counts[index]))
        has_begun = self._compare(CmpIPredicate.SGE, t, begin)
        has_not_ended = self._compare(CmpIPredicate.SLT, t, end)
        runs = self.builder.value(arith.AndIOp, [has_begun, has_not_ended], types.i1)
        if self.inner_always_runs:
            true = {"value": attributes.boolean(True)}
            runs = self.builder.create(arith.ConstantOp, (), (types.i1,), true).results[0]
        body_if = self._move_body(index, runs, induction_variable, iter_args)
        self.loops.append(
            MovedLoop(self.inners[index].op, self.sections[index], prologue_if, body_if)
        )

    def _iter_args_of(self, kind: str, start: int, count: int) -> list[SSAValue]:
        return self.fused.iter_args(kind, start, count)

    def _inner_results(self, index: int) -> list[SSAValue]:
        """List the iter_args that hold the results of an inner loop."""
        start = sum(len(inner.op.results) for inner in self.inners[:index])
        return self._iter_args_of("results", start, len(self.inners[index].op.results))

    def _move_prologue(self, index: int, is_first_iteration: SSAValue) -> scf.IfOp:
        """Move the prologue of an inner loop into a conditional.

        The conditional yields the state of the inner loop: in its first iteration the lower bound,
        the outputs of the prologue and the init args, otherwise the iter_args of the fused loop.

        Args:
            index: The index of the inner loop.
            is_first_iteration: The condition.
        """
        inner, prologue, is_first_loop = self.inners[index].op, self.sections[index], index == 0
        inits = inner.init_args
        result_types = [value.type for value in (*prologue.outputs, *inits)]
        result_types.insert(0, inner.induction_variable.type)
        if is_first_loop:  # it also starts the outer iteration
            count_types = [self.arithmetic.type] * (len(self.inners) + 1)
            result_types += [self.fused.i.type, *count_types]
        new_if = self._create_if(is_first_iteration, result_types)
        then_block, else_block = (region.block for region in new_if.regions)
        prologue.move_to(then_block)
        then_values = [inner.lower_bound, *prologue.outputs, *inits]
        output_start = sum(len(section.outputs) for section in self.sections[:index])
        else_values = [
            self._iter_args_of("induction variables", index, 1)[0],
            *self._iter_args_of("outputs", output_start, len(prologue.outputs)),
            *self._inner_results(index),
        ]
        if is_first_loop:
            state = self._start_outer_iteration(then_block)
            outer_induction_variable = self.outer.induction_variable
            then_values = [
                *(state[0] if v is outer_induction_variable else v for v in then_values),
                *state,
            ]
            else_values += [self.fused.i, *self._iter_args_of("counts", 0, len(self.inners))]
            if any(loop.is_variable for loop in self.inners):
                else_values += self._iter_args_of("outer count", 0, 1)
            else:
                else_values.append(self.outer_count)
        for block, values in ((then_block, then_values), (else_block, else_values)):
            Builder(self.outer.location).at_end(block).create(scf.YieldOp, values)
        return new_if

    def _start_outer_iteration(self, block: Block) -> list[SSAValue]:
        """Compute the state of a new outer iteration at the start of a block.

        Returns:
            i, the trip count of each inner loop, and the iterations of the outer iteration.
        """
        make = self.arithmetic
        first = block.first_op
        self.builder.at_start(block)
        step = self.outer.step
        i = make.value(arith.AddIOp, self.fused.i, step)
        old = self.outer.induction_variable
        for use in tuple(old.uses):
            if first is not None and _is_nested_in_block(use.operation, block):
                use.operation.operands[use.index] = i
        outer_count, counts = self.outer_count, list(self.inner_counts)
        values: dict[SSAValue, SSAValue] = {old: i}
        for index, inner in enumerate(self.inners):
            if inner.is_variable:
                count = make.cast(recompute_trip_count(inner, values, make))
                counts[index] = count
                outer_count = make.value(arith.AddIOp, outer_count, make.at_least_one(count))
        return [i, *counts, outer_count]

    def _use_prologue_results(
        self, index: int, prologue_if: scf.IfOp
    ) -> tuple[SSAValue, Sequence[SSAValue]]:
        """Replace uses of the inner loop's state by the results of the prologue's conditional.

        Returns:
            The induction variable and the iter_args of the inner loop.
        """
        inner, prologue = self.inners[index].op, self.sections[index]
        results: list[SSAValue] = list(prologue_if.results)
        inner.induction_variable.replace_all_uses_with(results[0])
        first_iter_arg = 1 + len(prologue.outputs)
        prologue.replace_outputs(results[1:first_iter_arg], prologue_if.regions[0])
        first_outer_value = first_iter_arg + len(inner.init_args)
        iter_args = results[first_iter_arg:first_outer_value]
        for argument, value in zip(inner.iter_args, iter_args, strict=True):
            argument.replace_all_uses_with(value)
        if index == 0:
            self.i, *self.inner_counts, self.outer_count = results[first_outer_value:]
            self.outer.induction_variable.replace_all_uses_with(self.i)
        self._move_after(prologue_if)
        return results[0], iter_args

    def _move_body(
        self,
        index: int,
        runs: SSAValue,
        induction_variable: SSAValue,
        iter_args: Sequence[SSAValue],
    ) -> scf.IfOp:
        """Move the body of an inner loop into a conditional."""
        inner = self.inners[index].op
        block, terminator = inner.block, inner.terminator
        result_types = [induction_variable.type, *(result.type for result in inner.results)]
        new_if = self._create_if(runs, result_types)
        then_block, else_block = (region.block for region in new_if.regions)
        for op in tuple(block.ops):
            op.detach()
            then_block.add_op(op)
        self.builder.restore((then_block, terminator))
        following = self.arithmetic.value(arith.AddIOp, induction_variable, inner.step)
        terminator.operands = [following, *terminator.operands]
        # The results of a loop that does not run are its init args.
        results = self._inner_results(index) if self.inner_always_runs else iter_args
        else_values = [induction_variable, *results]
        Builder(self.outer.location).at_end(else_block).create(scf.YieldOp, else_values)
        for old, new in zip(inner.results, new_if.results[1:], strict=True):
            old.replace_all_uses_with(new)
        self._move_after(new_if)
        return new_if

    def _is_last_iteration(self) -> SSAValue:
        """Compute whether this is the last iteration of an outer iteration."""
        make = self.arithmetic
        last = make.value(arith.SubIOp, self.outer_count, make.constant(1))
        return self._compare(CmpIPredicate.EQ, self.fused.t, last)

    def _move_epilogue(self) -> scf.IfOp:
        """Move the epilogue into a conditional for the end of an outer iteration."""
        epilogue, terminator = self.sections[-1], self.outer.terminator
        else_values = [
            self._iter_args_of("outer", use.index, 1)[0]
            for output in epilogue.outputs
            for use in _sorted_uses(output)
            if use.operation is terminator
        ]
        result_types = [value.type for value in epilogue.outputs]
        new_if = self._create_if(self._is_last_iteration(), result_types)
        then_block, else_block = (region.block for region in new_if.regions)
        epilogue.move_to(then_block)
        for block, values in ((then_block, epilogue.outputs), (else_block, else_values)):
            Builder(self.outer.location).at_end(block).create(scf.YieldOp, values)
        epilogue.replace_outputs(new_if.results, new_if.regions[0])
        self._move_after(new_if)
        return new_if

    def _create_yield(self) -> None:
        """Update t and yield the iter_args, in the order of `fused_loop`."""
        make = self.arithmetic
        following = make.value(arith.AddIOp, self.fused.t, make.constant(1))
        is_last = self._is_last_iteration()
        t = self.builder.value(arith.SelectOp, [is_last, make.constant(0), following], make.type)
        values: list[SSAValue] = [t, self.i, *self.outer.terminator.operands]
        values += [*self.inner_counts, self.outer_count]
        values += [loop.body_if.results[0] for loop in self.loops]
        values += [result for loop in self.loops for result in loop.body_if.results[1:]]
        for loop in self.loops:
            values += loop.prologue_if.results[1 : 1 + len(loop.prologue.outputs)]
        self.builder.create(scf.YieldOp, values)
        first = self.fused.starts["outer"]
        for old, new in zip(self.outer.results, self.fused.op.results[first:], strict=False):
            old.replace_all_uses_with(new)


def _sorted_uses(value: SSAValue) -> list[Use]:
    return sorted(value.uses, key=lambda use: use.index)


def _is_nested_in_block(op: Operation, block: Block) -> bool:
    current: Operation | None = op
    while current is not None:
        if current.parent is block:
            return True
        current = current.parent_op()
    return False
