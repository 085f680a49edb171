"""Turn an outer loop with inner loops in its body into one loop.

    for i in range(n):                    t = 0;  i = -1
        before(i)                         for _ in range(n * (max(1, m) …)):
        for j in range(m):                    if t == 0:  i += 1;  before(i);  j = 0
            body(i, j)            →           if 0 <= t < m:  body(i, j);  j += 1
        behind(i)                             if t == max(1, m) - 1:  behind(i)
                                              t = 0 if t == max(1, m) - 1 else t + 1

With several inner loops, the last round of one is the first of the next: N + 1 of them take N
rounds fewer than the sum of theirs. If the bounds of an inner loop depend on i, a loop of its own
sums up in front how many rounds there are, and each start of an outer round computes them again.

Whatever one part hands to another is carried round the fused loop, in this order: t, i, what the
outer loop carries, the rounds of each inner loop, their sum, the inner counters, the inner results,
and what the straight stretches hand on. What no round has made yet is zero, or poison where there
is no zero. An inner loop that starts from outside of the outer loop is started by the fused loop
itself, and started anew at the end of each outer round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Use

from weft.ir import arith, attributes, scf, types
from weft.ir.builtin import Attribute, Block, Operation, OpResult, Region, SSAValue
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import Builder, clone, erase
from weft.ir.ub import PoisonOp
from weft.passes.ttgir.fuse_nested_loops.bounds import InnerLoop, Numbers
from weft.passes.ttgir.fuse_nested_loops.conditionals import with_blocks_of, without_results
from weft.passes.ttgir.fuse_nested_loops.stretches import stretches_of

__all__ = ["Fusion"]


@dataclass(slots=True)
class _Carried:
    """What the fused loop carries: initial values, and where each kind begins."""

    inits: list[SSAValue] = field(default_factory=list)
    starts: dict[str, int] = field(default_factory=dict)

    def add(self, kind: str, values: Sequence[SSAValue]) -> None:
        self.starts[kind] = len(self.inits)
        self.inits += values


class Fusion:
    """One fusion of an outer loop with loops in its body."""

    def __init__(self, outer: scf.ForOp, inners: Sequence[InnerLoop], must_run: bool) -> None:
        self.outer = outer
        self.inners = list(inners)
        self.must_run = must_run
        self.builder = Builder().before(outer)
        widths = [types.bit_width(outer.induction_variable.type)]
        widths += [types.bit_width(inner.op.induction_variable.type) for inner in inners]
        self.make = Numbers(self.builder, types.IntegerType(max(widths)))

    def run(self) -> scf.ForOp:
        """Replace the outer loop; return the fused one."""
        rounds, all_rounds, total = self._rounds()
        self.stretches = stretches_of(self.outer, [inner.op for inner in self.inners])
        self.fused = self._loop(rounds, all_rounds, total)
        at = self.carried.starts
        count = len(self.inners)
        for old, new in zip(self.outer.iter_args, self.args[at["outer"] :], strict=False):
            old.replace_all_uses_with(new)
        self.lengths = list(self.args[at["rounds"] : at["rounds"] + count])
        self.sum = all_rounds
        self.starts_at = self.builder.at_start(self.fused.block)
        self.before_ifs: list[scf.IfOp] = []
        self.body_ifs: list[scf.IfOp] = []
        for index in range(count):
            self._inner(index)
        behind = self._behind()
        self._end()
        self._start_outside(behind)
        return self._finish()

    # ------------------------------------------------------------------------- in front of it
    def _rounds(self) -> tuple[list[SSAValue], SSAValue, SSAValue]:
        """Return the rounds of each inner loop, of one outer round, and of all."""
        make = self.make
        of_outer = make.rounds(self.outer.bounds)
        rounds = [
            self._nothing(make.type) if inner.varies else make.cast(make.rounds(inner.op.bounds))
            for inner in self.inners
        ]
        total = make.constant(0)
        for inner, own in zip(self.inners, rounds, strict=True):
            if not inner.varies:
                total = make.value(arith.AddIOp, total, make.at_least_one(own))
        total = make.value(arith.SubIOp, total, make.constant(len(self.inners) - 1))
        product = make.value(arith.MulIOp, make.cast(of_outer), total)
        return rounds, total, self._summed(product)

    def _summed(self, start: SSAValue) -> SSAValue:
        """Return the rounds of all, with those that vary summed up by a loop."""
        counter = self.outer.induction_variable.type
        body = Region(Block(arg_types=[counter, start.type]))
        loop = self.builder.create(
            scf.ForOp, [*self.outer.bounds, start], [start.type], regions=[body]
        )  # fmt: skip
        place = self.builder.place
        self.builder.at_end(body.block)
        total: SSAValue = loop.iter_args[0]
        values: dict[SSAValue, SSAValue] = {self.outer.induction_variable: loop.induction_variable}
        for inner in self.inners:
            if inner.varies:
                own = self.make.cast(self._rounds_again(inner, values))
                total = self.make.value(arith.AddIOp, total, self.make.at_least_one(own))
        self.builder.create(scf.YieldOp, [total])
        self.builder.restore(place)
        return loop.results[0]

    def _rounds_again(self, inner: InnerLoop, values: dict[SSAValue, SSAValue]) -> SSAValue:
        """Compute the rounds of a loop here; values: what stands for what here."""
        for op in inner.computes:
            if op.results[0] not in values:
                self.builder.insert(clone(op, values))
        return self.make.rounds([values.get(bound, bound) for bound in inner.op.bounds])

    def _nothing(self, type_: Attribute) -> SSAValue:
        """Return what a value is that no round has made yet."""
        element = types.element(type_)
        if types.is_integer(element) or types.is_float(element) or type_ == types.index:
            value: Attribute = attributes.scalar(0, element)
            if types.is_tensor(type_):
                return self.builder.constant(0, type_)
            return self.builder.create(arith.ConstantOp, (), (type_,), {"value": value}).results[0]
        return self.builder.create(PoisonOp, (), (type_,)).results[0]

    def _loop(self, rounds: Sequence[SSAValue], all_rounds: SSAValue, total: SSAValue) -> scf.ForOp:
        """Make the fused loop, its body still empty."""
        make, carried = self.make, _Carried()
        low, _, step = self.outer.bounds
        carried.add("t", [make.constant(0)])
        carried.add("i", [make.value(arith.SubIOp, low, step)])
        carried.add("outer", self.outer.init_args)
        carried.add("rounds", rounds)
        carried.add("sum", [all_rounds])
        counters = [inner.op.induction_variable.type for inner in self.inners]
        carried.add("counters", [self._nothing(type_) for type_ in counters])
        results = [result.type for inner in self.inners for result in inner.op.results]
        carried.add("results", [self._nothing(type_) for type_ in results])
        outputs = [value.type for stretch in self.stretches[:-1] for value in stretch.outputs]
        carried.add("outputs", [self._nothing(type_) for type_ in outputs])
        self.carried = carried
        kinds = [value.type for value in carried.inits]
        body = Region(Block(arg_types=[make.type, *kinds]))
        zero, one = make.constant(0), make.constant(1)
        operands = [zero, total, one, *carried.inits]
        fused = self.builder.create(scf.ForOp, operands, kinds, regions=[body])
        arguments: list[SSAValue] = [*body.block.args]
        self.args = arguments[1:]
        return fused

    # --------------------------------------------------------------------------- in its body
    def _compare(self, predicate: CmpIPredicate, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.builder.value(arith.CmpIOp, [a, b], types.i1, {"predicate": predicate.attr()})

    def _if(self, condition: SSAValue, results: Sequence[Attribute]) -> scf.IfOp:
        regions = [Region(Block()), Region(Block())]
        return self.builder.create(scf.IfOp, [condition], results, regions=regions)

    def _inner(self, index: int) -> None:
        """Make one inner loop conditional: what comes before it, then its body."""
        make, t = self.make, self.args[0]
        begin = make.constant(0)
        for earlier in self.lengths[:index]:
            begin = make.value(arith.AddIOp, begin, make.at_least_one(earlier))
        begin = make.value(arith.SubIOp, begin, make.constant(index))
        counter, results = self._before(index, self._compare(CmpIPredicate.EQ, t, begin))
        end = make.value(arith.AddIOp, begin, make.cast(self.lengths[index]))
        reached = self._compare(CmpIPredicate.SGE, t, begin)
        not_over = self._compare(CmpIPredicate.SLT, t, end)
        runs = self.builder.value(arith.AndIOp, [reached, not_over], types.i1)
        if self.must_run:
            true = {"value": attributes.boolean(True)}
            runs = self.builder.create(arith.ConstantOp, (), (types.i1,), true).results[0]
        self._body(index, runs, counter, results)

    def _slice(self, kind: str, start: int, count: int) -> list[SSAValue]:
        first = self.carried.starts[kind] + start
        return self.args[first : first + count]

    def _last_results(self, index: int) -> list[SSAValue]:
        """Return the carried results of an inner loop."""
        start = sum(len(inner.op.results) for inner in self.inners[:index])
        return self._slice("results", start, len(self.inners[index].op.results))

    def _before(self, index: int, begins: SSAValue) -> tuple[SSAValue, Sequence[SSAValue]]:
        """Run the stretch before an inner loop where that begins; return its counter and inits."""
        inner, stretch, first = self.inners[index].op, self.stretches[index], index == 0
        inits = inner.init_args
        kinds = [inner.induction_variable.type, *(v.type for v in (*stretch.outputs, *inits))]
        if first:
            kinds += [self.args[1].type, *[self.make.type] * (len(self.inners) + 1)]
        made = self._if(begins, kinds)
        self.before_ifs.append(made)
        then, otherwise = (region.block for region in made.regions)
        stretch.move_to(then)
        given = [inner.lower_bound, *stretch.outputs, *inits]
        outputs = sum(len(one.outputs) for one in self.stretches[:index])
        kept = [
            self._slice("counters", index, 1)[0],
            *self._slice("outputs", outputs, len(stretch.outputs)),
            *self._last_results(index),
        ]
        if first:
            started, told = self._start_outer(then), self._slice("rounds", 0, len(self.inners))
            given = [
                *(started[0] if v is self.outer.induction_variable else v for v in given),
                *started,
            ]
            varies = any(one.varies for one in self.inners)
            kept += [self.args[1], *told, self._slice("sum", 0, 1)[0] if varies else self.sum]
        for block, values in ((then, given), (otherwise, kept)):
            Builder(self.outer.location).at_end(block).create(scf.YieldOp, values)
        return self._after_before(index, made, len(stretch.outputs), len(inits))

    def _start_outer(self, block: Block) -> list[SSAValue]:
        """Begin an outer round: its counter, and the rounds of the loops in it."""
        first = block.first_op
        self.builder.at_start(block)
        step = self.outer.step
        counter = self.make.value(arith.AddIOp, self.args[1], step)
        old = self.outer.induction_variable
        for use in tuple(old.uses):
            if first is not None and _is_inside(use.operation, block):
                use.operation.operands[use.index] = counter
        total, lengths = self.sum, list(self.lengths)
        values: dict[SSAValue, SSAValue] = {old: counter}
        for index, inner in enumerate(self.inners):
            if inner.varies:
                own = self.make.cast(self._rounds_again(inner, values))
                lengths[index] = own
                total = self.make.value(arith.AddIOp, total, self.make.at_least_one(own))
        return [counter, *lengths, total]

    def _after_before(
        self, index: int, made: scf.IfOp, outputs: int, inits: int
    ) -> tuple[SSAValue, Sequence[SSAValue]]:
        """Let the results of a conditional stand for what it computes from here on."""
        inner = self.inners[index].op
        results = list(made.results)
        inner.induction_variable.replace_all_uses_with(results[0])
        self.stretches[index].stand_in(results[1 : 1 + outputs], made.regions[0])
        given = results[1 + outputs : 1 + outputs + inits]
        for argument, value in zip(inner.iter_args, given, strict=True):
            argument.replace_all_uses_with(value)
        if index == 0:
            rest = results[1 + outputs + inits :]
            self.counter, self.lengths, self.sum = rest[0], rest[1:-1], rest[-1]
            self.outer.induction_variable.replace_all_uses_with(self.counter)
        self.builder.after(made)
        return results[0], given

    def _body(
        self, index: int, runs: SSAValue, counter: SSAValue, results: Sequence[SSAValue]
    ) -> None:
        """Run a round of an inner loop."""
        inner = self.inners[index].op
        block, last = inner.block, inner.terminator
        made = self._if(runs, [counter.type, *(result.type for result in inner.results)])
        self.body_ifs.append(made)
        then, otherwise = (region.block for region in made.regions)
        for op in tuple(block.ops):
            op.detach()
            then.add_op(op)
        self.builder.before(last)
        following = self.make.value(arith.AddIOp, counter, inner.step)
        last.operands = [following, *last.operands]
        # A loop that starts and does not run gives what it starts from.
        kept = [counter, *(self._last_results(index) if self.must_run else results)]
        Builder(inner.location).at_end(otherwise).create(scf.YieldOp, kept)
        for old, new in zip(inner.results, made.results[1:], strict=True):
            old.replace_all_uses_with(new)
        self.builder.after(made)

    def _is_last(self) -> SSAValue:
        """Return whether this is the last round of an outer round."""
        last = self.make.value(arith.SubIOp, self.sum, self.make.constant(1))
        return self._compare(CmpIPredicate.EQ, self.args[0], last)

    def _behind(self) -> scf.IfOp:
        """Run the stretch behind the inner loops at the end of an outer round."""
        stretch, ends = self.stretches[-1], self.outer.terminator
        start = self.carried.starts["outer"]
        kept = [
            self.args[start + use.index]
            for output in stretch.outputs
            for use in _in_order(output)
            if use.operation is ends
        ]
        made = self._if(self._is_last(), [value.type for value in stretch.outputs])
        then, otherwise = (region.block for region in made.regions)
        stretch.move_to(then)
        for block, values in ((then, stretch.outputs), (otherwise, kept)):
            Builder(self.outer.location).at_end(block).create(scf.YieldOp, values)
        stretch.stand_in(made.results, made.regions[0])
        self.builder.after(made)
        return made

    def _end(self) -> None:
        """Count the round, and hand everything to the next one."""
        make = self.make
        following = make.value(arith.AddIOp, self.args[0], make.constant(1))
        over = self._is_last()
        t = self.builder.value(arith.SelectOp, [over, make.constant(0), following], make.type)
        carried: list[SSAValue] = [t, self.counter, *self.outer.terminator.operands]
        carried += [*self.lengths, self.sum]
        carried += [body.results[0] for body in self.body_ifs]
        carried += [result for body in self.body_ifs for result in body.results[1:]]
        for before, stretch in zip(self.before_ifs, self.stretches[:-1], strict=True):
            carried += before.results[1 : 1 + len(stretch.outputs)]
        self.ends = self.builder.create(scf.YieldOp, carried)
        first = self.carried.starts["outer"]
        for old, new in zip(self.outer.results, self.fused.results[first:], strict=False):
            old.replace_all_uses_with(new)

    # ------------------------------------------------------------------- starts from outside
    def _start_outside(self, behind: scf.IfOp) -> None:
        """Let the fused loop start inner loops that start from outside of the outer one."""
        place = self.carried.starts["results"]
        anew: list[tuple[int, tuple[SSAValue, SSAValue]]] = []
        for index, inner in enumerate(self.inners):
            before, body = self.before_ifs[index], self.body_ifs[index]
            skip = 1 + len(self.stretches[index].outputs)
            gone: dict[int, SSAValue] = {}
            for number, init in enumerate(inner.op.init_args):
                if _region_of(init) is not self.fused.regions[0]:
                    self.fused.operands[3 + place + number] = init
                    gone[skip + number] = self.args[place + number]
                    anew.append((place + number, (init, body.results[1 + number])))
            without_results(before, gone)
            place += len(inner.op.results)
        if anew:
            self._reset(behind, anew)

    def _reset(self, behind: scf.IfOp, anew: list[tuple[int, tuple[SSAValue, SSAValue]]]) -> None:
        """Start inner loops again at the end of an outer round."""
        ends = [region.block.last_op for region in behind.regions]
        for last, column in zip(ends, (0, 1), strict=True):
            assert last is not None
            last.operands = [*last.operands, *(values[column] for _, values in anew)]
        made = with_blocks_of(behind, [value.type for value in ends[0].operands])  # pyright: ignore
        old = len(behind.results)
        for result, new in zip(behind.results, made.results[:old], strict=True):
            result.replace_all_uses_with(new)
        for (place, _), new in zip(anew, made.results[old:], strict=True):
            self.ends.operands[place] = new
        erase(behind)

    def _finish(self) -> scf.ForOp:
        for inner in self.inners:
            erase(inner.op)
        erase(self.outer)
        return self.fused


def _in_order(value: SSAValue) -> list[Use]:
    return sorted(value.uses, key=lambda use: use.index)


def _region_of(value: SSAValue) -> Region | None:
    block = value.op.parent if isinstance(value, OpResult) else value.owner
    return block.parent if isinstance(block, Block) else None


def _is_inside(op: Operation, block: Block) -> bool:
    current: Operation | None = op
    while current is not None:
        if current.parent is block:
            return True
        current = current.parent_op()
    return False
