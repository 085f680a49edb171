"""Data movement between the lanes of a warp."""

from __future__ import annotations

from typing import Protocol

from weft.codegen.llvm.writer import Writer

__all__ = ["Lanes"]


class Lanes(Protocol):
    """Shuffles, votes and reductions of a warp; each method writes instructions on i32."""

    def shuffle_xor(self, writer: Writer, value: str, mask: int) -> str:
        """Read `value` of lane `lane ^ mask`."""
        ...

    def shuffle_index(self, writer: Writer, value: str, lane: str) -> str:
        """Read `value` of a lane given by its number, an i32."""
        ...

    def shuffle_within(self, writer: Writer, value: str, mask: int, bits: int) -> str:
        """Read `value` of lane `lane & ~mask | bits`."""
        ...

    def swap(self, writer: Writer, distance: int, a: str, b: str) -> tuple[str, str]:
        """Exchange `a` of the lanes with bit `distance` set for `b` of the lanes without it.

        Raises:
            CodegenError: The chip has no such instruction.
        """
        ...

    @property
    def shuffles_any_lane(self) -> bool:
        """Whether a shuffle from any lane costs the same as one from a neighbour."""
        ...

    def is_one_instruction(self, distance: int) -> bool:
        """Check whether `shuffle_xor` by a distance is one instruction without an address."""
        ...

    @property
    def row_lanes(self) -> int:
        """The number of lanes that vector instructions move values among: a warp, or a DPP row.

        A value that a row has in common is read into a scalar register.
        """
        ...

    def uniform_condition(self, writer: Writer, condition: str) -> str:
        """Mark an i1 that is the same in all lanes, in a form that the compiler recognises."""
        ...

    def reduce_warp(self, writer: Writer, operation: str, type_: str, value: str) -> str:
        """Reduce a value over all lanes of a warp by one instruction; "" if there is none.

        Args:
            writer: Where to write.
            operation: Name of the operation in the IR, such as arith.addi.
            type_: LLVM type.
            value: Of this lane.
        """
        ...
