"""Sparse conditional constant propagation: the constants of a module and the code that can run.

    %t = scf.if %true -> (i32) {         the else region cannot run,
      scf.yield %c2                      so %t is 2
    } else {
      scf.yield %n
    }
    scf.for … iter_args(%a = %c2) {      %a: 2 at first;
      %b = arith.addi %a, %c0            %b folds to 2, so
      scf.yield %b                       %a stays 2 after each iteration
    }

The lattice has three levels: uninitialized (nothing that runs has computed the value), one
constant, and unknown. An edge that the condition of its source excludes is not followed. Constants
and live code are found together: each lets the other be found, so the result is better than that
of the two analyses in turn.

Folds read constants off the operations that define their operands. So an operation with operands
that are known to be constant is folded as a copy, which reads constants made for the purpose.

Source: Wegman and Zadeck, Constant Propagation with Conditional Branches, 1991.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from typing_extensions import override

from weft.analysis.dataflow import Edge, SparseForwardAnalysis
from weft.ir import cf, scf
from weft.ir.arith import ConstantOp
from weft.ir.attributes import number
from weft.ir.builtin import Attribute, Operation, OpResult, SSAValue
from weft.ir.constants import is_constant
from weft.ir.folding import IN_PLACE, Fold, Folded
from weft.ir.folds import FOLDS
from weft.ir.interfaces import RegionEdge
from weft.ir.scf.trip_count import trip_count

__all__ = ["Constant", "ConstantPropagation", "possible_edges"]


class Constant(Struct, frozen=True):
    """A lattice element: one constant.

    Attributes:
        op_class: The class of the operation that makes it: a constant or poison.
        value: Its attribute; poison has the same one for all types.
    """

    op_class: type[Operation]
    value: Attribute

    @staticmethod
    def of(op: Operation) -> Constant:
        """Read the element off a constant operation."""
        return Constant(type(op), op.properties["value"])

    def materialize(self, type_: Attribute) -> Operation:
        """Create a detached constant operation."""
        return self.op_class.create(result_types=[type_], properties={"value": self.value})


class _Unknown:
    """The lattice element of a value that is not known to be one constant."""


_UNKNOWN = _Unknown()


class ConstantPropagation(SparseForwardAnalysis[Constant | _Unknown]):
    """The constants of a module; `run` finds them.

    Args:
        folds: The fold of each class of operation that has one.
    """

    def __init__(self, folds: Mapping[type[Operation], Fold] = FOLDS) -> None:
        super().__init__()
        self._folds = folds

    def constant(self, value: SSAValue) -> Constant | None:
        """Find the constant that a value always is, None if there is none."""
        state = self.states.get(value)
        return state if isinstance(state, Constant) else None

    @override
    def join(self, first: Constant | _Unknown, second: Constant | _Unknown) -> Constant | _Unknown:
        return first if first == second else _UNKNOWN

    @override
    def entry_state(self, value: SSAValue) -> _Unknown:
        return _UNKNOWN

    # ------------------------------------------------------------------------------ live code

    @override
    def live_edges(self, op: Operation, edges: Sequence[Edge]) -> Sequence[Edge]:
        return possible_edges(op, edges, self._possible_conditions)

    def _possible_conditions(self, condition: SSAValue) -> tuple[bool, ...]:
        """List the values that a condition may have: none while it is uninitialized."""
        state = self.states.get(condition)
        if state is None:
            return ()
        known = number(state.value) if isinstance(state, Constant) else None
        return (True, False) if known is None else (bool(known),)

    # ---------------------------------------------------------------------------------- folding

    @override
    def visit_operation(self, op: Operation) -> None:
        if is_constant(op):
            self.update(op.results[0], Constant.of(op))
        elif op.regions:
            for region in op.regions:
                self.start(region)
            self.set_to_entry_state(op.results)
        elif op.results:
            self._fold(op)

    def _fold(self, op: Operation) -> None:
        states = [self.states.get(operand) for operand in op.operands]
        if any(state is None for state in states):
            return  # visited again once all operands have a state
        fold = self._folds.get(type(op))
        if fold is None:
            self.set_to_entry_state(op.results)
            return
        constants = [
            state.materialize(operand.type) if isinstance(state, Constant) else None
            for state, operand in zip(states, op.operands, strict=True)
        ]
        if any(constant is not None for constant in constants):
            self._fold_copy(op, fold, constants)
        else:
            self._fold_itself(op, fold)

    def _fold_itself(self, op: Operation, fold: Fold) -> None:
        """Fold an operation without constant operands; what the fold does in place is undone."""
        operands, properties = tuple(op.operands), dict(op.properties)
        folded = fold(op)
        if folded is IN_PLACE:
            op.operands, op.properties = operands, properties
        self._update_results(op, folded)

    def _fold_copy(self, op: Operation, fold: Fold, constants: Sequence[Operation | None]) -> None:
        """Fold a copy of an operation that reads constants where operands are known."""
        copy = type(op).create(
            operands=[
                operand if constant is None else constant.results[0]
                for operand, constant in zip(op.operands, constants, strict=True)
            ],
            result_types=[result.type for result in op.results],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        self._update_results(op, fold(copy))
        copy.erase(safe_erase=False)
        for constant in constants:
            if constant is not None:
                constant.erase(safe_erase=False)

    def _update_results(self, op: Operation, folded: Folded) -> None:
        if isinstance(folded, Attribute | SSAValue):
            folded = (folded,)
        if isinstance(folded, Sequence):
            for replacement, result in zip(folded, op.results, strict=True):
                self.update(result, self._state_of(replacement))
        else:  # not folded, or changed in place
            self.set_to_entry_state(op.results)

    def _state_of(self, replacement: Attribute | SSAValue) -> Constant | _Unknown:
        """Compute the element of an attribute or value that a fold returns for a result."""
        if isinstance(replacement, Attribute):
            return Constant(ConstantOp, replacement)
        if isinstance(replacement, OpResult) and replacement.op.parent is None:
            return Constant.of(replacement.op)  # one of the constants made for the copy
        return self.constant(replacement) or _UNKNOWN


def possible_edges(
    op: Operation, edges: Sequence[Edge], conditions: Callable[[SSAValue], tuple[bool, ...]]
) -> Sequence[Edge]:
    """Select the edges out of an operation that a condition or the number of iterations allows.

    Args:
        op: A branch, region operation or terminator.
        edges: The edges out of it.
        conditions: Lists the values that a condition may have.
    """
    if isinstance(op, cf.CondBranchOp | scf.IfOp | scf.ConditionOp):
        # All three list the edge for a true condition first.
        return [edges[0 if truth else 1] for truth in conditions(op.condition)]
    if isinstance(op, scf.ForOp):
        # No iteration: past the loop. At least one: into it.
        trips = trip_count(op)
        return [edge for edge in edges if trips is None or (trips == 0) == _leaves(edge)]
    if isinstance(op, scf.YieldOp) and isinstance(loop := op.parent_op(), scf.ForOp):
        one_iteration = trip_count(loop) == 1
        return [edge for edge in edges if not one_iteration or _leaves(edge)]
    return edges


def _leaves(edge: Edge) -> bool:
    """Check whether an edge leads out of a region operation."""
    return isinstance(edge, RegionEdge) and edge.region is None
