"""A layout as a picture: panels of cells, each with a label, a hover text and groups to colour by.

The tensor view has a cell for each element, which says who holds it; the hardware view has a panel
for each warp, a column for each lane and a row for each register, or of shared memory a row for
each line of all banks. Rendering is in svg.py and html.py.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.errors import LayoutError
from weft.layouts.drawing.element_tables import (
    coordinates,
    elements_of,
    holders,
    is_distributed,
    is_shared,
    places,
    shape_of,
)
from weft.layouts.drawing.text_views import Padding, padded
from weft.layouts.linear_layout import LinearLayout

__all__ = ["Cell", "Panel", "Picture", "picture"]

MOST_CELLS = 1 << 14
BANKS, BANK_BYTES = 32, 4
_LINE_WIDTH = 32  # elements per row of a picture of one dimension


@dataclass(frozen=True, slots=True)
class Cell:
    """One square. groups: a number per scheme of the picture, in its order."""

    row: int
    column: int
    label: str
    note: str
    groups: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """A grid of cells with a title and the names of its axes."""

    title: str
    rows: int
    columns: int
    row_axis: str
    column_axis: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """Panels, and the schemes that they can be coloured by: (name, number of groups)."""

    title: str
    panels: tuple[Panel, ...]
    schemes: tuple[tuple[str, int], ...]


def picture(
    layout: LinearLayout,
    title: str,
    *,
    hardware: bool = False,
    bits: int = 0,
    padding: Padding = (),
    banks: int = BANKS,
    through: LinearLayout | None = None,
) -> Picture:
    """Return the picture of a layout.

    Args: title: above it.  hardware: whether the cells are places, not elements.
    bits: of an element, without which shared memory has no banks.  padding: as of the views.
    banks: of the chip's shared memory, of 4 bytes each.  through: for a layout of registers, that
    of the shared memory it is written to, from which the cells get banks; `padding` is of it.
    Raises: LayoutError where there would be too many cells to draw.
    """
    cells = math.prod(shape_of(layout))
    if hardware:
        cells = max(cells, math.prod(layout.in_dims.values()))
    if cells > MOST_CELLS:
        raise LayoutError(
            "too many cells for a picture", found=cells, accepted=[f"at most {MOST_CELLS}"]
        )
    if is_shared(layout):
        memory = _Memory(layout, bits, padding, banks)
        panels = memory.lines() if hardware else memory.elements()
        return Picture(title, tuple(panels), memory.schemes)
    # One group is no colour; lanes are what one looks for first.
    sizes = [(name, layout.in_dims.get(name, 1)) for name in reversed(places(layout))]
    schemes = tuple(size for size in sizes if size[1] > 1) or tuple(sizes[:1])
    schemes = tuple(sorted(schemes, key=lambda scheme: scheme[0] != "lane"))
    names = [name for name, _ in schemes]
    panels = tuple(_warps(layout, names) if hardware else _elements(layout, names))
    if through is not None and bits:
        memory = _Memory(through, bits, padding, banks)
        panels = tuple(_with_banks(panel, layout, memory) for panel in panels)
        schemes = (*schemes, ("bank", banks))
    return Picture(title, panels, schemes)


def _grid(shape: Sequence[int]) -> tuple[int, int]:
    """Return rows and columns of one panel."""
    if len(shape) > 1:
        return shape[-2], shape[-1]
    size = shape[0] if shape else 1
    columns = min(size, _LINE_WIDTH)
    return size // columns, columns


def _split(cells: Sequence[Cell], layout: LinearLayout) -> Iterator[Panel]:
    """Yield panels of two dimensions, one for each index of the others."""
    shape = shape_of(layout)
    rows, columns = _grid(shape)
    row_axis, column_axis = ("", *layout.out_dims)[-2:]
    for start in range(0, len(cells), rows * columns):
        index = coordinates(start, shape)[:-2]
        title = f"[{', '.join(map(str, index))}, :, :]" if index else ""
        part = tuple(cells[start : start + rows * columns])
        yield Panel(title, rows, columns, row_axis, column_axis, part)


def _at(element: int, shape: Sequence[int]) -> str:
    return f"({', '.join(map(str, coordinates(element, shape)))})"


def _elements(layout: LinearLayout, names: Sequence[str]) -> Iterator[Panel]:
    shape = shape_of(layout)
    rows, columns = _grid(shape)
    order = places(layout)
    cells = []
    for element, held in enumerate(holders(layout)):
        notes = [f"element {_at(element, shape)}"]
        notes += [_place(order, place, layout) for place in held] or ["held by no one"]
        first = dict(zip(order, held[0] if held else (), strict=False))
        more = f" +{len(held) - 1}" if len(held) > 1 else ""
        label = _label(order, held[0], layout) + more if held else ""
        groups = tuple(first.get(name, -1) for name in names)
        within = element % (rows * columns)
        cells.append(Cell(within // columns, within % columns, label, "\n".join(notes), groups))
    return _split(cells, layout)


def _label(order: Sequence[str], place: Sequence[int], layout: LinearLayout) -> str:
    if not is_distributed(layout):
        return " ".join(f"{name[:1]}{n}" for name, n in zip(order, place, strict=True))
    block, warp, lane, register = place
    head = f"B{block}:" if layout.in_dims.get("block", 1) > 1 else ""
    return f"{head}T{warp * layout.in_dims.get('lane', 1) + lane}:{register}"


def _place(order: Sequence[str], place: Sequence[int], layout: LinearLayout) -> str:
    pairs = zip(order, place, strict=True)
    return ", ".join(f"{name} {n}" for name, n in pairs if name in layout.in_dims)


def _warps(layout: LinearLayout, names: Sequence[str]) -> Iterator[Panel]:
    if not is_distributed(layout):
        raise LayoutError(
            "the hardware view draws registers of lanes, or shared memory",
            found=", ".join(layout.in_dims),
            accepted=["register, lane, warp, block", "offset, block"],
        )
    shape = shape_of(layout)
    tables = [elements_of(layout, dim) for dim in places(layout)]
    blocks, warps, lanes, registers = tables
    for block, of_block in enumerate(blocks):
        for warp, of_warp in enumerate(warps):
            cells = []
            for register, of_register in enumerate(registers):
                for lane, of_lane in enumerate(lanes):
                    element = of_block ^ of_warp ^ of_register ^ of_lane
                    place = (block, warp, lane, register)
                    found = dict(zip(places(layout), place, strict=True))
                    note = f"{_place(places(layout), place, layout)}\nelement {_at(element, shape)}"
                    label = ":".join(map(str, coordinates(element, shape)))
                    groups = tuple(found[name] for name in names)
                    cells.append(Cell(register, lane, label, note, groups))
            head = f"block {block}, " if len(blocks) > 1 else ""
            size = (len(registers), len(lanes))
            yield Panel(f"{head}warp {warp}", *size, "register", "lane", tuple(cells))


def _with_banks(panel: Panel, layout: LinearLayout, memory: _Memory) -> Panel:
    """Return a panel of registers whose cells know their place in shared memory."""
    shape = shape_of(layout)
    offsets = {_at(element, shape): held[0][1] for element, held in enumerate(memory.held) if held}
    cells = []
    for cell in panel.cells:
        element = next(line for line in cell.note.split("\n") if line.startswith("element "))
        words, bank = memory.words(offsets[element.removeprefix("element ")])
        note = f"{cell.note}\n{words}"
        cells.append(dataclasses.replace(cell, note=note, groups=(*cell.groups, bank)))
    return dataclasses.replace(panel, cells=tuple(cells))


class _Memory:
    """The cells of shared memory."""

    def __init__(self, layout: LinearLayout, bits: int, padding: Padding, banks: int) -> None:
        self.layout, self.bits, self.padding, self.banks = layout, bits, padding, banks
        self.shape = shape_of(layout)
        self.rows = self.shape[0] if len(self.shape) > 1 else 1
        self.schemes = (("row", self.rows),)
        if bits:
            self.schemes = (("bank", banks), ("row", self.rows))

    @property
    def held(self) -> list[list[tuple[int, ...]]]:
        """Return for each element its (block, offset)."""
        return holders(self.layout)

    def words(self, at: int) -> tuple[str, int]:
        """Return an offset, before gaps, in words, and its bank."""
        offset = padded(at, self.padding)
        bank = self.bank(offset)
        return f"offset {offset}, byte {offset * self.bits // 8}, bank {bank}", bank

    def bank(self, offset: int) -> int:
        return offset * self.bits // 8 // BANK_BYTES % self.banks

    def cell(self, row: int, column: int, label: str, block: int, at: int, element: int) -> Cell:
        offset = padded(at, self.padding)
        lines = [f"element {_at(element, self.shape)}", f"offset {offset}"]
        if self.layout.in_dims.get("block", 1) > 1:
            lines[1] = f"block {block}, {lines[1]}"
        of_row = coordinates(element, self.shape)[0] if self.rows > 1 else 0
        if not self.bits:
            return Cell(row, column, label, "\n".join(lines), (of_row,))
        lines[1] += f", byte {offset * self.bits // 8}, bank {self.bank(offset)}"
        return Cell(row, column, label, "\n".join(lines), (self.bank(offset), of_row))

    def elements(self) -> Iterator[Panel]:
        rows, columns = _grid(self.shape)
        cells = []
        for element, held in enumerate(holders(self.layout)):
            block, at = held[0] if held else (0, 0)
            within = element % (rows * columns)
            label = str(padded(at, self.padding))
            cells.append(self.cell(within // columns, within % columns, label, block, at, element))
        return _split(cells, self.layout)

    def lines(self) -> Iterator[Panel]:
        """Yield the memory of each block, as wide as all banks or as a row of the tensor."""
        offsets = elements_of(self.layout, "offset")
        columns = self.banks * BANK_BYTES * 8 // self.bits if self.bits else _grid(self.shape)[1]
        for block, base in enumerate(elements_of(self.layout, "block")):
            cells = []
            for at, image in enumerate(offsets):
                element, place = base ^ image, padded(at, self.padding)
                label = ":".join(map(str, coordinates(element, self.shape)))
                row, column = divmod(place, columns)
                cells.append(self.cell(row, column, label, block, at, element))
            title = f"block {block}" if "block" in self.layout.in_dims and base else ""
            rows = max(cell.row for cell in cells) + 1
            width = min(columns, max(cell.column for cell in cells) + 1)
            yield Panel(title, rows, width, "line", "offset in the line", tuple(cells))
