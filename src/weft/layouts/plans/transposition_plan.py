"""Conversions within a warp that only exchange bits of the register number with bits of the lane.

If the map from the target's (register, lane) to the source's permutes bits, it is a product of
transpositions, exchanges of two bits. To exchange register bit 0 with lane bit 0, each pair of
registers a and b (0 and 1, 2 and 3, …) is exchanged between lane 2i and lane 2i + 1:

    the even lane keeps a and sends b, the odd lane keeps b and sends a     1 select
    each takes what the other lane sent                                     1 shuffle
    the even lane puts it into b, the odd lane into a                       2 selects

On chips with instructions that swap halves of two registers between lanes 16 or 32 apart, a pair
takes one such instruction. Several transpositions follow each other. Lane bits that are permuted
among themselves are one shuffle of every register; or further transpositions by way of a register:

    lane bits 4 and 5 exchanged  =  (r 4) (r 5) (r 4)

Register bits that are permuted among themselves are only renamed.

By hand, for a 4x4 tile, 4 lanes with a row each, that is transposed: the target's register bits are
the source's lane bits, and the other way round. The plan is (r0 l0) (r1 l1): two transpositions of
two pairs each, so 4 shuffles and 12 selects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from weft.layouts.linear_layout import LinearLayout
from weft.layouts.plans.conversion_map import conversion_map
from weft.layouts.plans.cost import Cost
from weft.layouts.shared_memory import SharedMemory

if TYPE_CHECKING:
    from weft.layouts.plans.instruction_semantics import Values

__all__ = ["LanePermutation", "Transposition", "TranspositionPlan", "transposition_plans"]

_WORD_BITS = 32
# From so many transpositions by selects on, rounds of shuffles may cost less; see `is_optimal`.
_ROUNDS_MAY_WIN = 4


class Transposition(Struct, frozen=True):
    """Exchange a bit of the register number with a bit of the lane.

    Attributes:
        register: the bit of the register number.
        lane: the bit of the lane.
        by_swap: whether one instruction per pair does it, or else selects and a shuffle.
    """

    register: int
    lane: int
    by_swap: bool


class LanePermutation(Struct, frozen=True):
    """Shuffle every register so that bits of the lane are permuted.

    Attributes:
        sources: for each bit of the lane, the bit of the source lane that it becomes.
    """

    sources: tuple[int, ...]

    def source_lanes(self, lanes: int) -> list[int]:
        """Return the lane from which each lane takes."""
        return [
            sum((lane >> bit & 1) << source for bit, source in enumerate(self.sources))
            for lane in range(lanes)
        ]


Step = Transposition | LanePermutation


class TranspositionPlan(Struct, frozen=True):
    """Permute bits of registers and lanes, one step after another.

    Attributes:
        source: the layout before.
        target: the layout after.
        element_bits: the bits of an element.
        packed: elements that travel in one register of 32 bits.
        steps: the steps in order.
        registers: for each register of the target, the register that has its value afterwards.
        copies: how often the registers of the source are repeated before the first step.
    """

    source: LinearLayout
    target: LinearLayout
    element_bits: int
    packed: int
    steps: tuple[Step, ...]
    registers: tuple[int, ...]
    copies: int = 1

    @property
    def kind(self) -> str:
        """The kind of plan: "shuffle"."""
        return "shuffle"

    @property
    def is_optimal(self) -> bool:
        """Whether rounds of shuffles cannot cost less.

        With R registers and m transpositions, rounds take R (1 - 1/2^m) shuffles and 2 m R
        selects, and transpositions by selects m R / 2 shuffles and 3 m R / 2 selects. A shuffle
        costs as much as two selects, so rounds may win from the fourth on. Permutations of lanes
        cost rounds nothing, so other steps beside transpositions by selects have to be compared;
        and rounds do not move registers that only repeat others.
        """
        by_selects = sum(
            isinstance(step, Transposition) and not step.by_swap for step in self.steps
        )
        permutes_lanes = any(isinstance(step, LanePermutation) for step in self.steps)
        is_uniform = by_selects in (0, len(self.steps)) and not (
            permutes_lanes and len(self.steps) > 1
        )
        same_registers = self.source.in_size("register") == self.target.in_size("register")
        return same_registers and by_selects < _ROUNDS_MAY_WIN and is_uniform

    @property
    def cost(self) -> Cost:
        """Shuffles, swaps and selects of 32 bits."""
        words_per_element = max(1, self.element_bits // _WORD_BITS)
        registers = self.source.in_size("register") * self.copies
        words = registers // self.packed * words_per_element
        shuffles = swaps = selects = 0
        for step in self.steps:
            if isinstance(step, LanePermutation):
                shuffles += words
            elif step.by_swap:
                swaps += words // 2
            else:
                shuffles += words // 2
                selects += 3 * words // 2
        return Cost(shuffles=shuffles, swaps=swaps, selects=selects)

    def execute(self, values: Values) -> Values:
        """Return the target's values, [register, lane, warp, block], from the source's."""
        import numpy as np  # only for executing a plan, which a compile does not

        from weft.layouts.plans import instruction_semantics as semantics

        registers: list[Values] = list(values) * self.copies
        lane_count: int = values.shape[1]
        lanes = np.arange(lane_count)
        for step in self.steps:
            if isinstance(step, LanePermutation):
                source_lanes = np.array(step.source_lanes(len(lanes)))
                registers = [semantics.shuffle(value, source_lanes) for value in registers]
                continue
            for low in range(len(registers)):
                high = low | 1 << step.register
                if low != high:
                    registers[low], registers[high] = semantics.transpose_pair(
                        registers[low], registers[high], step.lane, by_swap=step.by_swap
                    )
        return np.stack([registers[number] for number in self.registers])


def transposition_plans(
    source: LinearLayout,
    target: LinearLayout,
    places: LinearLayout,
    element_bits: int,
    memory: SharedMemory,
) -> list[TranspositionPlan]:
    """Return the plans of a conversion; none if its map does not permute bits.

    If one layout broadcasts among lanes what the other holds in more registers, the one with fewer
    registers is treated as if its registers repeated.

    Args:
        source: the layout before, without registers that broadcast.
        target: the layout after, likewise.
        places: a layout from the target to the source, the identity on warp and block.
        element_bits: the bits of an element.
        memory: the shared memory of the chip.
    """
    before, after = (len(layout.images("register")) for layout in (source, target))
    fewer = min(before, after)
    permutation: LinearLayout | None = places
    if before != after:
        more = max(before, after)
        permutation = conversion_map(
            _with_register_bits(source, more),
            _with_register_bits(target, more),
            ("warp", "block"),
        )
    if permutation is None:
        return []
    return [
        TranspositionPlan(
            source,
            target,
            element_bits,
            1 << packed_bits,
            steps,
            registers[: 1 << after],
            1 << max(0, after - before),
        )
        for packed_bits, steps, registers in _decompose(permutation, element_bits, memory, fewer)
    ]


def _with_register_bits(layout: LinearLayout, count: int) -> LinearLayout:
    """Compute the layout with `count` bits of registers, the added ones broadcasting."""
    images = layout.images("register")
    padded = images + (0,) * (count - len(images))
    ins = tuple((name, padded if name == "register" else v) for name, v in layout.ins)
    return LinearLayout(ins, layout.outs)


def _decompose(
    places: LinearLayout, element_bits: int, memory: SharedMemory, distinct: int
) -> list[tuple[int, tuple[Step, ...], tuple[int, ...]]]:
    """Decompose a permutation of bits in up to two ways.

    Args:
        places: a layout from the target to the source.
        element_bits: the bits of an element.
        memory: the shared memory of the chip.
        distinct: the number of register bits that do not repeat others, in both layouts.

    Returns:
        For each, the number of packed bits, the steps, and the register that has the value of
        each register of the target afterwards.
    """
    registers, lanes = (len(places.images(name)) for name in ("register", "lane"))
    columns = [*places.images("register"), *places.images("lane")]
    if places.out_shifts["lane"] != registers:
        return []
    if sorted(columns) != [1 << bit for bit in range(registers + lanes)]:
        return []
    if not _is_identity_on(places, ("warp", "block")):
        return []
    # The bit of the source that each bit of the target is, registers first.
    sources = [column.bit_length() - 1 for column in columns]
    # Elements that differ in register bits only, in both layouts, can share a word.
    within_registers = [bit for bit in range(distinct) if sources[bit] < distinct]
    count = max(1, _WORD_BITS // element_bits).bit_length() - 1
    packed = {sources[bit] for bit in within_registers[:count]}
    plans: list[tuple[int, tuple[Step, ...], tuple[int, ...]]] = []
    for decomposition in (
        _by_transpositions(sources, registers, packed, memory),
        _by_lane_permutation(sources, registers),
    ):
        if decomposition is None:
            continue
        steps, content = decomposition
        order = [content.index(sources[bit]) for bit in range(registers)]
        steps_of_chip = tuple(_with_swaps(step, memory) for step in steps)
        plans.append((len(packed), steps_of_chip, _numbers(order)))
    return plans


def _is_identity_on(places: LinearLayout, names: Sequence[str]) -> bool:
    return all(
        image == 1 << (places.out_shifts[name] + bit)
        for name in names
        for bit, image in enumerate(places.images(name))
    )


def _numbers(bits: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers whose bits are permuted: bit i of the index is bit bits[i]."""
    numbers = [0]
    for bit in bits:
        numbers += [number | 1 << bit for number in numbers]
    return tuple(numbers)


def _with_swaps(step: Step, memory: SharedMemory) -> Step:
    """Return a step that uses the chip's swap instruction, if there is one for its lanes."""
    if isinstance(step, LanePermutation):
        return step
    return structs.replace(step, by_swap=1 << step.lane in memory.lane_swaps)


def _by_transpositions(
    sources: Sequence[int], registers: int, packed: set[int], memory: SharedMemory
) -> tuple[list[Step], list[int]] | None:
    """Decompose into transpositions alone.

    Args:
        sources: the source bit that each bit of the target is, registers first.
        registers: the number of register bits.
        packed: source bits of registers that must stay in the register.
        memory: the shared memory of the chip.

    Returns:
        The steps, and the source bit that each bit is afterwards; None if a cycle of lane bits
        would need a register bit and all of them are packed.
    """
    content = list(range(len(sources)))
    steps: list[Step] = []

    def exchange(register: int, lane: int) -> None:
        content[register], content[lane] = content[lane], content[register]
        steps.append(Transposition(register, lane - registers, by_swap=False))

    while wrong := [p for p in range(registers, len(sources)) if content[p] != sources[p]]:
        # A lane bit whose source is in a register is settled by one exchange.
        ready = [p for p in wrong if content.index(sources[p]) < registers]
        if ready:
            exchange(content.index(sources[ready[0]]), ready[0])
            continue
        # All remaining lane bits permute among themselves: move one of them into a register.
        free = [r for r in range(registers) if content[r] not in packed]
        if not free:
            return None
        wrong.sort(key=lambda p: 1 << (p - registers) not in memory.lane_swaps)
        exchange(free[0], wrong[0])
    return steps, content


def _by_lane_permutation(sources: Sequence[int], registers: int) -> tuple[list[Step], list[int]]:
    """Decompose into one permutation of lanes, and then transpositions of disjoint bits.

    Arguments and result are those of `_by_transpositions`.
    """
    lanes = range(registers, len(sources))
    # Lane bits whose source is a lane bit are settled by the permutation. The others, which a
    # register bit will replace, take the remaining lane bits, their own if they can.
    settled = {p: sources[p] for p in lanes if sources[p] >= registers}
    remaining = [p for p in lanes if p not in settled.values()]
    for lane in [p for p in lanes if p not in settled and p in remaining]:
        settled[lane] = lane
        remaining.remove(lane)
    for lane in lanes:
        if lane not in settled:
            settled[lane] = remaining.pop(0)
    content = [*range(registers), *(settled[p] for p in lanes)]
    steps: list[Step] = []
    if any(settled[p] != p for p in lanes):
        steps.append(LanePermutation(tuple(settled[p] - registers for p in lanes)))
    for lane in lanes:
        if content[lane] != sources[lane]:
            register = content.index(sources[lane])
            content[register], content[lane] = content[lane], content[register]
            steps.append(Transposition(register, lane - registers, by_swap=False))
    return steps, content
