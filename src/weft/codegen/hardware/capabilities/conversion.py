"""Conversions between float types by instructions of the chip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from weft.codegen.llvm.writer import Writer
from weft.targets import float_conversions

__all__ = ["Conversion"]


class Conversion(Protocol):
    """Conversions of several elements at once; each method writes instructions."""

    @property
    def pairs_by_llvm(self) -> bool:
        """Whether LLVM rounds two floats at once where their halves meet in a register.

        Otherwise only `fptrunc <2 x float>` becomes such an instruction.
        """
        ...

    def convert_packed(
        self,
        writer: Writer,
        row: float_conversions.Conversion,
        values: Sequence[str],
        scale: str = "",
    ) -> list[str]:
        """Convert floats by one kind of instruction.

        Args:
            writer: Where to write.
            row: The instruction, from the chip's facts.
            values: An i8 for a float of 8 bits, or for two fp4, the lower half first.
            scale: Of all values, if the instruction takes one; "" for 1.
        """
        ...

    def enable_saturation(self, prologue: Writer) -> None:
        """Make conversions to 8-bit floats saturate.

        Args:
            prologue: Writer of the function's first block, where modes of the chip are set.
        """
        ...

    def bf16_to_f32(self, writer: Writer, value: str) -> str:
        """Convert a bfloat to a float."""
        ...

    def f32_to_f16_rtz(self, writer: Writer, values: Sequence[str]) -> list[str]:
        """Convert floats to halves, rounded towards zero."""
        ...

    def permute_bytes(self, writer: Writer, low: str, high: str, selection: Sequence[int]) -> str:
        """Select four bytes of two i32: 0 to 3 are bytes of `low`, 4 to 7 of `high`."""
        ...

    def fp4_to_16_bits(self, writer: Writer, word: str, table: int) -> list[str]:
        """Convert the eight fp4 of an i32 to four i32 of two 16-bit floats.

        Args:
            writer: Where to write.
            word: The i32.
            table: The 16-bit floats of 0, 0.5, 1, 1.5, 2, 3, 4 and 6, the first in the lowest bits.
        """
        ...
