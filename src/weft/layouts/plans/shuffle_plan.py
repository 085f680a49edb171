"""Conversions within a warp: rounds in which every lane publishes and takes one value.

Let X(r, l) = (Xr, Xl) be the register and lane of the source that hold what register r of lane l
needs. In the round c, lane l fills register d(l) ^ c, and takes it from lane Xl(d(l) ^ c, l). That
works if lanes which take from one lane want the same register of it: on the points (d(l), l),
whatever Xl sends to 0, Xr must send to 0 too. A linear d with this property is found by growing:

    while some l has Xl(d(l), l) = 0 and Xr(d(l), l) != 0:
        let d of one bit of l step by a register r whose Xl(r) no lane reaches yet

A d with Xl(d(l), l) = l is tried first: then some rounds need no shuffle at all. Otherwise each
step raises the rank of l -> Xl(d(l), l), and a register to step by is there as long as the
target has no fewer registers than the source; 2 x 2 transposed over 2 lanes needs d(1) = 1:

    round 0: lane 0 fills r0 from lane 0's r0, lane 1 fills r1 from lane 1's r1
    round 1: lane 0 fills r1 from lane 1's r0, lane 1 fills r0 from lane 0's r1

Elements of less than 32 bits travel together where they stay together. Where no d exists, every
register that is wanted is published in turn, and each lane keeps what it needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.layouts import gf2
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.plans.cost import Cost

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Round", "ShufflePlan", "shuffle_plan"]


@dataclass(frozen=True, slots=True)
class Round:
    """Say for one warp what each lane does in one round.

    Fields, each by lane: publishes: the registers of the source that it offers.  takes: the lane
    from which it reads.  fills: the registers of the target that it fills; () where it keeps
    nothing of this round.
    """

    publishes: tuple[tuple[int, ...], ...]
    takes: tuple[int, ...]
    fills: tuple[tuple[int, ...], ...]

    @property
    def exchanges(self) -> bool:
        """Return whether any lane takes from another."""
        return any(lane != place for lane, place in enumerate(self.takes))


@dataclass(frozen=True, slots=True)
class ShufflePlan:
    """Exchange registers between the lanes of each warp.

    Fields: source, target: the layouts.  element_bits.  rounds: of each warp, as many for all.
    straight: whether what a lane offers and fills is linear in the lane.
    """

    source: LinearLayout
    target: LinearLayout
    element_bits: int
    rounds: tuple[tuple[Round, ...], ...]
    straight: bool

    @property
    def kind(self) -> str:
        """Return "shuffle"."""
        return "shuffle"

    @property
    def cost(self) -> Cost:
        """Return the work of the warp that has most of it."""
        words = max(1, self.element_bits // 32)
        return Cost(
            shuffles=max(sum(r.exchanges for r in warp) for warp in self.rounds) * words,
            selects=max(sum(map(self._selects, warp)) for warp in self.rounds) * words,
        )

    def _selects(self, one: Round) -> int:
        """Return the choices by lane of a round: of what to offer, and of what to fill.

        Where these are linear, all registers of a thread are put in place together, in as many
        stages as bits of the lane decide.
        """
        counts = len(set(one.publishes)), len({fills for fills in one.fills if fills})
        return sum((n - 1).bit_length() if self.straight else n - 1 for n in counts)

    def execute(self, values: np.ndarray) -> np.ndarray:
        """Return the target's values, [register, lane, warp, block], from the source's."""
        import numpy as np

        out = np.empty((self.target.in_size("register"), *values.shape[1:]), values.dtype)
        for warp, rounds in enumerate(self.rounds):
            for one in rounds:
                offered = [values[list(r), lane, warp] for lane, r in enumerate(one.publishes)]
                for lane, (place, fills) in enumerate(zip(one.takes, one.fills, strict=True)):
                    if fills:
                        out[list(fills), lane, warp] = offered[place]
        return out


def shuffle_plan(
    source: LinearLayout, target: LinearLayout, places: LinearLayout, element_bits: int
) -> ShufflePlan:
    """Return the rounds for X = places, which leaves warp and block alone.

    Args: source, target: without registers that repeat.  element_bits: of an element.
    """
    packed = _packed(places, max(1, 32 // element_bits))
    steps = _steps(places)
    warps = range(target.in_size("warp"))
    rounds = tuple(
        tuple(_straight(places, packed, steps, warp))
        if steps is not None
        else tuple(_in_turn(places, packed, warp))
        for warp in warps
    )
    return ShufflePlan(source, target, element_bits, rounds, steps is not None)


def _packed(places: LinearLayout, most: int) -> list[int]:
    """Return bits of the target's register that move by registers alone: they travel together."""
    limit = places.out_size("register")
    bits = [b for b, image in enumerate(places.images("register")) if 0 < image < limit]
    return bits[: most.bit_length() - 1]


def _steps(places: LinearLayout) -> list[int] | None:
    """Return d as one vector of register bits per lane bit, None if there is none."""
    shift = places.out_shifts["lane"]
    registers = list(places.images("register"))
    aligned = _aligned_steps(places)
    if aligned is not None:
        return aligned
    own = places.out_size("register") * places.out_size("lane") - 1
    points = [v & own for v in places.images("lane")]
    steps = [0] * len(points)
    while True:
        lanes = [(v >> shift) & (places.out_size("lane") - 1) for v in points]
        wrong = _kernel_that_moves(points, lanes, places.out_size("register") - 1)
        if wrong is None:
            return steps
        step = _fresh(registers, lanes, shift, places.out_size("lane") - 1)
        if step is None:
            return None
        bit = wrong.bit_length() - 1
        steps[bit] ^= 1 << step
        points[bit] ^= registers[step]


def _aligned_steps(places: LinearLayout) -> list[int] | None:
    """Return d with Xl(d(l), l) = l, None if there is none.

    Then lane l takes from l ^ Xl(c) in round c: every lane from another one, and in the rounds
    with Xl(c) = 0 from itself, which needs no shuffle.
    """
    shift, mask = places.out_shifts["lane"], places.out_size("lane") - 1
    moves = [(v >> shift) & mask for v in places.images("register")]
    wanted = [1 << b ^ ((v >> shift) & mask) for b, v in enumerate(places.images("lane"))]
    return gf2.solve(moves, wanted)


def _kernel_that_moves(points: list[int], lanes: list[int], register_mask: int) -> int | None:
    """Return a combination of lane bits that reads one lane, but different registers of it."""
    solved: dict[int, tuple[int, int, int]] = {}
    for bit, (point, lane) in enumerate(zip(points, lanes, strict=True)):
        combination, register = 1 << bit, point & register_mask
        while lane and (top := lane.bit_length()) in solved:
            other, other_combination, other_register = solved[top]
            lane ^= other
            combination ^= other_combination
            register ^= other_register
        if lane:
            solved[lane.bit_length()] = (lane, combination, register)
        elif register:
            return combination
    return None


def _fresh(registers: list[int], lanes: list[int], shift: int, mask: int) -> int | None:
    """Return a register bit whose lane the lanes do not reach yet."""
    rank = gf2.rank(lanes)
    for bit, image in enumerate(registers):
        if gf2.rank([*lanes, (image >> shift) & mask]) > rank:
            return bit
    return None


def _spread(bits: list[int]) -> list[int]:
    """Return all sums of the vectors."""
    out = [0]
    for bit in bits:
        out += [value ^ bit for value in out]
    return out


def _registers_left(places: LinearLayout, packed: list[int]) -> list[int]:
    count = len(places.images("register"))
    return _spread([1 << bit for bit in range(count) if bit not in packed])


def _straight(
    places: LinearLayout, packed: list[int], steps: list[int], warp: int
) -> Iterator[Round]:
    """Yield one round for each register of the target, or group of them."""
    table = places.packed_table().reshape([*places.in_dims.values()], order="F")
    size, lanes = places.out_size("register"), places.out_size("lane")
    together = _spread([1 << bit for bit in packed])
    moved = _spread(steps)
    for offset in _registers_left(places, packed):
        takes, wanted, fills = [], {}, []
        for lane in range(places.in_size("lane")):
            first = moved[lane] ^ offset
            fill = tuple(first ^ bit for bit in together)
            source = [int(table[register, lane, warp, 0]) for register in fill]
            place = source[0] // size % lanes
            takes.append(place)
            fills.append(fill)
            wanted[place] = tuple(value % size for value in source)
        publishes = tuple(wanted.get(lane, wanted[takes[0]]) for lane in range(lanes))
        yield Round(publishes, tuple(takes), tuple(fills))


def _in_turn(places: LinearLayout, packed: list[int], warp: int) -> Iterator[Round]:
    """Yield a round for each register of the target and each register that a lane wants for it."""
    table = places.packed_table().reshape([*places.in_dims.values()], order="F")
    size, lanes = places.out_size("register"), places.out_size("lane")
    together = _spread([1 << bit for bit in packed])
    for offset in _registers_left(places, packed):
        fill = tuple(offset ^ bit for bit in together)
        sources = table[list(fill), :, warp, 0]
        wanted = [tuple(int(v) % size for v in column) for column in sources.T]
        takes = tuple(int(v) // size % lanes for v in sources[0])
        for offer in dict.fromkeys(wanted):
            kept = tuple(fill if own == offer else () for own in wanted)
            yield Round((offer,) * lanes, takes, kept)
