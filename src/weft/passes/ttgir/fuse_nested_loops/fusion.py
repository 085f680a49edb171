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

The iter_args of the fused loop hold, in this order: t, i, the outer iter_args, the trip count of
each inner loop, the iterations of one outer iteration, the inner induction variables, the inner
results, and the outputs of the prologues. A value that no iteration has computed yet is zero, or
poison if its type has no zero. If an inner loop starts from a value defined outside the outer loop,
the fused loop starts from it, and the epilogue resets it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Use

from weft.ir import arith, attributes, scf, types
from weft.ir.builtin import Attribute, Block, Operation, Region, SSAValue
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import Builder, clone, erase
from weft.ir.ub import PoisonOp
from weft.passes.rewrite.nesting import defining_region
from weft.passes.ttgir.fuse_nested_loops.body_sections import split_body
from weft.passes.ttgir.fuse_nested_loops.bounds import InnerLoop, LoopArithmetic
from weft.passes.ttgir.fuse_nested_loops.conditional_results import drop_results, move_to_new_if

__all__ = ["Fusion"]


@dataclass(slots=True)
class _IterArgs:
    """The iter_args of the fused loop.

    Attributes:
        inits: The init args.
        starts: The index of the first iter_arg of each kind.
    """

    inits: list[SSAValue] = field(default_factory=list)
    starts: dict[str, int] = field(default_factory=dict)

    def add(self, kind: str, values: Sequence[SSAValue]) -> None:
        self.starts[kind] = len(self.inits)
        self.inits += values


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
        inner_counts, outer_count, total = self._trip_counts()
        self.sections = split_body(self.outer, [inner.op for inner in self.inners])
        self.fused = self._create_loop(inner_counts, outer_count, total)
        starts = self.iter_args.starts
        count = len(self.inners)
        for old, new in zip(self.outer.iter_args, self.args[starts["outer"] :], strict=False):
            old.replace_all_uses_with(new)
        self.inner_counts = list(self.args[starts["counts"] : starts["counts"] + count])
        self.outer_count = outer_count
        self.builder.at_start(self.fused.block)
        self.prologue_ifs: list[scf.IfOp] = []
        self.body_ifs: list[scf.IfOp] = []
        for index in range(count):
            self._move_inner_loop(index)
        epilogue_if = self._move_epilogue()
        self._create_yield()
        self._initialize_from_outside(epilogue_if)
        return self._finish()

    # ------------------------------------------------------------------ before the fused loop
    def _trip_counts(self) -> tuple[list[SSAValue], SSAValue, SSAValue]:
        """Compute trip counts before the loop.

        Returns:
            The trip count of each inner loop; the iterations of one outer iteration, without
            variable inner loops; and the trip count of the fused loop.
        """
        make = self.arithmetic
        outer_trip_count = make.trip_count(self.outer.bounds)
        counts = [
            self._undefined(make.type)
            if inner.is_variable
            else make.cast(make.trip_count(inner.op.bounds))
            for inner in self.inners
        ]
        outer_count = make.constant(0)
        for inner, count in zip(self.inners, counts, strict=True):
            if not inner.is_variable:
                outer_count = make.value(arith.AddIOp, outer_count, make.at_least_one(count))
        # Adjacent inner loops share an iteration.
        overlap = make.constant(len(self.inners) - 1)
        outer_count = make.value(arith.SubIOp, outer_count, overlap)
        product = make.value(arith.MulIOp, make.cast(outer_trip_count), outer_count)
        return counts, outer_count, self._add_variable_counts(product)

    def _add_variable_counts(self, start: SSAValue) -> SSAValue:
        """Add the trip counts of variable inner loops over all outer iterations, in a loop."""
        counter = self.outer.induction_variable.type
        body = Region(Block(arg_types=[counter, start.type]))
        loop = self.builder.create(
            scf.ForOp, [*self.outer.bounds, start], [start.type], regions=[body]
        )  # fmt: skip
        insertion_point = self.builder.place
        self.builder.at_end(body.block)
        make = self.arithmetic
        total: SSAValue = loop.iter_args[0]
        values: dict[SSAValue, SSAValue] = {self.outer.induction_variable: loop.induction_variable}
        for inner in self.inners:
            if inner.is_variable:
                count = make.cast(self._recompute_trip_count(inner, values))
                total = make.value(arith.AddIOp, total, make.at_least_one(count))
        self.builder.create(scf.YieldOp, [total])
        self.builder.restore(insertion_point)
        return loop.results[0]

    def _recompute_trip_count(self, inner: InnerLoop, values: dict[SSAValue, SSAValue]) -> SSAValue:
        """Compute the trip count of an inner loop at the builder's position.

        Args:
            inner: The loop.
            values: Maps values to their replacements at this position; cloned results are added.
        """
        for op in inner.bound_ops:
            if op.results[0] not in values:
                self.builder.insert(clone(op, values))
        bounds = [values.get(bound, bound) for bound in inner.op.bounds]
        return self.arithmetic.trip_count(bounds)

    def _undefined(self, type_: Attribute) -> SSAValue:
        """Create the value of an iter_arg that no iteration has computed yet: zero or poison."""
        element = types.element(type_)
        if types.is_integer(element) or types.is_float(element) or type_ == types.index:
            value: Attribute = attributes.scalar(0, element)
            if types.is_tensor(type_):
                return self.builder.constant(0, type_)
            return self.builder.create(arith.ConstantOp, (), (type_,), {"value": value}).results[0]
        return self.builder.create(PoisonOp, (), (type_,)).results[0]

    def _create_loop(
        self, inner_counts: Sequence[SSAValue], outer_count: SSAValue, total: SSAValue
    ) -> scf.ForOp:
        """Create the fused loop with an empty body."""
        make, iter_args = self.arithmetic, _IterArgs()
        low, _, step = self.outer.bounds
        iter_args.add("t", [make.constant(0)])
        iter_args.add("i", [make.value(arith.SubIOp, low, step)])
        iter_args.add("outer", self.outer.init_args)
        iter_args.add("counts", inner_counts)
        iter_args.add("outer count", [outer_count])
        inner_types = [inner.op.induction_variable.type for inner in self.inners]
        iter_args.add("induction variables", [self._undefined(type_) for type_ in inner_types])
        result_types = [result.type for inner in self.inners for result in inner.op.results]
        iter_args.add("results", [self._undefined(type_) for type_ in result_types])
        output_types = [value.type for prologue in self.sections[:-1] for value in prologue.outputs]
        iter_args.add("outputs", [self._undefined(type_) for type_ in output_types])
        self.iter_args = iter_args
        arg_types = [value.type for value in iter_args.inits]
        body = Region(Block(arg_types=[make.type, *arg_types]))
        zero, one = make.constant(0), make.constant(1)
        operands = [zero, total, one, *iter_args.inits]
        fused = self.builder.create(scf.ForOp, operands, arg_types, regions=[body])
        arguments: list[SSAValue] = [*body.block.args]
        self.args = arguments[1:]
        return fused

    # ---------------------------------------------------------------- the body of the fused loop
    def _compare(self, predicate: CmpIPredicate, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.builder.value(arith.CmpIOp, [a, b], types.i1, {"predicate": predicate.attr()})

    def _create_if(self, condition: SSAValue, result_types: Sequence[Attribute]) -> scf.IfOp:
        regions = [Region(Block()), Region(Block())]
        return self.builder.create(scf.IfOp, [condition], result_types, regions=regions)

    def _move_inner_loop(self, index: int) -> None:
        """Move the prologue and the body of an inner loop into conditionals on t."""
        make, t = self.arithmetic, self.args[0]
        begin = make.constant(0)
        for count in self.inner_counts[:index]:
            begin = make.value(arith.AddIOp, begin, make.at_least_one(count))
        begin = make.value(arith.SubIOp, begin, make.constant(index))
        is_first_iteration = self._compare(CmpIPredicate.EQ, t, begin)
        induction_variable, iter_args = self._move_prologue(index, is_first_iteration)
        end = make.value(arith.AddIOp, begin, make.cast(self.inner_counts[index]))
        has_begun = self._compare(CmpIPredicate.SGE, t, begin)
        has_not_ended = self._compare(CmpIPredicate.SLT, t, end)
        runs = self.builder.value(arith.AndIOp, [has_begun, has_not_ended], types.i1)
        if self.inner_always_runs:
            true = {"value": attributes.boolean(True)}
            runs = self.builder.create(arith.ConstantOp, (), (types.i1,), true).results[0]
        self._move_body(index, runs, induction_variable, iter_args)

    def _iter_args_of(self, kind: str, start: int, count: int) -> list[SSAValue]:
        first = self.iter_args.starts[kind] + start
        return self.args[first : first + count]

    def _inner_results(self, index: int) -> list[SSAValue]:
        """List the iter_args that hold the results of an inner loop."""
        start = sum(len(inner.op.results) for inner in self.inners[:index])
        return self._iter_args_of("results", start, len(self.inners[index].op.results))

    def _move_prologue(
        self, index: int, is_first_iteration: SSAValue
    ) -> tuple[SSAValue, Sequence[SSAValue]]:
        """Move the prologue of an inner loop into a conditional.

        The conditional yields the state of the inner loop: in its first iteration the lower bound,
        the outputs of the prologue and the init args, otherwise the iter_args of the fused loop.

        Args:
            index: The index of the inner loop.
            is_first_iteration: The condition.

        Returns:
            The induction variable and the iter_args of the inner loop.
        """
        inner, prologue, is_first_loop = self.inners[index].op, self.sections[index], index == 0
        inits = inner.init_args
        result_types = [value.type for value in (*prologue.outputs, *inits)]
        result_types.insert(0, inner.induction_variable.type)
        if is_first_loop:  # it also starts the outer iteration
            count_types = [self.arithmetic.type] * (len(self.inners) + 1)
            result_types += [self.args[1].type, *count_types]
        new_if = self._create_if(is_first_iteration, result_types)
        self.prologue_ifs.append(new_if)
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
            else_values += [self.args[1], *self._iter_args_of("counts", 0, len(self.inners))]
            if any(loop.is_variable for loop in self.inners):
                else_values += self._iter_args_of("outer count", 0, 1)
            else:
                else_values.append(self.outer_count)
        for block, values in ((then_block, then_values), (else_block, else_values)):
            Builder(self.outer.location).at_end(block).create(scf.YieldOp, values)
        return self._use_prologue_results(index, new_if, len(prologue.outputs), len(inits))

    def _start_outer_iteration(self, block: Block) -> list[SSAValue]:
        """Compute the state of a new outer iteration at the start of a block.

        Returns:
            i, the trip count of each inner loop, and the iterations of the outer iteration.
        """
        make = self.arithmetic
        first = block.first_op
        self.builder.at_start(block)
        step = self.outer.step
        i = make.value(arith.AddIOp, self.args[1], step)
        old = self.outer.induction_variable
        for use in tuple(old.uses):
            if first is not None and _is_nested_in_block(use.operation, block):
                use.operation.operands[use.index] = i
        outer_count, counts = self.outer_count, list(self.inner_counts)
        values: dict[SSAValue, SSAValue] = {old: i}
        for index, inner in enumerate(self.inners):
            if inner.is_variable:
                count = make.cast(self._recompute_trip_count(inner, values))
                counts[index] = count
                outer_count = make.value(arith.AddIOp, outer_count, make.at_least_one(count))
        return [i, *counts, outer_count]

    def _use_prologue_results(
        self, index: int, new_if: scf.IfOp, outputs: int, inits: int
    ) -> tuple[SSAValue, Sequence[SSAValue]]:
        """Replace uses of the inner loop's state by the results of the prologue's conditional."""
        inner = self.inners[index].op
        results = list(new_if.results)
        inner.induction_variable.replace_all_uses_with(results[0])
        self.sections[index].replace_outputs(results[1 : 1 + outputs], new_if.regions[0])
        iter_args = results[1 + outputs : 1 + outputs + inits]
        for argument, value in zip(inner.iter_args, iter_args, strict=True):
            argument.replace_all_uses_with(value)
        if index == 0:
            state = results[1 + outputs + inits :]
            self.i, self.inner_counts, self.outer_count = state[0], state[1:-1], state[-1]
            self.outer.induction_variable.replace_all_uses_with(self.i)
        self.builder.after(new_if)
        return results[0], iter_args

    def _move_body(
        self,
        index: int,
        runs: SSAValue,
        induction_variable: SSAValue,
        iter_args: Sequence[SSAValue],
    ) -> None:
        """Move the body of an inner loop into a conditional."""
        inner = self.inners[index].op
        block, terminator = inner.block, inner.terminator
        result_types = [induction_variable.type, *(result.type for result in inner.results)]
        new_if = self._create_if(runs, result_types)
        self.body_ifs.append(new_if)
        then_block, else_block = (region.block for region in new_if.regions)
        for op in tuple(block.ops):
            op.detach()
            then_block.add_op(op)
        self.builder.before(terminator)
        following = self.arithmetic.value(arith.AddIOp, induction_variable, inner.step)
        terminator.operands = [following, *terminator.operands]
        # The results of a loop that does not run are its init args.
        results = self._inner_results(index) if self.inner_always_runs else iter_args
        else_values = [induction_variable, *results]
        Builder(inner.location).at_end(else_block).create(scf.YieldOp, else_values)
        for old, new in zip(inner.results, new_if.results[1:], strict=True):
            old.replace_all_uses_with(new)
        self.builder.after(new_if)

    def _is_last_iteration(self) -> SSAValue:
        """Compute whether this is the last iteration of an outer iteration."""
        make = self.arithmetic
        last = make.value(arith.SubIOp, self.outer_count, make.constant(1))
        return self._compare(CmpIPredicate.EQ, self.args[0], last)

    def _move_epilogue(self) -> scf.IfOp:
        """Move the epilogue into a conditional for the end of an outer iteration."""
        epilogue, terminator = self.sections[-1], self.outer.terminator
        start = self.iter_args.starts["outer"]
        else_values = [
            self.args[start + use.index]
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
        self.builder.after(new_if)
        return new_if

    def _create_yield(self) -> None:
        """Update t and yield the iter_args, in the order of `_create_loop`."""
        make = self.arithmetic
        following = make.value(arith.AddIOp, self.args[0], make.constant(1))
        is_last = self._is_last_iteration()
        t = self.builder.value(arith.SelectOp, [is_last, make.constant(0), following], make.type)
        values: list[SSAValue] = [t, self.i, *self.outer.terminator.operands]
        values += [*self.inner_counts, self.outer_count]
        values += [body.results[0] for body in self.body_ifs]
        values += [result for body in self.body_ifs for result in body.results[1:]]
        for prologue_if, prologue in zip(self.prologue_ifs, self.sections[:-1], strict=True):
            values += prologue_if.results[1 : 1 + len(prologue.outputs)]
        self.terminator = self.builder.create(scf.YieldOp, values)
        first = self.iter_args.starts["outer"]
        for old, new in zip(self.outer.results, self.fused.results[first:], strict=False):
            old.replace_all_uses_with(new)

    # ------------------------------------------------------------- init args from outside
    def _initialize_from_outside(self, epilogue_if: scf.IfOp) -> None:
        """Let the fused loop start from init args of inner loops that are defined outside.

        The prologue then does not initialize these iter_args; the end of an outer iteration does.
        """
        position = self.iter_args.starts["results"]
        first_init = len(self.fused.bounds)
        resets: list[tuple[int, tuple[SSAValue, SSAValue]]] = []
        for index, inner in enumerate(self.inners):
            prologue_if, body_if = self.prologue_ifs[index], self.body_ifs[index]
            first_result = 1 + len(self.sections[index].outputs)
            replacements: dict[int, SSAValue] = {}
            for number, init in enumerate(inner.op.init_args):
                if defining_region(init) is not self.fused.regions[0]:
                    self.fused.operands[first_init + position + number] = init
                    replacements[first_result + number] = self.args[position + number]
                    resets.append((position + number, (init, body_if.results[1 + number])))
            drop_results(prologue_if, replacements)
            position += len(inner.op.results)
        if resets:
            self._reset_in_epilogue(epilogue_if, resets)

    def _reset_in_epilogue(
        self, epilogue_if: scf.IfOp, resets: list[tuple[int, tuple[SSAValue, SSAValue]]]
    ) -> None:
        """Reset iter_args of inner loops at the end of an outer iteration.

        Args:
            epilogue_if: The conditional of the epilogue, which gets additional results.
            resets: The position of each iter_arg, its init arg, and its value otherwise.
        """
        then_yield, else_yield = (region.block.last_op for region in epilogue_if.regions)
        assert then_yield is not None
        assert else_yield is not None
        then_yield.operands = [*then_yield.operands, *(init for _, (init, _) in resets)]
        else_yield.operands = [*else_yield.operands, *(value for _, (_, value) in resets)]
        new_if = move_to_new_if(epilogue_if, [value.type for value in then_yield.operands])
        count = len(epilogue_if.results)
        for result, new in zip(epilogue_if.results, new_if.results[:count], strict=True):
            result.replace_all_uses_with(new)
        for (position, _), new in zip(resets, new_if.results[count:], strict=True):
            self.terminator.operands[position] = new
        erase(epilogue_if)

    def _finish(self) -> scf.ForOp:
        for inner in self.inners:
            erase(inner.op)
        erase(self.outer)
        return self.fused


def _sorted_uses(value: SSAValue) -> list[Use]:
    return sorted(value.uses, key=lambda use: use.index)


def _is_nested_in_block(op: Operation, block: Block) -> bool:
    current: Operation | None = op
    while current is not None:
        if current.parent is block:
            return True
        current = current.parent_op()
    return False
