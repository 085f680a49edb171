"""Reduce several rows across lanes by recursive halving: each step halves the rows per lane.

By hand, four rows a, b, c, d, of which each of 4 lanes holds a partial. Butterflies take two
shuffles per row, eight in all, and every lane computes the same. Instead, a lane keeps half of its
rows, sends the other half to its partner, and receives the partner's partials of the half it keeps:

    step 1    lanes 0, 2 keep a, b and send c, d; lanes 1, 3 keep c, d        two shuffles
    step 2    lanes 0, 1 keep their first row, lanes 2, 3 their second        one shuffle

Then lane 0 has a, lane 1 has c, lane 2 has b, lane 3 has d. If all lanes need all rows, one shuffle
per row broadcasts them. Rows are combined in the order of butterflies, so sums of floats are
bitwise the same. (Reduce-scatter and all-gather of message passing, within a warp.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.lane_exchange import shuffle_value

__all__ = ["RecursiveHalving"]

Values = tuple[str, ...]


class RecursiveHalving(Struct, frozen=True):
    """Rows that the lanes of a warp divide among them.

    Attributes:
        ctx: State of the function.
        registers: First register of each row; a power of two of rows.
        bits: Lane bits, in the order of the steps.
        types: LLVM types of the values of a row.
        combine: Combines two partials of a row.
    """

    ctx: LoweringContext
    registers: tuple[int, ...]
    bits: tuple[int, ...]
    types: tuple[str, ...]
    combine: Callable[[Values, Values], Values]

    def folded(self, rows: Mapping[int, Values]) -> dict[int, Values]:
        """Reduce the rows; return those of lane 0, in whose registers other lanes hold theirs.

        Args:
            rows: By register.
        """
        values = [rows[register] for register in self.registers]
        for bit in self.bits:
            half = len(values) // 2
            odd = self.ctx.threads.any_bit_set("lane", 1 << bit)
            values = [
                self._step(bit, odd, *pair)
                for pair in zip(values[:half], values[half:], strict=True)
            ]
        return dict(zip(self.registers, values, strict=False))

    def _step(self, bit: int, odd: str, first: Values, second: Values) -> Values:
        w, own, others = self.ctx.writer, [], []
        for type_, a, b in zip(self.types, first, second, strict=True):
            own.append(w.value(f"select i1 {odd}, {type_} {b}, {type_} {a}"))
            sent = w.value(f"select i1 {odd}, {type_} {a}, {type_} {b}")
            move = lambda word: self.ctx.hardware.lanes.shuffle_xor(w, word, 1 << bit)  # noqa: E731
            others.append(shuffle_value(w, type_, sent, move))
        return self.combine(tuple(own), tuple(others))

    def unfolded(self, rows: Mapping[int, Values]) -> dict[int, Values]:
        """Broadcast every lane's rows, so that all lanes hold all rows."""
        if not self.bits:
            return dict(rows)
        w, mask = self.ctx.writer, sum(1 << bit for bit in self.bits)
        rows_per_lane = len(self.registers) >> len(self.bits)
        table = {}
        for index, register in enumerate(self.registers):
            holder = sum(
                1 << bit for n, bit in enumerate(self.bits) if index & len(self.registers) >> n + 1
            )
            take = lambda word, lane=holder: (  # noqa: E731
                self.ctx.hardware.lanes.shuffle_within(w, word, mask, lane)
            )
            values = rows[self.registers[index % rows_per_lane]]
            table[register] = tuple(
                shuffle_value(w, type_, value, take)
                for type_, value in zip(self.types, values, strict=True)
            )
        return table
