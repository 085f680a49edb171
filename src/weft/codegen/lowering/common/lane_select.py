"""Select a register by lane and warp: a tree of selects on bits of the thread's index.

    lane      0 1 2 3 4 5 6 7
    selects   a b a b c d c d    →    bit 2 ? (bit 0 ? d : c) : (bit 0 ? b : a)

Equal halves of the table need no select (bit 1 above), and common subtrees are written once: eight
registers rotated by the lane are three stages of eight selects. Selecting among 64 registers takes
63 selects, but only six conditions; a comparison per register would take 63 predicates, more than
a chip has.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from weft.codegen.lowering.common.context import LoweringContext

__all__ = ["LaneSelect"]


class LaneSelect(Struct):
    """Writes selects among values of one type; equal selects are written once.

    Attributes:
        ctx: State of the function.
        type_: LLVM type of the values.
        selects: The results of selects, by the values that they select among.
    """

    ctx: LoweringContext
    type_: str
    selects: dict[tuple[str, ...], str] = field(default_factory=dict)

    def choose(self, table: Sequence[Sequence[str]]) -> str:
        """Select a value by the thread's lane and warp.

        Args:
            table: One value per warp and lane.
        """
        names = [("lane", 1 << bit) for bit in range((len(table[0]) - 1).bit_length())]
        names += [("warp", 1 << bit) for bit in range((len(table) - 1).bit_length())]
        return self._among(tuple(value for warp in table for value in warp), names)

    def _among(self, values: tuple[str, ...], names: Sequence[tuple[str, int]]) -> str:
        """Select among values whose index has the given bits of lane and warp."""
        half = len(values) // 2
        if not half:
            return values[0]
        *names, (name, mask) = names
        below, above = values[:half], values[half:]
        if below == above:
            return self._among(below, names)
        if values not in self.selects:
            low, high = self._among(below, names), self._among(above, names)
            condition = self.ctx.threads.any_bit_set(name, mask)
            text = f"select i1 {condition}, {self.type_} {high}, {self.type_} {low}"
            self.selects[values] = self.ctx.writer.value(text)
        return self.selects[values]
