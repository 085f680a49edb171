"""BranchOpInterface: terminators that branch between the blocks of one region.

    cf.cond_br %c, ^bb1(%x : i32), ^bb2

    successor    operands    inputs
    0  ^bb1      %x          the arguments of ^bb1
    1  ^bb2                  the arguments of ^bb2

Source: MLIR, Interfaces/ControlFlowInterfaces.td.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from msgspec import Struct
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

__all__ = ["BlockEdge", "BranchOpInterface", "incoming_values"]


class BlockEdge(Struct, frozen=True):
    """One branch from a terminator to a block.

    Attributes:
        source: The terminator.
        block: The successor.
        operands: The values for the arguments of `block`, one each.
    """

    source: Operation
    block: Block
    operands: tuple[SSAValue, ...]

    def forwarded(self) -> Iterator[tuple[SSAValue, BlockArgument]]:
        """Yield each (operand, block argument) pair."""
        return zip(self.operands, self.block.args, strict=True)


class BranchOpInterface(Operation, ABC):
    """A terminator with successor blocks."""

    @abstractmethod
    def successor_operands(self, index: int) -> tuple[SSAValue, ...]:
        """List the operands forwarded to the arguments of successor `index`."""

    @abstractmethod
    def set_successor_operands(self, index: int, operands: Sequence[SSAValue]) -> None:
        """Replace the operands forwarded to successor `index`."""

    def successor_for_operands(self, constants: Sequence[Attribute | None]) -> Block | None:
        """Find the only successor that can be taken, None if that is not known.

        Args:
            constants: The constant value of each operand, None where it is unknown.
        """
        return self.successors[0] if len(self.successors) == 1 else None

    def block_edges(self) -> list[BlockEdge]:
        """List the edges to the successors, in their order."""
        return [
            BlockEdge(self, block, self.successor_operands(index))
            for index, block in enumerate(self.successors)
        ]

    def verify_block_edges(self) -> None:
        """Check that each successor gets as many operands as it has arguments, of their types.

        Raises:
            VerifyException: One does not.
        """
        for index, block in enumerate(self.successors):
            operands = self.successor_operands(index)
            if len(operands) != len(block.args):
                raise VerifyException(
                    f"branch has {len(operands)} operands for successor #{index}, but target block "
                    f"has {len(block.args)}"
                )
            for number, (operand, argument) in enumerate(zip(operands, block.args, strict=True)):
                if operand.type != argument.type:
                    raise VerifyException(
                        f"type mismatch for bb argument #{number} of successor #{index}"
                    )


def incoming_values(argument: BlockArgument) -> Iterator[SSAValue]:
    """Yield the value that each branch to the block passes for an argument.

    A block without predecessors, such as the entry block of a function, has none.
    """
    for use in argument.block.uses:
        branch = use.operation
        assert isinstance(branch, BranchOpInterface)
        yield branch.successor_operands(use.index)[argument.index]
