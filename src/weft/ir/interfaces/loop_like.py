"""LoopLikeOpInterface: bounds, induction variable and loop-carried values of a loop.

    %r = scf.for %i = %lb to %ub step %s iter_args(%a = %init) -> (i32) {
      scf.yield %next : i32
    }

    bounds               %lb, %ub, %s
    induction_variable   %i
    init_args            %init        the values before the first iteration
    iter_args            %a           the values in an iteration
    yielded_values       %next        the values for the next iteration
    loop_results         %r           the values after the last iteration

The last four correspond one to one by position. In `scf.while` the results are what
`scf.condition` forwards instead, so its `loop_results` is empty; `RegionBranchOpInterface`, of
which every loop is a case, has the mapping.

Source: MLIR, Interfaces/LoopLikeInterface.td.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

from xdsl.ir import Block, BlockArgument, OpResult, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from weft.ir.interfaces.region_branch import RegionBranchOpInterface

__all__ = ["LoopBounds", "LoopLikeOpInterface"]


class LoopBounds(NamedTuple):
    """The bounds of a counted loop: it runs for lower, lower + step, … below upper.

    Attributes:
        lower: The first value of the induction variable.
        upper: The exclusive upper bound.
        step: The increment.
    """

    lower: SSAValue
    upper: SSAValue
    step: SSAValue


class LoopLikeOpInterface(RegionBranchOpInterface):
    """A loop."""

    @property
    @abstractmethod
    def loop_regions(self) -> tuple[Region, ...]:
        """The regions that every iteration runs."""

    @property
    def bounds(self) -> LoopBounds | None:
        """The bounds and the step, None unless the loop counts."""
        return None

    @property
    def induction_variable(self) -> BlockArgument | None:
        """The block argument that counts, None unless the loop counts."""
        return None

    @property
    @abstractmethod
    def init_args(self) -> tuple[SSAValue, ...]:
        """The operands that the loop-carried values start from."""

    @property
    @abstractmethod
    def iter_args(self) -> tuple[BlockArgument, ...]:
        """The block arguments that hold the loop-carried values."""

    @property
    @abstractmethod
    def yielded_values(self) -> tuple[SSAValue, ...]:
        """The values that an iteration passes to the next one."""

    @property
    @abstractmethod
    def loop_results(self) -> tuple[OpResult, ...]:
        """The results that hold the loop-carried values afterwards; empty if none correspond."""

    def verify_loop_carried_values(self) -> None:
        """Check that initial values, iter_args, yielded values and results correspond.

        Raises:
            VerifyException: Their numbers or types differ.
        """
        inits, arguments, results = self.init_args, self.iter_args, self.results
        if not len(inits) == len(arguments) == len(results):
            raise VerifyException("mismatch in number of loop-carried values and defined values")
        for index, (init, argument) in enumerate(zip(inits, arguments, strict=True)):
            if init.type != argument.type:
                raise VerifyException(
                    f"{index}-th init and {index}-th region iter_arg have different type: "
                    f"'{init.type}' != '{argument.type}'"
                )
        for index, (argument, result) in enumerate(zip(arguments, results, strict=True)):
            if argument.type != result.type:
                raise VerifyException(
                    f"{index}-th region iter_arg and {index}-th loop result have different type: "
                    f"'{argument.type}' != '{result.type}'"
                )
        for index, (argument, value) in enumerate(
            zip(arguments, self.yielded_values, strict=False)
        ):
            if argument.type != value.type:
                raise VerifyException(
                    f"{index}-th region iter_arg and {index}-th yielded value have different type: "
                    f"'{argument.type}' != '{value.type}'"
                )
        self.verify_region_edges()

    def iter_arg_index(self, value: SSAValue) -> int | None:
        """Find the position of a value among `iter_args`, None if it is none of them."""
        arguments = self.iter_args
        return arguments.index(value) if value in arguments else None

    def is_defined_outside(self, value: SSAValue) -> bool:
        """Check whether a value is defined outside the loop, so that no iteration changes it."""
        block: Block | None = value.owner if isinstance(value.owner, Block) else value.owner.parent
        while block is not None:
            region = block.parent
            if region is None:
                return True
            if region.parent is self:
                return False
            block = None if region.parent is None else region.parent.parent
        return True
