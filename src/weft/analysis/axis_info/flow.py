"""Carry what is known of values through one function: loops, conditionals, branches.

    scf.for %i = %c0 to %n step %c64 iter_args(%o = %zero) {     %i: 64 divides it
      %next = arith.addi %o, %c64                                %o: 0 at first, then 64, 128 …
      scf.yield %next                                            so 64 divides it
    }

Each block is gone over once, in order; after that only users of what changed are looked at again.
An operation waits until something is known of all that it reads. What is known of a value only
ever gets less (`join`), so the work ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import gcd

from weft.analysis.axis_info import arithmetic, choice, shapes
from weft.analysis.axis_info.hints import hinted
from weft.analysis.axis_info.info import AxisInfo, join, rank_of, unknown
from weft.ir import cf, scf, tt, ttg
from weft.ir.builtin import Block, Operation, Region, SSAValue

__all__ = ["Flow"]

_RULES = {**arithmetic.RULES, **choice.RULES, **shapes.RULES}


@dataclass(slots=True)
class Flow:
    """What is known of the values of one function; `run` finds it.

    known: by value; values inside the regions of reductions and scans are left out.
    """

    known: dict[SSAValue, AxisInfo]
    _blocks: deque[Block] = field(default_factory=deque)
    _started: set[Block] = field(default_factory=set)
    _todo: deque[Operation] = field(default_factory=deque)

    def run(self, function: tt.FuncOp, arguments: Sequence[AxisInfo]) -> None:
        """Find what is known in a function with a body, given what is known of its arguments."""
        for argument, info in zip(function.entry.args, arguments, strict=True):
            self.known[argument] = info
        self._start(function.regions[0])
        while self._blocks or self._todo:
            if self._blocks:
                self._go_over(self._blocks.popleft())
            else:
                self._visit(self._todo.popleft())

    def _start(self, region: Region) -> None:
        """Let the first block of a region be gone over."""
        self._start_block(region.blocks.first)

    def _start_block(self, block: Block | None) -> None:
        if block is not None and block not in self._started:
            self._started.add(block)
            self._blocks.append(block)

    def _go_over(self, block: Block) -> None:
        """Visit each operation of a block; regions of its operations come after."""
        inner: list[Operation] = []
        for op in block.ops:
            rule = _RULES.get(type(op))
            if rule is not None:
                info = self._result(op, rule)
                if info is not None:
                    self.known[op.results[0]] = info
            elif type(op) in _ENTER:
                inner.append(op)
            else:
                self._visit(op)
        for op in inner:
            _ENTER[type(op)](self, op)

    def _result(self, op: Operation, rule: Callable[..., AxisInfo]) -> AxisInfo | None:
        """Return what is known of a result, None while nothing is known of an operand."""
        known = self.known
        infos: list[AxisInfo] = []
        for operand in op.operands:
            info = known.get(operand)
            if info is None:
                return None
            infos.append(info)
        return hinted(rule(op, infos), op.attributes)

    def _join(self, value: SSAValue, info: AxisInfo) -> None:
        """Let a value also be what `info` says."""
        old = self.known.get(value)
        new = info if old is None else join(old, info)
        if new != old:
            self.known[value] = new
            self._todo += [
                use.operation for use in value.uses if use.operation.parent in self._started
            ]

    def _pass(self, values: Sequence[SSAValue], targets: Sequence[SSAValue]) -> None:
        """Let each target also be what is known of its value; nothing may be known yet."""
        for value, target in zip(values, targets, strict=True):
            info = self.known.get(value)
            if info is not None:
                self._join(target, info)

    def _visit(self, op: Operation) -> None:
        rule = _RULES.get(type(op))
        if rule is not None:
            info = self._result(op, rule)
            if info is not None:
                self._join(op.results[0], info)
            return
        visit = _ENTER.get(type(op)) or _END.get(type(op))
        if visit is not None:
            visit(self, op)
            return
        for result in op.results:
            self._join(result, hinted(unknown(rank_of(result.type)), op.attributes))

    # -- what leads into regions and blocks ------------------------------------------------------

    def _for(self, op: Operation) -> None:
        assert isinstance(op, scf.ForOp)
        low, _, step, *inits = op.operands
        first, by = self.known.get(low), self.known.get(step)
        if first is not None and by is not None:
            divides = gcd(first.divisibility[0], by.divisibility[0])
            self._join(op.block.args[0], AxisInfo((1,), (divides,), (1,)))
        self._pass(inits, op.block.args[1:])
        self._pass(inits, op.results)
        self._start(op.regions[0])

    def _regions(self, op: Operation) -> None:
        for region in op.regions:
            self._start(region)

    def _while(self, op: Operation) -> None:
        assert isinstance(op, scf.WhileOp)
        self._pass(op.operands, op.before_block.args)
        self._start(op.regions[0])

    def _partitions(self, op: Operation) -> None:
        for region in op.regions:
            first = region.blocks.first
            if first is not None:
                self._pass(op.operands, first.args)
                self._start(region)

    # -- what leads out of them ------------------------------------------------------------------

    def _branch(self, op: Operation) -> None:
        sides = [tuple(op.operands)]
        if isinstance(op, cf.CondBranchOp):
            sides = [tuple(op.then_arguments), tuple(op.else_arguments)]
        for block, values in zip(op.successors, sides, strict=True):
            self._pass(values, block.args)
            self._start_block(block)

    def _condition(self, op: Operation) -> None:
        loop = op.parent_op()
        assert isinstance(loop, scf.WhileOp)
        self._pass(op.operands[1:], loop.after_block.args)
        self._pass(op.operands[1:], loop.results)
        self._start(loop.regions[1])

    def _yield(self, op: Operation) -> None:
        around = op.parent_op()
        assert around is not None
        if isinstance(around, scf.ForOp):
            self._pass(op.operands, around.block.args[1:])
        if isinstance(around, scf.WhileOp):
            self._pass(op.operands, around.before_block.args)
        else:
            self._pass(op.operands, around.results)


_ENTER: dict[type[Operation], Callable[[Flow, Operation], None]] = {
    scf.ForOp: Flow._for,
    scf.IfOp: Flow._regions,
    scf.WhileOp: Flow._while,
    scf.ExecuteRegionOp: Flow._regions,
    ttg.WarpSpecializeOp: Flow._regions,
    ttg.WarpSpecializePartitionsOp: Flow._partitions,
}
_END: dict[type[Operation], Callable[[Flow, Operation], None]] = {
    cf.BranchOp: Flow._branch,
    cf.CondBranchOp: Flow._branch,
    scf.ConditionOp: Flow._condition,
    scf.YieldOp: Flow._yield,
    ttg.WarpYieldOp: Flow._yield,
}
