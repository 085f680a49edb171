"""The axis info of the values of one function, by sparse dataflow analysis.

    scf.for %i = %c0 to %n step %c64 iter_args(%o = %zero) {     %i: divisibility 64
      %next = arith.addi %o, %c64                                %o: 0 at first, then 64, 128 …
      scf.yield %next                                            so divisibility 64
    }

The induction variable counts from the lower bound in steps, so what divides both divides it.
Code behind a condition that is constant and false does not run: nothing is known of its values.
Regions of reductions and scans run on elements, not on tensors; their values are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from typing_extensions import override

from weft.analysis.axis_info import arithmetic, comparison, tensor_operations
from weft.analysis.axis_info.hint_attributes import with_hints
from weft.analysis.axis_info.lattice import AxisInfo, join, rank_of, unknown
from weft.analysis.constant_propagation import possible_edges
from weft.analysis.dataflow import Edge, SparseForwardAnalysis
from weft.ir import tt
from weft.ir.builtin import Operation, OpResult, Region, SSAValue
from weft.ir.interfaces import LoopLikeOpInterface
from weft.ir.operation import operands_of

__all__ = ["AxisInfoAnalysis"]

_TRANSFER_FUNCTIONS = {
    **arithmetic.TRANSFER_FUNCTIONS,
    **comparison.TRANSFER_FUNCTIONS,
    **tensor_operations.TRANSFER_FUNCTIONS,
}


class AxisInfoAnalysis(SparseForwardAnalysis[AxisInfo]):
    """The axis info of each value of the functions that it runs on."""

    def __init__(self) -> None:
        super().__init__()
        self._has_excluded_edges = False

    @override
    def join(self, first: AxisInfo, second: AxisInfo) -> AxisInfo:
        return join(first, second)

    @override
    def entry_state(self, value: SSAValue) -> AxisInfo:
        info = unknown(rank_of(value.type))
        return with_hints(info, value.op.attributes) if isinstance(value, OpResult) else info

    def run_function(self, function: tt.FuncOp, arguments: Sequence[AxisInfo]) -> None:
        """Analyse the body of a function, given the axis info of its arguments."""
        self.states.update(zip(function.entry.args, arguments, strict=True))
        self.enter(function)
        self.solve()
        if self._has_excluded_edges:
            self._set_unreached(function.body)

    def _set_unreached(self, region: Region) -> None:
        """Set the values in code that cannot run to the pessimistic element."""
        for block in region.blocks:
            is_live = self.is_live(block)
            if not is_live:
                self.set_to_entry_state(block.args)
            for op in block.ops:
                if not is_live:
                    self.set_to_entry_state(op.results)
                if not isinstance(op, tt.ElementRegionOp):
                    for inner in op.regions:
                        self._set_unreached(inner)

    @override
    def visit_operation(self, op: Operation) -> None:
        transfer = _TRANSFER_FUNCTIONS.get(type(op))
        if transfer is None:
            self.set_to_entry_state(op.results)
            return
        infos: list[AxisInfo] = []
        for operand in operands_of(op):
            info = self.states.get(operand)
            if info is None:
                return  # visited again once the operand has a state
            infos.append(info)
        self.update(op.results[0], with_hints(transfer(op, infos), op.attributes))

    @override
    def live_edges(self, op: Operation, edges: Sequence[Edge]) -> Sequence[Edge]:
        if isinstance(op, tt.ElementRegionOp):
            self.set_to_entry_state(op.results)
            return ()
        possible = possible_edges(op, edges, self._possible_conditions)
        self._has_excluded_edges |= len(possible) < len(edges)
        return possible

    def _possible_conditions(self, condition: SSAValue) -> tuple[bool, ...]:
        """List the values that a condition may have: none while it is uninitialized."""
        info = self.states.get(condition)
        if info is None:
            return ()
        return (True, False) if info.constant is None else (bool(info.constant),)

    @override
    def argument_state(self, op: Operation, argument: SSAValue) -> AxisInfo | None:
        if not isinstance(op, LoopLikeOpInterface) or op.bounds is None:
            return self.entry_state(argument)
        lower, step = (self.states.get(bound) for bound in (op.bounds.lower, op.bounds.step))
        if lower is None or step is None:
            return None
        return AxisInfo((1,), (gcd(lower.divisibility[0], step.divisibility[0]),), (1,))
