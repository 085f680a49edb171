"""Conversions within a warp by rounds of shuffles: every lane offers one value and takes one.

Let X(r, l) = (Xr, Xl) be the register and the lane of the source that hold what register r of lane
l needs. In round c, lane l fills register d(l) ^ c and takes it from lane Xl(d(l) ^ c, l), for a
linear map d from lanes to registers. A lane offers only one register in a round, so lanes that
take from the same lane must need the same register of it. As everything is linear, this holds if

    whenever Xl(d(l), l) = 0, also Xr(d(l), l) = 0

With d = 0 it usually fails. By hand, for a 2x2 tile over two lanes that is transposed,

    source    lane l holds row l       register r of it is column r
    target    lane l holds column l    register r of it is row r        X(r, l) = (l, r)

and d = 0, round 0 has both lanes fill register 0 from lane 0: lane 0 needs its register 0, lane 1
its register 1. With d(1) = 1 it works:

    round 0: lane 0 fills r0 from lane 0's r0, lane 1 fills r1 from lane 1's r1
    round 1: lane 0 fills r1 from lane 1's r0, lane 1 fills r0 from lane 0's r1

Two d are tried, and the cheaper plan is taken. One has Xl(d(l), l) = l, as here: its rounds with
Xl(c, 0) = 0 need no shuffle at all, but d != 0 needs selections of what each lane fills. The other
d is grown from 0, and needs none if 0 will do, as where every lane gets all values of a row:

    while some l has Xl(d(l), l) = 0 and Xr(d(l), l) != 0:
        add to d, for one bit of l, a register r whose lane Xl(r, 0) the lanes do not reach yet

Each step raises the rank of l -> Xl(d(l), l), so the loop ends. There is such a register as long as
the target has no fewer registers than the source. If no d is found, every register that some lane
needs is offered in turn, and each lane keeps what it needs.

Elements of less than 32 bits travel together in one shuffle if they stay together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from weft.layouts import gf2
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.plans.cost import Cost, exchange_price

if TYPE_CHECKING:
    from weft.layouts.plans.instruction_semantics import Values

__all__ = ["Round", "ShufflePlan", "shuffle_plan"]

_SHUFFLE_BITS = 32


class Round(Struct, frozen=True):
    """What each lane of one warp does in one round.

    Attributes:
        offers: by lane, the registers of the source that it offers.
        source_lanes: by lane, the lane from which it takes.
        fills: by lane, the registers of the target that it fills; () if it keeps nothing.
    """

    offers: tuple[tuple[int, ...], ...]
    source_lanes: tuple[int, ...]
    fills: tuple[tuple[int, ...], ...]

    @property
    def needs_shuffle(self) -> bool:
        """Whether a lane takes from another one."""
        return any(lane != source for lane, source in enumerate(self.source_lanes))


class ShufflePlan(Struct, frozen=True):
    """Exchange registers between the lanes of each warp.

    Attributes:
        source: the layout before.
        target: the layout after.
        element_bits: the bits of an element.
        rounds: the rounds of each warp; all warps have the same number.
        is_linear: whether what a lane offers and fills is linear in the lane.
    """

    source: LinearLayout
    target: LinearLayout
    element_bits: int
    rounds: tuple[tuple[Round, ...], ...]
    is_linear: bool

    @property
    def kind(self) -> str:
        """The kind of plan: "shuffle"."""
        return "shuffle"

    @property
    def cost(self) -> Cost:
        """The work of the warp that has most of it."""
        words = max(1, self.element_bits // _SHUFFLE_BITS)
        return Cost(
            shuffles=max(sum(r.needs_shuffle for r in warp) for warp in self.rounds) * words,
            selects=max(sum(map(self._selects, warp)) for warp in self.rounds) * words,
        )

    def _selects(self, shuffle_round: Round) -> int:
        """Count the selections by lane of a round: of what to offer, and of what to fill.

        If both are linear in the lane, all registers of a thread are permuted together, in as
        many stages as bits of the lane decide.
        """
        offers = len(set(shuffle_round.offers))
        fills = len({registers for registers in shuffle_round.fills if registers})
        if self.is_linear:
            return (offers - 1).bit_length() + (fills - 1).bit_length()
        return (offers - 1) + (fills - 1)

    def execute(self, values: Values) -> Values:
        """Return the target's values, [register, lane, warp, block], from the source's."""
        import numpy as np  # only for executing a plan, which a compile does not

        result = np.empty((self.target.in_size("register"), *values.shape[1:]), values.dtype)
        for warp, rounds in enumerate(self.rounds):
            for one in rounds:
                offered = [values[list(r), lane, warp] for lane, r in enumerate(one.offers)]
                for lane, source in enumerate(one.source_lanes):
                    if one.fills[lane]:
                        result[list(one.fills[lane]), lane, warp] = offered[source]
        return result


def shuffle_plan(
    source: LinearLayout, target: LinearLayout, places: LinearLayout, element_bits: int
) -> ShufflePlan:
    """Plan the rounds of a conversion.

    Args:
        source: the layout before, without registers that broadcast.
        target: the layout after, likewise.
        places: the map X, which is the identity on warp and block.
        element_bits: the bits of an element.
    """
    packed = _packed_bits(places, max(1, _SHUFFLE_BITS // element_bits))
    warps = range(target.in_size("warp"))
    plans = [
        ShufflePlan(
            source,
            target,
            element_bits,
            tuple(tuple(_rounds(places, packed, skew, warp)) for warp in warps),
            is_linear=True,
        )
        for skew in _skews(places)
    ]
    if plans:
        return min(plans, key=lambda plan: exchange_price(plan.cost))
    in_turn = tuple(tuple(_rounds_in_turn(places, packed, warp)) for warp in warps)
    return ShufflePlan(source, target, element_bits, in_turn, is_linear=False)


def _packed_bits(places: LinearLayout, count: int) -> list[int]:
    """List register bits of the target along which only the register of the source changes.

    The elements of up to `count` registers that differ in these bits travel together.
    """
    registers = places.out_size("register")
    bits = [b for b, image in enumerate(places.images("register")) if 0 < image < registers]
    return bits[: count.bit_length() - 1]


def _skews(places: LinearLayout) -> list[list[int]]:
    """List each d that is tried, as the registers that the lane bits add."""
    skews: list[list[int]] = []
    for skew in (_aligned_skew(places), _grown_skew(places)):
        if skew is not None and skew not in skews:
            skews.append(skew)
    return skews


def _grown_skew(places: LinearLayout) -> list[int] | None:
    """Grow d from 0, None if that fails."""
    shift = places.out_shifts["lane"]
    register_mask, lane_mask = places.out_size("register") - 1, places.out_size("lane") - 1
    register_images = list(places.images("register"))
    # X(d(l), l) for each bit of l.
    images = [v & (lane_mask << shift | register_mask) for v in places.images("lane")]
    skew = [0] * len(images)
    # Lane l takes X(d(l) ^ c, l) in round c. Two lanes that take from one lane must take the same
    # register. Where they do not, another register for one of them makes its source lane new;
    # each step enlarges the span of the source lanes, so the loop ends.
    while True:
        lanes = [v >> shift & lane_mask for v in images]
        conflict = _conflicting_lanes(images, lanes, register_mask)
        if conflict is None:
            return skew
        step = _register_to_new_lane(register_images, lanes, shift, lane_mask)
        if step is None:
            return None
        bit = conflict.bit_length() - 1
        skew[bit] ^= 1 << step
        images[bit] ^= register_images[step]


def _aligned_skew(places: LinearLayout) -> list[int] | None:
    """Return d with Xl(d(l), l) = l, None if there is none.

    Lane l then takes from l ^ Xl(c, 0) in round c.
    """
    shift, mask = places.out_shifts["lane"], places.out_size("lane") - 1
    lanes_of_registers = [v >> shift & mask for v in places.images("register")]
    missing = [1 << b ^ (v >> shift & mask) for b, v in enumerate(places.images("lane"))]
    return gf2.solve(lanes_of_registers, missing)


def _conflicting_lanes(images: list[int], lanes: list[int], register_mask: int) -> int | None:
    """Find a sum of lane bits l with Xl(d(l), l) = 0 and Xr(d(l), l) != 0.

    Elimination on the lanes carries the combination and its register along.
    """
    pivots: dict[int, tuple[int, int, int]] = {}  # highest bit -> (lane, combination, register)
    for bit, (image, lane) in enumerate(zip(images, lanes, strict=True)):
        combination, register = 1 << bit, image & register_mask
        while lane and (top := lane.bit_length()) in pivots:
            other_lane, other_combination, other_register = pivots[top]
            lane ^= other_lane
            combination ^= other_combination
            register ^= other_register
        if lane:
            pivots[lane.bit_length()] = (lane, combination, register)
        elif register:
            return combination
    return None


def _register_to_new_lane(
    register_images: list[int], lanes: list[int], shift: int, lane_mask: int
) -> int | None:
    """Find a register bit whose lane is no sum of the lanes."""
    span = gf2.Span(lanes)
    for bit, image in enumerate(register_images):
        if (image >> shift & lane_mask) not in span:
            return bit
    return None


def _round_numbers(places: LinearLayout, packed: list[int]) -> list[int]:
    """Return the c of each round: every register, without the bits that travel together."""
    count = len(places.images("register"))
    return gf2.linear_combinations([1 << bit for bit in range(count) if bit not in packed])


def _rounds(places: LinearLayout, packed: list[int], skew: list[int], warp: int) -> Iterator[Round]:
    """Yield one round for each register of the target, or group of registers."""
    table = places.packed_table().reshape([*places.in_dims.values()], order="F")
    registers, lanes = places.out_size("register"), places.out_size("lane")
    together = gf2.linear_combinations([1 << bit for bit in packed])
    skews = gf2.linear_combinations(skew)
    for number in _round_numbers(places, packed):
        source_lanes: list[int] = []
        fills: list[tuple[int, ...]] = []
        needed: dict[int, tuple[int, ...]] = {}  # lane -> the registers that it has to offer
        for lane in range(places.in_size("lane")):
            first = skews[lane] ^ number
            filled = tuple(first ^ bits for bits in together)
            sources = [int(table[register, lane, warp, 0]) for register in filled]
            source_lane = sources[0] // registers % lanes
            source_lanes.append(source_lane)
            fills.append(filled)
            needed[source_lane] = tuple(source % registers for source in sources)
        anything = needed[source_lanes[0]]  # of a lane that no lane takes from
        offers = tuple(needed.get(lane, anything) for lane in range(lanes))
        yield Round(offers, tuple(source_lanes), tuple(fills))


def _rounds_in_turn(places: LinearLayout, packed: list[int], warp: int) -> Iterator[Round]:
    """Yield a round for each register of the target and each register that a lane needs for it."""
    table = places.packed_table().reshape([*places.in_dims.values()], order="F")
    registers, lanes = places.out_size("register"), places.out_size("lane")
    together = gf2.linear_combinations([1 << bit for bit in packed])
    for number in _round_numbers(places, packed):
        filled = tuple(number ^ bits for bits in together)
        sources = table[list(filled), :, warp, 0]
        needed = [tuple(int(v) % registers for v in column) for column in sources.T]
        source_lanes = tuple(int(v) // registers % lanes for v in sources[0])
        for offer in dict.fromkeys(needed):
            fills = tuple(filled if own == offer else () for own in needed)
            yield Round((offer,) * lanes, source_lanes, fills)
