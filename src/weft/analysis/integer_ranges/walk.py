"""Follow the integers through a program, in the order in which it runs.

A value's range is what its operation makes of the ranges of its operands. A loop is run in
ranges instead of numbers, as often as it can run at most:

    %r = scf.for %i = 0 to 4 iter_args(%a = 0) {    %i: [0, 3]
      %b = arith.addi %a, %i                        %a: [0, 0], then with each round's %b
      scf.yield %b                                      [0, 3], [0, 6], [0, 9]: four rounds
    }                                               %b and %r: [0, 12]

A loop that may run more than SIMULATED times (times the rounds of the loops around it) carries
numbers of which nothing is known. Of a round, only that is done again which depends on what the
loop carries. Ranges only grow while a loop is followed, so the last ones hold for every round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weft.analysis.integer_ranges.assumptions import Assumptions
from weft.analysis.integer_ranges.interval import Range, width_of
from weft.analysis.integer_ranges.loops import SIMULATED, counter, trips
from weft.analysis.integer_ranges.operations import RULES
from weft.ir import cf, scf, tt
from weft.ir.builtin import Block, ModuleOp, Operation, Region, SSAValue
from weft.ir.dominance import postorder

__all__ = ["Walk"]

_CALL_ROUNDS = 8  # calls whose numbers still grow after so many looks are given up


class Walk:
    """The ranges of a module's integers; `ranges` is filled by `run`."""

    def __init__(self, module: ModuleOp) -> None:
        self.ranges: dict[SSAValue, Range] = {}
        self._assumptions = Assumptions(module)
        self._functions: dict[str, tt.FuncOp] = {
            op.sym_name.data: op for op in module.body.block.ops if isinstance(op, tt.FuncOp)
        }
        self._returned: dict[str, list[Range | None]] = {}
        self._running: list[tt.FuncOp] = []
        self._entry: Block | None = None
        self._grown = False  # numbers passed to or returned by a callee, in this look

    def run(self) -> None:
        """Find the ranges of all values, kernels first, callees as they are called."""
        for look in range(_CALL_ROUNDS + 1):
            self._grown = False
            for function in self._functions.values():
                if function.is_public:
                    self._function(function)
            if not self._grown:
                break
            if look == _CALL_ROUNDS - 1:
                for function in self._functions.values():
                    self._unknown(_arguments(function))
        for function in self._functions.values():
            if not function.is_public and function.sym_name.data not in self._returned:
                self._function(function)

    def _function(self, function: tt.FuncOp) -> None:
        entry = function.body.blocks.first
        if entry is None:
            return
        outer, self._entry = self._entry, entry
        self._running.append(function)
        if function.is_public or function.sym_name.data not in self._returned:
            self._unknown(entry.args)
        self._returned.setdefault(function.sym_name.data, [])
        self._region(function.body)
        self._running.pop()
        self._entry = outer

    def _unknown(self, values: Iterable[SSAValue]) -> None:
        """Let values be anything, or what the function's first block promises of them."""
        for value in values:
            width = width_of(value.type)
            if width is not None:
                promised = None
                if value in self._assumptions and self._entry is not None:
                    promised = self._assumptions.range(value, self._entry)
                self._join(value, Range.full(width) if promised is None else promised)

    def _join(self, value: SSAValue, more: Range | None) -> bool:
        """Let a value be some more numbers; tell whether it could not be before."""
        known = self.ranges.get(value)
        if more is None or known == more or width_of(value.type) is None:
            return False
        joined = more if known is None else known.union(more)
        self.ranges[value] = joined
        return joined != known

    def _region(self, region: Region) -> None:
        blocks = list(region.blocks)
        if len(blocks) > 1:
            blocks = postorder(region)[::-1]
        done: set[Block] = set()
        for block in blocks:
            if block is not blocks[0] and not done.issuperset(_predecessors(block)):
                self._unknown(block.args)  # a cycle of branches is not followed
            for op in block.ops:
                self._visit(op)
            done.add(block)

    def _visit(self, op: Operation) -> None:
        special = _SPECIAL.get(type(op))
        if special is not None:
            special(self, op)
            return
        for region in op.regions:
            for block in region.blocks:
                self._unknown(block.args)
            self._region(region)
        results = [result for result in op.results if width_of(result.type) is not None]
        if results:
            self._results(op, results)

    def _results(self, op: Operation, results: Sequence[SSAValue]) -> None:
        rule = RULES.get(type(op))
        if rule is None:
            self._unknown(results)
        else:
            inferred = rule(op, [self._operand(operand, op) for operand in op.operands])
            for result in results:
                self._join(result, self._promised(result, op, inferred))

    def _operand(self, value: SSAValue, op: Operation) -> Range | None:
        """Return an operand's range where it is read: a promise takes precedence."""
        if value in self._assumptions and op.parent is not None:
            promised = self._assumptions.range(value, op.parent)
            if promised is not None:
                return promised
        return self.ranges.get(value)

    def _promised(self, value: SSAValue, op: Operation, inferred: Range | None) -> Range | None:
        if value not in self._assumptions or op.parent is None:
            return inferred
        promised = self._assumptions.range(value, op.parent)
        if promised is None or inferred is None:
            return promised if inferred is None else inferred
        return inferred.intersection(promised)

    def _if(self, op: Operation) -> None:
        assert isinstance(op, scf.IfOp)
        for region in op.regions:
            last = None if region.blocks.first is None else region.block.last_op
            if last is not None:
                self._region(region)
                for result, given in zip(op.results, last.operands, strict=True):
                    self._join(result, self.ranges.get(given))

    def _for(self, op: Operation) -> None:
        assert isinstance(op, scf.ForOp)
        self._join(op.block.args[0], counter(op, self.ranges.get))
        carried = [
            (init, argument, given, result)
            for init, argument, given, result in zip(
                op.operands[3:], op.iter_args, op.terminator.operands, op.results, strict=True
            )
            if width_of(argument.type) is not None
        ]
        rounds = trips(op, self.ranges.get) if carried else 0
        if rounds > SIMULATED:
            for _, argument, _, result in carried:
                self._unknown((argument, result))
        for init, argument, _, result in carried:
            self._join(argument, self.ranges.get(init))
            self._join(result, self.ranges.get(init))
        self._region(op.regions[0])
        if 0 < rounds <= SIMULATED:
            self._follow(op, rounds, [(argument, given) for _, argument, given, _ in carried])
            for _, _, given, result in carried:
                self._join(result, self.ranges.get(given))

    def _follow(
        self, loop: scf.ForOp, rounds: int, carried: Sequence[tuple[SSAValue, SSAValue]]
    ) -> None:
        """Run the rounds of a loop after the first."""
        again = None
        for _ in range(rounds - 1):
            if not any([self._join(arg, self.ranges.get(given)) for arg, given in carried]):
                return
            if again is None:
                again = _depending(loop.block, {argument for argument, _ in carried})
            for op in again:
                self._visit(op)

    def _while(self, op: Operation) -> None:
        for values in (op.results, *(block.args for r in op.regions for block in r.blocks)):
            self._unknown(values)
        for region in op.regions:
            self._region(region)

    def _branch(self, op: Operation) -> None:
        given = iter(op.operands if isinstance(op, cf.BranchOp) else op.operands[1:])
        for target in op.successors:
            for argument, value in zip(target.args, given, strict=False):
                self._join(argument, self.ranges.get(value))

    def _call(self, op: Operation) -> None:
        assert isinstance(op, tt.CallOp)
        name = op.callee.string_value()
        function = self._functions.get(name)
        if function is None or function.is_public or function in self._running:
            self._unknown(op.results)
            return
        first = name not in self._returned
        self._returned.setdefault(name, [])
        arguments = zip(_arguments(function), op.operands, strict=True)
        if any([self._join(arg, self._operand(given, op)) for arg, given in arguments]) or first:
            self._grown = True
            self._function(function)
        for result, returned in zip(op.results, self._returned[name], strict=False):
            self._join(result, returned)

    def _return(self, op: Operation) -> None:
        known = self._returned[self._running[-1].sym_name.data]
        known += [None] * (len(op.operands) - len(known))
        for index, value in enumerate(op.operands):
            more, old = self.ranges.get(value), known[index]
            joined = more if old is None or more is None else old.union(more)
            if joined is not None and joined != old:
                known[index] = joined
                self._grown = True


_SPECIAL = {
    scf.IfOp: Walk._if,
    scf.ForOp: Walk._for,
    scf.WhileOp: Walk._while,
    cf.BranchOp: Walk._branch,
    cf.CondBranchOp: Walk._branch,
    tt.CallOp: Walk._call,
    tt.ReturnOp: Walk._return,
}


def _arguments(function: tt.FuncOp) -> Sequence[SSAValue]:
    entry = function.body.blocks.first
    return () if entry is None else entry.args


def _predecessors(block: Block) -> set[Block]:
    region = block.parent
    assert region is not None
    return {
        other
        for other in region.blocks
        if other.last_op is not None and block in other.last_op.successors
    }


def _depending(block: Block, touched: set[SSAValue]) -> list[Operation]:
    """Return the operations of a block whose numbers depend on some values, in order."""
    found: list[Operation] = []
    for op in block.ops:
        reads = any(operand in touched for operand in op.operands)
        if not reads and op.regions:
            reads = any(operand in touched for inner in op.walk() for operand in inner.operands)
        if reads:
            found.append(op)
            touched.update(result for result in op.results if width_of(result.type) is not None)
    return found
