"""The order of partial results in shared memory: vectors first, then lanes, then the rest.

By hand, a 64x64 tile is reduced along dimension 0 by 4 warps. Each thread holds 4 columns of 8
rows, and 16 lanes of a warp hold a row. If slots were numbered by rows and columns, the 4 warps
would come first, and lanes would store 64 bytes apart, 8 of them to the same bank. The order chosen
here is

    bits 0, 1    columns of a thread      one store of 16 bytes for four of its values
    bits 2 – 5   lanes                    16 lanes access neighbouring vectors: no bank conflict
    bits 6, 7    warps that exchange
    bits 8 – 10  rows of a thread

If threads hold too few values to fill a vector, the warps that exchange fill it, so that one load
reads the values of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

__all__ = ["PartialsLayout", "choose_partials_layout"]


class PartialsLayout(Struct, frozen=True):
    """The order of slots in shared memory.

    Attributes:
        numbers: Per coordinate the contribution of each bit to a slot's number, combined by xor.
        parts: Bits of the number in which the warps that exchange differ, the lowest first.
        stored: Slots per store, a power of two.
        loaded: Slots per load, a power of two.
    """

    numbers: Mapping[str, tuple[int, ...]]
    parts: tuple[int, ...]
    stored: int
    loaded: int

    @property
    def parts_mask(self) -> int:
        """Mask of the bits that only the warps that exchange set."""
        return sum(1 << bit for bit in self.parts)

    def number(self, group: int) -> int:
        """Compute the slot offset of a register."""
        total = 0
        for bit, image in enumerate(self.numbers["register"]):
            total ^= image if group >> bit & 1 else 0
        return total

    def part(self, index: int) -> int:
        """Compute the slot offset of one of the warps that exchange."""
        return sum(1 << bit for n, bit in enumerate(self.parts) if index >> n & 1)


def choose_partials_layout(
    numbers: Mapping[str, Sequence[int]], parts: int, widest: int, *, one_part: bool = False
) -> PartialsLayout:
    """Reorder the bits of slot numbers: vectors, lanes, warps that exchange, the rest.

    Args:
        numbers: Per coordinate the contribution of each bit to a number whose lowest bits are the
            warps that exchange.
        parts: Warps that exchange, a power of two.
        widest: Slots that one access can take.
        one_part: Whether a thread loads the partials of one warp only.
    """
    exchange = [1 << bit for bit in range(parts.bit_length() - 1)]
    span = _Basis(exchange)
    lanes = span.extended(numbers["lane"])
    warps = span.extended(numbers["warp"])
    own = span.extended(numbers["register"])
    room = widest.bit_length() - 1
    vector = own[:room]
    more = [] if one_part else exchange[: room - len(vector)]
    columns = [*vector, *more, *lanes, *exchange[len(more) :], *own[room:], *warps]
    order = _Basis(columns)
    return PartialsLayout(
        {name: tuple(map(order.coordinates, images)) for name, images in numbers.items()},
        tuple(columns.index(one) for one in exchange),
        1 << len(vector),
        1 << (len(vector) + len(more)),
    )


class _Basis:
    """An incrementally extended basis over GF(2)."""

    def __init__(self, vectors: Iterable[int]) -> None:
        self.rows: dict[int, tuple[int, int]] = {}  # by highest bit: row, combination
        self.count = 0
        self.extended(vectors)

    def _reduced(self, vector: int) -> tuple[int, int]:
        """Reduce a vector by the rows: the rest, and the combination of rows."""
        combination = 0
        while vector and (row := self.rows.get(vector.bit_length())):
            vector, combination = vector ^ row[0], combination ^ row[1]
        return vector, combination

    def extended(self, vectors: Iterable[int]) -> list[int]:
        """Add the vectors that are independent of the basis, and return them."""
        new = []
        for vector in vectors:
            rest, combination = self._reduced(vector)
            if rest:
                self.rows[rest.bit_length()] = rest, combination | 1 << self.count
                self.count += 1
                new.append(vector)
        return new

    def coordinates(self, vector: int) -> int:
        """Express a vector in the basis, one bit per basis vector in the order of addition."""
        return self._reduced(vector)[1]
