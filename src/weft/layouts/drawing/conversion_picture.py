"""The way of a conversion as pictures: the exchanges between lanes, or the memory between.

Nothing is guessed from the layouts: every place of the source is given a number of its own, the
plan is executed on these numbers, and what arrives is drawn. So a cell of the target says from
which register of which lane it came, and

    shuffles of pairs      a panel after each step, in the colours of the start: colours move
    shuffles in rounds     the colour `round` says in which round a register is filled
    shared memory          the lines of all banks, in the colours of the lanes that store to them
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from weft.errors import LayoutError
from weft.layouts.drawing.element_tables import (
    DISTRIBUTED,
    coordinates,
    elements_of,
    shape_of,
)
from weft.layouts.drawing.picture import MOST_CELLS, Cell, Panel, Picture
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.plans.conversion import Conversion
from weft.layouts.plans.shared_memory_plan import SharedPlan
from weft.layouts.plans.shuffle_plan import ShufflePlan
from weft.layouts.plans.transposition_plan import LanePermutation, TranspositionPlan

if TYPE_CHECKING:
    import numpy as np

__all__ = ["conversion_picture", "conversion_steps"]

_SCHEMES = ("lane", "warp", "register")


def conversion_picture(found: Conversion, title: str) -> Picture:
    """Return the picture of a conversion as it is carried out.

    Raises: LayoutError where there would be too many cells to draw.
    """
    pictured = _Pictured(found)
    panels = tuple(pictured.panels())
    cells = sum(len(panel.cells) for panel in panels)
    if cells > MOST_CELLS:
        raise LayoutError(
            "too many cells for a picture", found=cells, accepted=[f"at most {MOST_CELLS}"]
        )
    return Picture(title, panels, pictured.schemes)


def conversion_steps(found: Conversion) -> list[str]:
    """Return the steps of a conversion in words, one line each."""
    plan = found.plan
    if isinstance(plan, TranspositionPlan):
        return [_step_words(step) for step in plan.steps]
    if isinstance(plan, ShufflePlan):
        rounds = plan.rounds[0]
        return [
            f"round {number}: {_round_words(one.source_lanes, one.offers)}"
            for number, one in enumerate(rounds)
        ]
    if isinstance(plan, SharedPlan):
        vectors = plan.layout.bases["offset"]
        return [f"{plan.write.name}, barrier, {plan.read.name}", f"offset = {vectors}"]
    return []


def _step_words(step: Any) -> str:
    if isinstance(step, LanePermutation):
        moved = ", ".join(
            f"{bit} is {source}" for bit, source in enumerate(step.sources) if bit != source
        )
        return f"shuffle of every register: lane bits {moved}"
    how = "one swap" if step.by_swap else "selects and a shuffle"
    return f"exchange of register bit {step.register} with lane bit {step.lane}, {how} per pair"


def _round_words(takes: Sequence[int], publishes: Sequence[Sequence[int]]) -> str:
    if all(lane == place for lane, place in enumerate(takes)):
        return "every lane keeps its own"
    offered = sorted({tuple(each) for each in publishes})
    shown = " or ".join("+".join(map(str, each)) for each in offered[:4])
    more = " …" if len(offered) > 4 else ""
    return f"lanes offer register {shown}{more}, lane 1 takes from lane {takes[1 % len(takes)]}"


class _Pictured:
    """A conversion executed on numbers of places."""

    def __init__(self, found: Conversion) -> None:
        import numpy as np

        self.plan = found.plan
        self.source, self.target = self.plan.source, self.plan.target
        self.shape = shape_of(self.source)
        self.sizes = [self.source.in_dims[name] for name in reversed(DISTRIBUTED)]
        self.elements = _elements(self.source)
        self.tokens = np.arange(math.prod(self.sizes)).reshape(self.sizes)
        self.schemes = tuple((name, self.source.in_dims[name]) for name in _SCHEMES)
        if isinstance(self.plan, ShufflePlan):
            self.schemes = (("round", len(self.plan.rounds[0])), *self.schemes)
        self.memory: _Between | None = None
        if isinstance(self.plan, SharedPlan):
            self.memory = _Between(self.plan)
            self.schemes = (*self.schemes, ("bank", self.memory.banks))

    def panels(self) -> Iterator[Panel]:
        yield from self._held("from", self.tokens)
        if isinstance(self.plan, TranspositionPlan):
            yield from self._after_each_step(self.plan)
        if self.memory is not None:
            yield self._memory_panel(self.memory)
        yield from self._held("to", self.plan.execute(self.tokens))

    def _after_each_step(self, plan: TranspositionPlan) -> Iterator[Panel]:
        kept = tuple(range(len(self.tokens)))
        for number in range(1, len(plan.steps) + 1):
            part = dataclasses.replace(plan, steps=plan.steps[:number], registers=kept)
            words = f"after the {_step_words(plan.steps[number - 1])}:"
            (panel,) = self._held(words, part.execute(self.tokens), first_only=True)
            yield panel

    def _held(self, words: str, held: np.ndarray, *, first_only: bool = False) -> Iterator[Panel]:
        """Yield a panel for each warp, or for the first: registers down, lanes along."""
        registers, lanes, warps, blocks = held.shape
        for block in range(1 if first_only else blocks):
            for warp in range(1 if first_only else warps):
                cells = [
                    self._cell(at, int(held[at]), start=held is self.tokens)
                    for at in itertools.product(range(registers), range(lanes), [warp], [block])
                ]
                of_block = f"block {block}, " if blocks > 1 else ""
                title = f"{words} {of_block}warp {warp}"
                yield Panel(title, registers, lanes, "register", "lane", tuple(cells))

    def _cell(self, at: Sequence[int], token: int, *, start: bool) -> Cell:
        register, lane, warp, block = at
        place = self._place(token)
        element = int(self.elements[token])
        notes = [
            f"element {_at(element, self.shape)}",
            f"block {block}, warp {warp}, lane {lane}, register {register}",
            f"from {_words(place)}",
        ]
        groups = [place["lane"], place["warp"], place["register"]]
        if isinstance(self.plan, ShufflePlan):
            number = -1 if start else self._round(register, lane, warp)
            groups.insert(0, number)
            if number >= 0:
                notes.append(f"in round {number}")
        if self.memory is not None:
            offset, bank = self.memory.places.get(element, (-1, -1))
            groups.append(bank)
            notes.append(f"through offset {offset}, bank {bank}")
        label = f"{place['warp'] * self.sizes[1] + place['lane']}:{place['register']}"
        return Cell(register, lane, f"T{label}", "\n".join(notes), tuple(groups))

    def _round(self, register: int, lane: int, warp: int) -> int:
        """Return in which round a register of the target is filled."""
        assert isinstance(self.plan, ShufflePlan)
        for number, one in enumerate(self.plan.rounds[warp]):
            if register in one.fills[lane]:
                return number
        return -1

    def _place(self, token: int) -> dict[str, int]:
        found = {}
        for name, size in reversed(list(zip(reversed(DISTRIBUTED), self.sizes, strict=True))):
            found[name] = token % size
            token //= size
        return found

    def _memory_panel(self, memory: _Between) -> Panel:
        """Return the lines of shared memory; of a cluster, of its first block."""
        first: dict[int, int] = {}
        for token, element in enumerate(self.elements.tolist()):
            first.setdefault(element, token)
        cells = []
        for element, (offset, bank) in memory.places.items():
            place = self._place(first[element])
            note = (
                f"element {_at(element, self.shape)}\noffset {offset}, "
                f"byte {offset * memory.bits // 8}, bank {bank}\nstored by {_words(place)}"
            )
            label = ":".join(map(str, coordinates(element, self.shape)))
            row, column = divmod(offset, memory.line)
            groups = (place["lane"], place["warp"], place["register"], bank)
            cells.append(Cell(row, column, label, note, groups))
        cells.sort(key=lambda cell: (cell.row, cell.column))
        rows = max(cell.row for cell in cells) + 1
        columns = max(cell.column for cell in cells) + 1
        title = f"shared memory: {memory.words}"
        return Panel(title, rows, columns, "line", "offset in the line", tuple(cells))


class _Between:
    """Shared memory of a plan: where each element lies."""

    def __init__(self, plan: SharedPlan) -> None:
        self.bits = plan.element_bits
        self.banks = plan.memory.banks
        self.line = max(1, self.banks * plan.memory.bank_bytes * 8 // self.bits)
        self.words = f"{plan.write.name}, barrier, {plan.read.name}"
        if plan.repetitions > 1:
            self.words += f"; the same bytes {plan.repetitions} times over, drawn as that many"
        self.places: dict[int, tuple[int, int]] = {}
        for offset, element in enumerate(elements_of(plan.layout, "offset")):
            bank = offset * self.bits // 8 // plan.memory.bank_bytes % self.banks
            self.places[element] = (offset, bank)


def _elements(layout: LinearLayout) -> np.ndarray:
    """Return the row-major element of each place, [register, lane, warp, block] flattened."""
    import numpy as np

    tables = [np.array(elements_of(layout, name)) for name in reversed(DISTRIBUTED)]
    grid = tables[0][:, None, None, None] ^ tables[1][None, :, None, None]
    return (grid ^ tables[2][None, None, :, None] ^ tables[3][None, None, None, :]).reshape(-1)


def _at(element: int, shape: Sequence[int]) -> str:
    return f"({', '.join(map(str, coordinates(element, shape)))})"


def _words(place: dict[str, int]) -> str:
    return ", ".join(f"{name} {place[name]}" for name in DISTRIBUTED)
