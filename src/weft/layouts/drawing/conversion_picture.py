"""A conversion as pictures of its execution: exchanges between lanes, or shared memory.

Every place of the source gets a distinct number, the plan is executed on these numbers, and the
result is drawn. So a cell of the target shows from which register of which lane its value came.

    transpositions         a panel after each step, in the colours of the start
    rounds of shuffles     the colour scheme `round` shows in which round a register is filled
    shared memory          the lines of all banks, in the colours of the lanes that store to them
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from weft.errors import LayoutError
from weft.layouts.drawing.element_tables import (
    DISTRIBUTED,
    coordinates,
    coordinates_text,
    elements_of,
    shape_of,
)
from weft.layouts.drawing.picture import MAX_CELLS, Cell, Panel, Picture
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.plans.conversion import Conversion
from weft.layouts.plans.shared_memory_plan import SharedPlan
from weft.layouts.plans.shuffle_plan import Round, ShufflePlan
from weft.layouts.plans.transposition_plan import (
    LanePermutation,
    Transposition,
    TranspositionPlan,
)

__all__ = ["conversion_picture", "conversion_steps"]

_SCHEMES = ("lane", "warp", "register")
_SHOWN_OFFERS = 4


def conversion_picture(conversion: Conversion, title: str) -> Picture:
    """Return the picture of a conversion as it is executed.

    Raises:
        LayoutError: there would be too many cells to draw.
    """
    execution = _Execution(conversion)
    panels = tuple(execution.panels())
    count = sum(len(panel.cells) for panel in panels)
    if count > MAX_CELLS:
        raise LayoutError(
            "too many cells for a picture", found=count, accepted=[f"at most {MAX_CELLS}"]
        )
    return Picture(title, panels, execution.schemes)


def conversion_steps(conversion: Conversion) -> list[str]:
    """Describe the steps of a conversion, one line each."""
    plan = conversion.plan
    if isinstance(plan, TranspositionPlan):
        return [_step_text(step) for step in plan.steps]
    if isinstance(plan, ShufflePlan):
        return [f"round {number}: {_round_text(one)}" for number, one in enumerate(plan.rounds[0])]
    if isinstance(plan, SharedPlan):
        vectors = plan.layout.bases["offset"]
        return [f"{plan.write.name}, barrier, {plan.read.name}", f"offset = {vectors}"]
    return []


def _step_text(step: Transposition | LanePermutation) -> str:
    if isinstance(step, LanePermutation):
        changes = ", ".join(
            f"{bit} is {source}" for bit, source in enumerate(step.sources) if bit != source
        )
        return f"shuffle of every register: lane bits {changes}"
    how = "one swap" if step.by_swap else "selects and a shuffle"
    return f"exchange of register bit {step.register} with lane bit {step.lane}, {how} per pair"


def _round_text(one: Round) -> str:
    if not one.needs_shuffle:
        return "every lane keeps its own"
    offers = sorted(set(one.offers))
    shown = " or ".join("+".join(map(str, offer)) for offer in offers[:_SHOWN_OFFERS])
    more = " …" if len(offers) > _SHOWN_OFFERS else ""
    source = one.source_lanes[1 % len(one.source_lanes)]
    return f"lanes offer register {shown}{more}, lane 1 takes from lane {source}"


class _Execution:
    """A conversion executed on numbers of places.

    Attributes:
        plan: the plan of the conversion.
        source: the layout before the conversion.
        target: the layout after the conversion.
        shape: the shape of the tensor.
        sizes: the sizes of register, lane, warp and block of the source.
        elements: the row-major element of each place of the source.
        tokens: the number of each place, [register, lane, warp, block].
        schemes: the schemes of the picture.
        memory: where elements lie in between, if in shared memory.
    """

    def __init__(self, conversion: Conversion) -> None:
        self.plan = conversion.plan
        self.source, self.target = self.plan.source, self.plan.target
        self.shape = shape_of(self.source)
        self.sizes = [self.source.in_dims[name] for name in reversed(DISTRIBUTED)]
        self.elements = _elements(self.source)
        self.tokens = np.arange(math.prod(self.sizes)).reshape(self.sizes)
        self.schemes = tuple((name, self.source.in_dims[name]) for name in _SCHEMES)
        if isinstance(self.plan, ShufflePlan):
            self.schemes = (("round", len(self.plan.rounds[0])), *self.schemes)
        self.memory: _SharedMemory | None = None
        if isinstance(self.plan, SharedPlan):
            self.memory = _SharedMemory(self.plan)
            self.schemes = (*self.schemes, ("bank", self.memory.banks))

    def panels(self) -> Iterator[Panel]:
        """Yield the registers before, what is in between, and the registers after."""
        yield from self._register_panels("from", self.tokens)
        if isinstance(self.plan, TranspositionPlan):
            yield from self._panels_of_steps(self.plan)
        if self.memory is not None:
            yield self._memory_panel(self.memory)
        yield from self._register_panels("to", self.plan.execute(self.tokens))

    def _panels_of_steps(self, plan: TranspositionPlan) -> Iterator[Panel]:
        """Yield the first warp after each step."""
        unpermuted = tuple(range(len(self.tokens)))
        for count in range(1, len(plan.steps) + 1):
            part = structs.replace(plan, steps=plan.steps[:count], registers=unpermuted)
            title = f"after the {_step_text(plan.steps[count - 1])}:"
            (panel,) = self._register_panels(title, part.execute(self.tokens), first_only=True)
            yield panel

    def _register_panels(
        self, title: str, tokens: NDArray[np.int64], *, first_only: bool = False
    ) -> Iterator[Panel]:
        """Yield a panel for each warp, or for the first: registers down, lanes along."""
        registers, lanes, warps, blocks = map(int, tokens.shape)
        is_source = tokens is self.tokens
        for block in range(1 if first_only else blocks):
            for warp in range(1 if first_only else warps):
                cells = [
                    self._cell(register, lane, warp, block, int(token), is_source=is_source)
                    for register, lane in itertools.product(range(registers), range(lanes))
                    for token in [tokens[register, lane, warp, block]]
                ]
                prefix = f"block {block}, " if blocks > 1 else ""
                whole_title = f"{title} {prefix}warp {warp}"
                yield Panel(whole_title, registers, lanes, "register", "lane", tuple(cells))

    def _cell(
        self, register: int, lane: int, warp: int, block: int, token: int, *, is_source: bool
    ) -> Cell:
        origin = self._place(token)
        element = int(self.elements[token])
        notes = [
            f"element {coordinates_text(element, self.shape)}",
            f"block {block}, warp {warp}, lane {lane}, register {register}",
            f"from {_place_text(origin)}",
        ]
        groups = [origin["lane"], origin["warp"], origin["register"]]
        if isinstance(self.plan, ShufflePlan):
            number = -1 if is_source else self._round_that_fills(self.plan, register, lane, warp)
            groups.insert(0, number)
            if number >= 0:
                notes.append(f"in round {number}")
        if self.memory is not None:
            offset, bank = self.memory.places.get(element, (-1, -1))
            groups.append(bank)
            notes.append(f"through offset {offset}, bank {bank}")
        thread = origin["warp"] * self.sizes[1] + origin["lane"]
        label = f"T{thread}:{origin['register']}"
        return Cell(register, lane, label, "\n".join(notes), tuple(groups))

    def _round_that_fills(self, plan: ShufflePlan, register: int, lane: int, warp: int) -> int:
        for number, one in enumerate(plan.rounds[warp]):
            if register in one.fills[lane]:
                return number
        return -1

    def _place(self, token: int) -> dict[str, int]:
        """Return the numbers of a place of the source by name."""
        place: dict[str, int] = {}
        for name, size in reversed(list(zip(reversed(DISTRIBUTED), self.sizes, strict=True))):
            place[name] = token % size
            token //= size
        return place

    def _memory_panel(self, memory: _SharedMemory) -> Panel:
        """Return the lines of shared memory; of a cluster, of its first block."""
        first_token: dict[int, int] = {}
        for token, element in enumerate(self.elements.tolist()):
            first_token.setdefault(element, token)
        cells: list[Cell] = []
        for element, (offset, bank) in memory.places.items():
            origin = self._place(first_token[element])
            note = (
                f"element {coordinates_text(element, self.shape)}\noffset {offset}, "
                f"byte {offset * memory.bits // 8}, bank {bank}\nstored by {_place_text(origin)}"
            )
            label = ":".join(map(str, coordinates(element, self.shape)))
            row, column = divmod(offset, memory.line)
            groups = (origin["lane"], origin["warp"], origin["register"], bank)
            cells.append(Cell(row, column, label, note, groups))
        cells.sort(key=lambda cell: (cell.row, cell.column))
        rows = max(cell.row for cell in cells) + 1
        columns = max(cell.column for cell in cells) + 1
        title = f"shared memory: {memory.text}"
        return Panel(title, rows, columns, "line", "offset in the line", tuple(cells))


class _SharedMemory:
    """Where each element lies in the shared memory of a plan.

    Attributes:
        bits: the bits of an element.
        banks: the number of banks of the chip.
        line: elements in a line of all banks.
        text: the instructions.
        places: element -> (offset, bank).
    """

    def __init__(self, plan: SharedPlan) -> None:
        self.bits = plan.element_bits
        self.banks = plan.memory.banks
        self.line = max(1, self.banks * plan.memory.bank_bytes * 8 // self.bits)
        self.text = f"{plan.write.name}, barrier, {plan.read.name}"
        if plan.repetitions > 1:
            self.text += f"; the same bytes {plan.repetitions} times over, drawn as that many"
        self.places: dict[int, tuple[int, int]] = {}
        for offset, element in enumerate(elements_of(plan.layout, "offset")):
            bank = offset * self.bits // 8 // plan.memory.bank_bytes % self.banks
            self.places[element] = (offset, bank)


def _elements(layout: LinearLayout) -> NDArray[np.int64]:
    """Return the row-major element of each place, [register, lane, warp, block] flattened."""
    registers, lanes, warps, blocks = (
        np.array(elements_of(layout, name), np.int64) for name in reversed(DISTRIBUTED)
    )
    grid = registers[:, None, None, None] ^ lanes[None, :, None, None]
    return (grid ^ warps[None, None, :, None] ^ blocks[None, None, None, :]).reshape(-1)


def _place_text(place: dict[str, int]) -> str:
    return ", ".join(f"{name} {place[name]}" for name in DISTRIBUTED)
