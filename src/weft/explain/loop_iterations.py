"""Evaluate the bounds of loops for assumed arguments, to compare compiles with other block sizes.

scf.for %k = 0 to (%K + 63) / 64      64 iterations for %K = 4096
scf.for %k = 0 to (%K + 127) / 128    32 iterations: a block of twice the size, half as many

Costs of one compile count a loop without constant bounds as a fixed number of iterations. That is
no measure for two compiles whose blocks differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from xdsl.ir import BlockArgument, Operation, SSAValue

from weft.explain.counts import UNKNOWN_ITERATIONS
from weft.ir import arith, locations, scf, tt
from weft.ir.constants import constant_attribute, integer_value
from weft.ir.rewriting import ancestors, defining_op

__all__ = ["ARGUMENT", "LoopIterations", "argument_name"]

ARGUMENT = 4096
"""The value of every integer argument of which nothing is assumed."""

_PROGRAM, _PROGRAMS = 8, 132  # a program in the middle of a grid for the SMs of an H100

_BINARY: Mapping[type[Operation], Callable[[int, int], int]] = {
    arith.AddIOp: lambda a, b: a + b,
    arith.SubIOp: lambda a, b: a - b,
    arith.MulIOp: lambda a, b: a * b,
    arith.DivSIOp: lambda a, b: a // b if a >= 0 else -(-a // b),  # rounds toward zero
    arith.DivUIOp: lambda a, b: a // b,
    arith.CeilDivSIOp: lambda a, b: -(-a // b),
    arith.RemSIOp: lambda a, b: a % b if a >= 0 else -(-a % b),
    arith.RemUIOp: lambda a, b: a % b,
    arith.MinSIOp: min,
    arith.MinUIOp: min,
    arith.MaxSIOp: max,
    arith.MaxUIOp: max,
}
_DIVISIONS = (arith.DivSIOp, arith.DivUIOp, arith.CeilDivSIOp, arith.RemSIOp, arith.RemUIOp)
_UNSIGNED = (arith.DivUIOp, arith.RemUIOp, arith.MinUIOp, arith.MaxUIOp)
_CASTS = (arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp, arith.IndexCastOp)


@dataclass
class LoopIterations:
    """The iterations of the loops of one module.

    Attributes:
        arguments: Assumed values of arguments, by name.
        is_certain: Whether all loops that were asked for have bounds that can be evaluated.
    """

    arguments: Mapping[str, int] = field(default_factory=dict[str, int])
    is_certain: bool = True
    _values: dict[SSAValue, int | None] = field(default_factory=dict[SSAValue, int | None])
    _loops: dict[Operation, int] = field(default_factory=dict[Operation, int])

    def around(self, op: Operation) -> int:
        """Multiply the iterations of the loops around an operation."""
        product = 1
        for outer in ancestors(op):
            if isinstance(outer, scf.ForOp | scf.WhileOp):
                product *= self.of_loop(outer)
        return product

    def of_loop(self, loop: scf.ForOp | scf.WhileOp) -> int:
        """Compute the iterations of a loop."""
        if loop not in self._loops:
            self._loops[loop] = self._evaluate_loop(loop)
        return self._loops[loop]

    def _evaluate_loop(self, loop: scf.ForOp | scf.WhileOp) -> int:
        bounds = (
            [self._value(each) for each in (loop.lower_bound, loop.upper_bound, loop.step)]
            if isinstance(loop, scf.ForOp)
            else [None]
        )
        if None in bounds:
            self.is_certain = False
            return UNKNOWN_ITERATIONS
        lower, upper, step = (each or 0 for each in bounds)
        # A loop that the assumed arguments leave out still counts once.
        return max(1, -(-(upper - lower) // max(step, 1)))

    def _value(self, value: SSAValue) -> int | None:
        if value not in self._values:
            self._values[value] = None  # a cycle has no value
            self._values[value] = self._evaluate(value)
        return self._values[value]

    def _evaluate(self, value: SSAValue) -> int | None:
        constant = integer_value(constant_attribute(value))
        if constant is not None:
            return constant
        op = defining_op(value)
        if op is None:
            return self._argument(value)
        if isinstance(op, tt.GetProgramIdOp):
            return _PROGRAM
        if isinstance(op, tt.GetNumProgramsOp):
            return _PROGRAMS
        if isinstance(op, _CASTS):
            return self._value(op.operands[0])
        if isinstance(op, arith.SelectOp):
            return self._value(op.operands[1])
        compute = _BINARY.get(type(op))
        if compute is None:
            return None
        left, right = self._value(op.operands[0]), self._value(op.operands[1])
        if left is None or right is None or (isinstance(op, _DIVISIONS) and right <= 0):
            return None
        if isinstance(op, _UNSIGNED) and min(left, right) < 0:
            return None  # the bits of a negative number, as an unsigned one, depend on its type
        return compute(left, right)

    def _argument(self, value: SSAValue) -> int | None:
        if not isinstance(value, BlockArgument) or not isinstance(
            value.owner.parent_op(), tt.FuncOp
        ):
            return None
        return self.arguments.get(argument_name(value), ARGUMENT) if _is_integer(value) else None


def argument_name(value: BlockArgument) -> str:
    """Find the name of an argument of a kernel, "" if it has none."""
    location = value.location
    if isinstance(location, locations.NameLoc):
        return str(location.desc.data)
    return value.name_hint or ""


def _is_integer(value: SSAValue) -> bool:
    return str(value.type) in ("i16", "i32", "i64")
