"""Evaluate masks for the arguments of a launch: the part of the lanes that is active.

%column = tt.make_range {end = 2048, start = 0}
%inside = arith.cmpi slt, %column, splat(%n)         1000 of 2048 lanes for n = 1000

The program is one in the middle of the grid, a loop in its first iteration. Lanes whose mask
depends on memory, or on anything else that is not known, count as active.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import BlockArgument, Operation, SSAValue

from weft.explain.loop_iterations import argument_name
from weft.ir import arith, scf, tt, ttg, types
from weft.ir.constants import constant_attribute, integer_value
from weft.ir.enums import CmpIPredicate, ProgramDim
from weft.ir.rewriting import defining_op

__all__ = ["ActiveLanes"]

_Values: TypeAlias = "NDArray[Any]"

_BINARY: Mapping[type[Operation], Callable[[_Values, _Values], _Values]] = {
    arith.AddIOp: np.add,
    arith.SubIOp: np.subtract,
    arith.MulIOp: np.multiply,
    arith.AndIOp: np.bitwise_and,
    arith.OrIOp: np.bitwise_or,
    arith.XOrIOp: np.bitwise_xor,
    arith.MinSIOp: np.minimum,
    arith.MaxSIOp: np.maximum,
}
_DIVISIONS: Mapping[type[Operation], Callable[[_Values, _Values], _Values]] = {
    arith.DivSIOp: lambda a, b: np.floor_divide(a - np.fmod(a, b), b),  # rounds toward zero
    arith.DivUIOp: np.floor_divide,
    arith.RemSIOp: np.fmod,
    arith.RemUIOp: np.fmod,
}
_UNSIGNED = (arith.DivUIOp, arith.RemUIOp)
_COMPARISONS: Mapping[str, Callable[[_Values, _Values], _Values]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "slt": np.less,
    "ult": np.less,
    "sle": np.less_equal,
    "ule": np.less_equal,
    "sgt": np.greater,
    "ugt": np.greater,
    "sge": np.greater_equal,
    "uge": np.greater_equal,
}
_SAME = (
    arith.ExtSIOp,
    arith.ExtUIOp,
    arith.TruncIOp,
    arith.IndexCastOp,
    ttg.ConvertLayoutOp,
    tt.SplatOp,
    tt.BroadcastOp,
)
"""Operations whose result has the elements of their operand, possibly repeated."""


@dataclass
class ActiveLanes:
    """The active lanes of the accesses of one module.

    Attributes:
        arguments: The integer arguments of the launch, by name.
        grid: The programs along x, y and z.
    """

    arguments: Mapping[str, int]
    grid: tuple[int, int, int]
    _values: dict[SSAValue, _Values | None] = field(
        default_factory=dict[SSAValue, "_Values | None"]
    )

    def share(self, op: Operation) -> float:
        """Compute the part of the elements of an access whose mask is true, 1 without a mask."""
        mask: SSAValue | None = getattr(op, "mask", None)
        values = None if mask is None else self._value(mask)
        return 1.0 if values is None else float(np.mean(values))

    def _value(self, value: SSAValue) -> _Values | None:
        if value not in self._values:
            self._values[value] = None  # a cycle has no value
            self._values[value] = self._evaluate(value)
        return self._values[value]

    def _evaluate(self, value: SSAValue) -> _Values | None:
        constant = integer_value(constant_attribute(value))
        if constant is not None:
            return np.asarray(constant)
        op = defining_op(value)
        if op is None:
            return self._argument(value)
        if isinstance(op, tt.MakeRangeOp):
            (size,) = types.shape(value.type)
            start = integer_value(op.properties["start"]) or 0
            return np.arange(start, start + size)
        if isinstance(op, tt.GetProgramIdOp):
            axis = "xyz".index(ProgramDim.of(op.axis).keyword)
            return np.asarray(self.grid[axis] // 2)
        return self._compute(op, value)

    def _compute(self, op: Operation, value: SSAValue) -> _Values | None:
        operands = [self._value(each) for each in op.operands]
        known = [each for each in operands if each is not None]
        if len(known) < len(operands) or not known:
            return None
        if isinstance(op, tt.ExpandDimsOp):
            return np.reshape(
                np.broadcast_to(known[0], types.shape(op.operands[0].type)),
                types.shape(value.type),
            )
        if isinstance(op, _SAME):
            shape = types.shape(value.type) if types.is_tensor(value.type) else ()
            return np.broadcast_to(known[0], shape)
        if isinstance(op, arith.CmpIOp):
            predicate = CmpIPredicate.of(op.predicate).keyword
            is_unsigned = predicate.startswith("u")
            # The bits of a negative number, as an unsigned one, depend on its type.
            if is_unsigned and any(np.any(each < 0) for each in known):
                return None
            return _COMPARISONS[predicate](*known)
        if isinstance(op, arith.SelectOp):
            return np.where(known[0] != 0, known[1], known[2])
        if type(op) in _DIVISIONS:
            is_negative = isinstance(op, _UNSIGNED) and np.any(known[0] < 0)
            if is_negative or np.any(known[1] <= 0):
                return None
            return _DIVISIONS[type(op)](*known)
        compute = _BINARY.get(type(op))
        return None if compute is None else compute(*known)

    def _argument(self, value: SSAValue) -> _Values | None:
        if not isinstance(value, BlockArgument):
            return None
        parent = value.owner.parent_op()
        if isinstance(parent, tt.FuncOp):
            number = self.arguments.get(argument_name(value))
            return None if number is None else np.asarray(number)
        if isinstance(parent, scf.ForOp) and value is parent.induction_variable:
            return self._value(parent.lower_bound)
        return None
