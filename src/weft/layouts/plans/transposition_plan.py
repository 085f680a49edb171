"""Conversions within a warp that only exchange bits of the register number with bits of the lane.

Then each lane sends half of its registers and keeps the other half. To exchange register bit 0
with lane bit 0, registers a and b of a pair (0, 1), (2, 3), …:

    lane 0 keeps a and sends b, lane 1 keeps b and sends a          1 select
    each takes what its neighbour sent                              1 shuffle
    lane 0 puts it to b, lane 1 to a                                2 selects

On chips that swap halves of two registers between lanes 16 or 32 apart, a pair takes one such
instruction. Several exchanges follow each other. Bits of the lane that change places among
themselves are one shuffle of every register, or further exchanges by way of a register:

    lane bits 4 and 5 exchanged  =  (r 4) (r 5) (r 4)

Register bits that change places are names, and cost nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.layouts.linear_layout import LinearLayout
from weft.layouts.plans import instruction_semantics
from weft.layouts.plans.conversion_map import conversion_map
from weft.layouts.plans.cost import Cost
from weft.layouts.shared_memory import SharedMemory

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Transposition", "LanePermutation", "TranspositionPlan", "transposition_plans"]

_ROUNDS_FROM = 4


@dataclass(frozen=True, slots=True)
class Transposition:
    """Exchange a bit of the register number with a bit of the lane.

    Fields: register, lane: the bits.  by_swap: in one instruction per pair, or else by selects
    and a shuffle.
    """

    register: int
    lane: int
    by_swap: bool


@dataclass(frozen=True, slots=True)
class LanePermutation:
    """Shuffle every register; bit i of the lane taken from is bit sources.index(i) of one's own."""

    sources: tuple[int, ...]

    def takes(self, lanes: int) -> list[int]:
        """Return the lane from which each lane takes."""
        return [
            sum((lane >> bit & 1) << source for bit, source in enumerate(self.sources))
            for lane in range(lanes)
        ]


@dataclass(frozen=True, slots=True)
class TranspositionPlan:
    """Exchange bits of registers and lanes, one after another.

    Fields: source, target: the layouts.  element_bits.  packed: elements that travel in one
    register of 32 bits.  steps: what is done.  registers: the register in which, afterwards, each
    of the target's is.  copies: how often the source's registers are named, one after another,
    before the first step.
    """

    source: LinearLayout
    target: LinearLayout
    element_bits: int
    packed: int
    steps: tuple[Transposition | LanePermutation, ...]
    registers: tuple[int, ...]
    copies: int = 1

    @property
    def kind(self) -> str:
        """Return "shuffle"."""
        return "shuffle"

    @property
    def is_least(self) -> bool:
        """Return whether no rounds of shuffles could take less.

        With R registers and m exchanges, rounds take R (1 - 1/2^m) shuffles and 2 m R selects, m
        exchanges by selects m R / 2 and 3 m R / 2: with a shuffle for two selects, more from the
        fourth. Lanes that change places among themselves cost rounds nothing, so other steps beside
        exchanges by selects are compared. Of registers that only repeat others, rounds move none.
        """
        by_selects = sum(
            isinstance(step, Transposition) and not step.by_swap for step in self.steps
        )
        permutes = any(isinstance(step, LanePermutation) for step in self.steps)
        same = self.source.in_size("register") == self.target.in_size("register")
        alone = by_selects in (0, len(self.steps)) and not (permutes and len(self.steps) > 1)
        return same and by_selects < _ROUNDS_FROM and alone

    @property
    def cost(self) -> Cost:
        """Return shuffles, swaps and selects of 32 bits."""
        words = max(1, self.element_bits // 32)
        held = self.source.in_size("register") * self.copies // self.packed * words
        shuffles = swaps = selects = 0
        for step in self.steps:
            if isinstance(step, LanePermutation):
                shuffles += held
            elif step.by_swap:
                swaps += held // 2
            else:
                shuffles += held // 2
                selects += 3 * held // 2
        return Cost(shuffles=shuffles, swaps=swaps, selects=selects)

    def execute(self, values: np.ndarray) -> np.ndarray:
        """Return the target's values, [register, lane, warp, block], from the source's."""
        import numpy as np

        held = list(values) * self.copies
        lanes = np.arange(values.shape[1])
        for step in self.steps:
            if isinstance(step, LanePermutation):
                takes = np.array(step.takes(len(lanes)))
                held = [instruction_semantics.shuffle(value, takes) for value in held]
                continue
            for low in range(len(held)):
                high = low | 1 << step.register
                if low != high:
                    held[low], held[high] = _exchanged(held[low], held[high], step, lanes)
        return np.stack([held[number] for number in self.registers])


def _exchanged(
    low: np.ndarray, high: np.ndarray, step: Transposition, lanes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    import numpy as np

    distance = 1 << step.lane
    if step.by_swap:
        return instruction_semantics.lane_swap(low, high, distance)
    odd = (lanes & distance).astype(bool).reshape(-1, *(1,) * (low.ndim - 1))
    got = instruction_semantics.shuffle(np.where(odd, low, high), lanes ^ distance)
    return np.where(odd, got, low), np.where(odd, high, got)


def transposition_plans(
    source: LinearLayout,
    target: LinearLayout,
    places: LinearLayout,
    element_bits: int,
    memory: SharedMemory,
) -> list[TranspositionPlan]:
    """Return the plans for X = places, none where X is no permutation of bits.

    Where one side repeats among lanes what the other holds in more registers, the one with fewer
    registers is thought to hold its own several times.

    Args: source, target: without registers that repeat.  places: where the target's elements are
    in the source, warp and block left alone.
    """
    one, other = (len(layout.images("register")) for layout in (source, target))
    if one == other:
        found = _permutations(places, element_bits, memory, one)
    else:
        most = max(one, other)
        padded = conversion_map(
            _with_registers(source, most), _with_registers(target, most), ("warp", "block")
        )
        found = (
            [] if padded is None else _permutations(padded, element_bits, memory, min(one, other))
        )
    return [
        TranspositionPlan(
            source,
            target,
            element_bits,
            1 << packed,
            steps,
            registers[: 1 << other],
            1 << max(0, other - one),
        )
        for packed, steps, registers in found
    ]


def _with_registers(layout: LinearLayout, count: int) -> LinearLayout:
    """Return the layout with so many bits of registers, those above repeating it."""
    images = layout.images("register")
    more = images + (0,) * (count - len(images))
    ins = tuple((name, more if name == "register" else v) for name, v in layout.ins)
    return LinearLayout(ins, layout.outs)


def _permutations(
    places: LinearLayout, element_bits: int, memory: SharedMemory, own: int
) -> list[tuple[int, tuple[Transposition | LanePermutation, ...], tuple[int, ...]]]:
    """Return bits packed, steps and registers of each plan for a permutation of bits.

    Args: own: bits of registers below which both sides' are their own.
    """
    registers, lanes = (len(places.images(name)) for name in ("register", "lane"))
    start = places.out_shifts["lane"]
    columns = [*places.images("register"), *places.images("lane")]
    bits = [column.bit_length() - 1 for column in columns]
    if start != registers or sorted(columns) != [1 << b for b in range(registers + lanes)]:
        return []
    if not _left_alone(places, ("warp", "block")):
        return []
    stays = [b for b in range(own) if bits[b] < own]
    room = max(1, 32 // element_bits).bit_length() - 1
    packed = {bits[b] for b in stays[:room]}
    found = []
    for steps, content in (_chain(bits, registers, packed, memory), _shuffled(bits, registers)):
        if steps is not None:
            numbers = [content.index(bits[b]) for b in range(registers)]
            made = tuple(_by(step, memory) for step in steps)
            found.append((len(packed), made, _sums(numbers)))
    return found


def _left_alone(places: LinearLayout, names: Sequence[str]) -> bool:
    return all(
        image == 1 << (places.out_shifts[name] + bit)
        for name in names
        for bit, image in enumerate(places.images(name))
    )


def _sums(bits: Sequence[int]) -> tuple[int, ...]:
    out = [0]
    for bit in bits:
        out += [number | 1 << bit for number in out]
    return tuple(out)


def _by(
    step: Transposition | LanePermutation, memory: SharedMemory
) -> Transposition | LanePermutation:
    if isinstance(step, LanePermutation):
        return step
    return dataclasses.replace(step, by_swap=1 << step.lane in memory.lane_swaps)


Steps = list[Transposition | LanePermutation] | None


def _chain(
    bits: Sequence[int], registers: int, packed: set[int], memory: SharedMemory
) -> tuple[Steps, list[int]]:
    """Return exchanges alone, and what each bit then holds; None where a register is wanting.

    Args: bits: the source bit that each bit of the target needs, registers first.
    """
    content = list(range(len(bits)))
    steps: list[Transposition | LanePermutation] = []

    def exchange(register: int, place: int) -> None:
        content[register], content[place] = content[place], content[register]
        steps.append(Transposition(register, place - registers, by_swap=False))

    while wrong := [p for p in range(registers, len(bits)) if content[p] != bits[p]]:
        ready = [p for p in wrong if content.index(bits[p]) < registers]
        if ready:
            exchange(content.index(bits[ready[0]]), ready[0])
            continue
        free = [r for r in range(registers) if content[r] not in packed]
        if not free:
            return None, content
        # A cycle of lane bits alone begins where an exchange is cheap.
        wrong.sort(key=lambda p: 1 << (p - registers) not in memory.lane_swaps)
        exchange(free[0], wrong[0])
    return steps, content


def _shuffled(bits: Sequence[int], registers: int) -> tuple[Steps, list[int]]:
    """Return a permutation of lanes, and then exchanges that do not meet."""
    lanes = range(registers, len(bits))
    settled = {p: bits[p] for p in lanes if bits[p] >= registers}
    left = [p for p in lanes if p not in settled.values()]
    open_places = [p for p in lanes if p not in settled]
    for place in [p for p in open_places if p in left]:
        settled[place] = place
        left.remove(place)
    for place in lanes:
        if place not in settled:
            settled[place] = left.pop(0)
    content = [*range(registers), *(settled[p] for p in lanes)]
    steps: list[Transposition | LanePermutation] = []
    if any(settled[p] != p for p in lanes):
        steps.append(LanePermutation(tuple(settled[p] - registers for p in lanes)))
    for place in lanes:
        if content[place] != bits[place]:
            register = content.index(bits[place])
            content[register], content[place] = content[place], content[register]
            steps.append(Transposition(register, place - registers, by_swap=False))
    return steps, content
