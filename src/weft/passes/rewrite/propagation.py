"""Which values are the same constant on every path that can run, and which code can run at all.

    %t = scf.if true -> (i32) { yield %c2 } else { yield %n }      %t is 2: the else cannot run
    scf.for … iter_args(%a = %c2) { %b = addi %a, 0; yield %b }    %a is 2: at first, and so always

Optimistic, as sparse conditional constant propagation is: a value is nothing yet until something
that runs gives it one; then a constant; then, once two paths disagree, unknown. A block runs once
an edge that can be taken leads to it. Both facts only grow, so the order of work does not matter
(Wegman and Zadeck, Constant Propagation with Conditional Branches, 1991).

Folds read constants off the operations that make their operands. So an operation whose operands
turned out constant is folded as a copy that reads constants made for the purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from weft.ir import cf, scf, tt, ttg
from weft.ir.arith import ConstantOp
from weft.ir.builtin import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue
from weft.ir.constants import is_constant
from weft.ir.folding import IN_PLACE, Fold, Folded
from weft.passes.rewrite.regions import successor_slices

__all__ = ["Constant", "Propagation", "TripCount"]

TripCount = Callable[[scf.ForOp], int | None]


@dataclass(frozen=True, slots=True)
class Constant:
    """A value known: the class of the operation that makes it, and its attribute if it has one."""

    cls: type[Operation]
    value: Attribute | None

    @staticmethod
    def of(op: Operation) -> Constant:
        """Return the value of a constant operation."""
        return Constant(type(op), op.properties.get("value"))

    def make(self, type_: Attribute) -> Operation:
        """Return a constant operation that stands nowhere yet."""
        properties = {} if self.value is None else {"value": self.value}
        return self.cls.create(result_types=[type_], properties=properties)


class _Unknown:
    """More than one value, or one that cannot be known."""


_UNKNOWN = _Unknown()

State = Constant | _Unknown


@dataclass(slots=True)
class Propagation:
    """The facts about a module; `run` finds them, `constant` answers.

    folds: by class.  trip_count: how often a loop runs, None where that is not known.
    """

    folds: Mapping[type[Operation], Fold]
    trip_count: TripCount
    states: dict[SSAValue, State] = field(default_factory=dict)
    running: set[Block] = field(default_factory=set)
    todo: list[Operation] = field(default_factory=list)
    functions: dict[str, tt.FuncOp] = field(default_factory=dict)
    calls: dict[str, list[tt.CallOp]] = field(default_factory=dict)

    def run(self, module: Operation) -> None:
        """Find the facts about a module."""
        for op in module.regions[0].block.ops:
            if isinstance(op, tt.FuncOp):
                self.functions[op.symbol] = op
        for op in self.functions.values():
            if op.is_public:
                self._start(op.regions[0])
        while self.todo:
            op = self.todo.pop()
            if op.parent in self.running:
                self._visit(op)

    def constant(self, value: SSAValue) -> Constant | None:
        """Return what a value always is, None where that is not one constant."""
        state = self.states.get(value)
        return state if isinstance(state, Constant) else None

    # ------------------------------------------------------------------------------- the facts
    def _join(self, value: SSAValue, state: State | None) -> None:
        """Let a value also be what `state` says; None says nothing yet."""
        known = self.states.get(value)
        if state is None or known is _UNKNOWN or known == state:
            return
        self.states[value] = state if known is None else _UNKNOWN
        self.todo += (use.operation for use in value.uses)

    def _unknown(self, values: Sequence[SSAValue]) -> None:
        for value in values:
            self._join(value, _UNKNOWN)

    def _pass(self, values: Sequence[SSAValue], targets: Sequence[SSAValue]) -> None:
        for value, target in zip(values, targets, strict=True):
            self._join(target, self.states.get(value))

    def _runs(self, block: Block | None) -> None:
        if block is not None and block not in self.running:
            self.running.add(block)
            self.todo += reversed(tuple(block.ops))

    def _start(self, region: Region) -> None:
        """Let a region run with arguments of which nothing is known."""
        first = region.blocks.first
        if first is not None:
            self._unknown(first.args)
            self._runs(first)

    def _enter(self, region: Region, values: Sequence[SSAValue], skip: int = 0) -> None:
        """Let a region run with values for its arguments, the first `skip` unknown."""
        first = region.blocks.first
        if first is not None:
            self._unknown(first.args[:skip])
            self._pass(values, first.args[skip:])
            self._runs(first)

    def _truth(self, value: SSAValue) -> tuple[bool, ...]:
        """Return which truth values a condition may have: none yet, one, or both."""
        state = self.states.get(value)
        if state is None:
            return ()
        number = getattr(state.value, "value", None) if isinstance(state, Constant) else None
        return (True, False) if number is None else (number.data != 0,)

    # ------------------------------------------------------------------------------ operations
    def _visit(self, op: Operation) -> None:
        visit = _VISITS.get(type(op))
        if visit is not None:
            visit(self, op)
        elif op.regions:
            for region in op.regions:
                self._start(region)
            self._unknown(op.results)
        elif op.results:
            self._fold(op)

    def _fold(self, op: Operation) -> None:
        if is_constant(op):
            self._join(op.results[0], Constant.of(op))
            return
        states = [self.states.get(operand) for operand in op.operands]
        if any(state is None for state in states):
            return
        fold = self.folds.get(type(op))
        if fold is None:
            self._unknown(op.results)
            return
        made = [
            state.make(operand.type) if type(state) is Constant else None
            for state, operand in zip(states, op.operands, strict=True)
        ]
        if any(constant is not None for constant in made):
            self._take(op, fold, made)
        else:
            self._take_as_it_is(op, fold)

    def _take_as_it_is(self, op: Operation, fold: Fold) -> None:
        """Fold an operation that reads no constant; what that does to it in place is undone."""
        operands, properties = tuple(op.operands), dict(op.properties)
        folded = fold(op)
        if folded is IN_PLACE:
            op.operands, op.properties = operands, properties
        self._learn(op, folded)

    def _take(self, op: Operation, fold: Fold, made: Sequence[Operation | None]) -> None:
        """Fold a copy of an operation that reads constants where they are known."""
        copy = type(op).create(
            operands=[
                operand if constant is None else constant.results[0]
                for operand, constant in zip(op.operands, made, strict=True)
            ],
            result_types=[result.type for result in op.results],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        self._learn(op, fold(copy))
        copy.erase(safe_erase=False)
        for constant in made:
            if constant is not None:
                constant.erase(safe_erase=False)

    def _learn(self, op: Operation, folded: Folded) -> None:
        """Note what a fold says of an operation's results."""
        if folded is None or folded is IN_PLACE:
            self._unknown(op.results)
            return
        parts = folded if isinstance(folded, tuple | list) else (folded,)
        for part, result in zip(parts, op.results, strict=True):
            self._join(result, self._of(part))

    def _of(self, part: object) -> State:
        """Return what a part of a fold's answer says."""
        if isinstance(part, Attribute):
            return Constant(ConstantOp, part)
        assert isinstance(part, OpResult | BlockArgument)
        if isinstance(part, OpResult) and part.op.parent is None:  # one made for the copy
            return Constant.of(part.op)
        return self.constant(part) or _UNKNOWN

    # ------------------------------------------------------------------------- blocks and calls
    def _branch(self, op: Operation) -> None:
        sides = successor_slices(op)
        if isinstance(op, cf.CondBranchOp):
            taken = self._truth(op.operands[0])
            sides = [side for side, when in zip(sides, (True, False), strict=True) if when in taken]
        for block, start, end in sides:
            self._pass(op.operands[start:end], block.args)
            self._runs(block)

    def _call(self, op: Operation) -> None:
        assert isinstance(op, tt.CallOp)
        name = op.properties["callee"].root_reference.data  # pyright: ignore
        callee = self.functions.get(name)
        if callee is None or callee.regions[0].blocks.first is None:
            self._unknown(op.results)
            return
        known = self.calls.setdefault(name, [])
        if op not in known:
            known.append(op)
            # What it returned to earlier calls, it returns to this one.
            self.todo += (
                block.last_op
                for block in callee.regions[0].blocks
                if isinstance(block.last_op, tt.ReturnOp)
            )
        if not callee.is_public:
            self._enter(callee.regions[0], op.operands)

    def _return(self, op: Operation) -> None:
        function = op.parent_op()
        assert isinstance(function, tt.FuncOp)
        for call in self.calls.get(function.symbol, ()):
            self._pass(op.operands, call.results)

    # ---------------------------------------------------------------------------------- regions
    def _for(self, op: Operation) -> None:
        assert isinstance(op, scf.ForOp)
        count = self.trip_count(op)
        if count != 0:
            self._enter(op.regions[0], op.operands[3:], skip=1)
        if count is None or count == 0:
            self._pass(op.operands[3:], op.results)

    def _if(self, op: Operation) -> None:
        taken = self._truth(op.operands[0])
        for region, when in zip(op.regions, (True, False), strict=True):
            if when in taken:
                self._enter(region, ())

    def _while(self, op: Operation) -> None:
        self._enter(op.regions[0], op.operands)

    def _condition(self, op: Operation) -> None:
        loop = op.parent_op()
        assert loop is not None
        taken = self._truth(op.operands[0])
        if True in taken:
            self._enter(loop.regions[1], op.operands[1:])
        if False in taken:
            self._pass(op.operands[1:], loop.results)

    def _specialized(self, op: Operation) -> None:
        for region in op.regions:
            self._enter(region, ())

    def _partitions(self, op: Operation) -> None:
        for region in op.regions:
            self._enter(region, op.operands)

    def _yield(self, op: Operation) -> None:
        around = op.parent_op()
        if isinstance(around, scf.ForOp):
            count = self.trip_count(around)
            if count != 1:
                self._enter(around.regions[0], op.operands, skip=1)
            self._pass(op.operands, around.results)
        elif isinstance(around, scf.WhileOp):
            self._enter(around.regions[0], op.operands)
        elif isinstance(around, scf.IfOp | scf.ExecuteRegionOp | ttg.WarpSpecializeOp):
            self._pass(op.operands, around.results)


def _nothing(facts: Propagation, op: Operation) -> None:
    """Passes nothing on."""


_VISITS: dict[type[Operation], Callable[[Propagation, Operation], None]] = {
    cf.BranchOp: Propagation._branch,
    cf.CondBranchOp: Propagation._branch,
    tt.CallOp: Propagation._call,
    tt.ReturnOp: Propagation._return,
    tt.FuncOp: _nothing,
    scf.ForOp: Propagation._for,
    scf.IfOp: Propagation._if,
    scf.WhileOp: Propagation._while,
    scf.ExecuteRegionOp: Propagation._specialized,
    scf.ConditionOp: Propagation._condition,
    scf.YieldOp: Propagation._yield,
    ttg.WarpSpecializeOp: Propagation._specialized,
    ttg.WarpSpecializePartitionsOp: Propagation._partitions,
    ttg.WarpYieldOp: Propagation._yield,
}
