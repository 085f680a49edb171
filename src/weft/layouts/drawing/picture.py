"""A layout as a picture: panels of cells, each with a label, a hover text and groups to colour by.

The tensor view has a cell for each element, labelled with its holder. The hardware view has a panel
for each warp, with a column for each lane and a row for each register; or, for shared memory, a row
for each line of all banks. `svg` and `html` render pictures.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from msgspec import Struct, structs

from weft.errors import LayoutError
from weft.layouts.drawing.element_tables import (
    coordinates,
    coordinates_text,
    elements_of,
    holders,
    is_distributed,
    is_shared,
    place_dims,
    shape_of,
)
from weft.layouts.drawing.text_views import Padding, padded
from weft.layouts.linear_layout import LinearLayout

__all__ = ["MAX_CELLS", "Cell", "Panel", "Picture", "picture"]

MAX_CELLS = 1 << 14
BANKS, BANK_BYTES = 32, 4
_LINE_WIDTH = 32  # elements per row of a picture of one dimension


class Cell(Struct, frozen=True):
    """One square.

    Attributes:
        row: the row in the panel.
        column: the column in the panel.
        label: the text in it.
        note: the text shown when it is pointed at.
        groups: for each scheme of the picture, the group it is coloured by; -1 for none.
    """

    row: int
    column: int
    label: str
    note: str
    groups: tuple[int, ...]


class Panel(Struct, frozen=True):
    """A grid of cells.

    Attributes:
        title: above it, "" for none.
        rows: their number.
        columns: their number.
        row_axis: what the rows are.
        column_axis: what the columns are.
        cells: the cells in any order.
    """

    title: str
    rows: int
    columns: int
    row_axis: str
    column_axis: str
    cells: tuple[Cell, ...]


class Picture(Struct, frozen=True):
    """Panels, and how they can be coloured.

    Attributes:
        title: above all panels.
        panels: the panels from top to bottom.
        schemes: (name, number of groups) of each colour scheme.
    """

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

    Args:
        layout: the layout.
        title: above the picture.
        hardware: whether the cells are places instead of elements.
        bits: the bits of an element; if 0, shared memory has no banks.
        padding: the padding of a padded layout of shared memory, or of `through`.
        banks: the number of 4-byte banks of the chip's shared memory.
        through: for a layout of registers, that of the shared memory it is written to, which gives
            the cells their banks.

    Raises:
        LayoutError: there would be too many cells to draw.
    """
    count = math.prod(shape_of(layout))
    if hardware:
        count = max(count, math.prod(layout.in_dims.values()))
    if count > MAX_CELLS:
        raise LayoutError(
            "too many cells for a picture", found=count, accepted=[f"at most {MAX_CELLS}"]
        )
    if is_shared(layout):
        memory = _Memory(layout, bits, padding, banks)
        panels = memory.line_panels() if hardware else memory.element_panels()
        return Picture(title, tuple(panels), memory.schemes)
    sizes = [(name, layout.in_dims.get(name, 1)) for name in reversed(place_dims(layout))]
    # A scheme of one group shows nothing. Lanes come first, as they are of most interest.
    schemes = tuple(size for size in sizes if size[1] > 1) or tuple(sizes[:1])
    schemes = tuple(sorted(schemes, key=lambda scheme: scheme[0] != "lane"))
    names = [name for name, _ in schemes]
    panels = tuple(_warp_panels(layout, names) if hardware else _element_panels(layout, names))
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


def _split_into_panels(cells: Sequence[Cell], layout: LinearLayout) -> Iterator[Panel]:
    """Yield panels of two dimensions, one for each index of the others."""
    shape = shape_of(layout)
    rows, columns = _grid(shape)
    row_axis, column_axis = ("", *layout.out_dims)[-2:]
    for start in range(0, len(cells), rows * columns):
        index = coordinates(start, shape)[:-2]
        title = f"[{', '.join(map(str, index))}, :, :]" if index else ""
        part = tuple(cells[start : start + rows * columns])
        yield Panel(title, rows, columns, row_axis, column_axis, part)


def _element_panels(layout: LinearLayout, names: Sequence[str]) -> Iterator[Panel]:
    """Yield panels with a cell per element of a layout that is not of shared memory."""
    shape = shape_of(layout)
    rows, columns = _grid(shape)
    dims = place_dims(layout)
    cells: list[Cell] = []
    for element, places in enumerate(holders(layout)):
        notes = [f"element {coordinates_text(element, shape)}"]
        notes += [_place_text(dims, place, layout) for place in places] or ["held nowhere"]
        first = dict(zip(dims, places[0] if places else (), strict=False))
        more = f" +{len(places) - 1}" if len(places) > 1 else ""
        label = _place_label(dims, places[0], layout) + more if places else ""
        groups = tuple(first.get(name, -1) for name in names)
        row, column = divmod(element % (rows * columns), columns)
        cells.append(Cell(row, column, label, "\n".join(notes), groups))
    return _split_into_panels(cells, layout)


def _place_label(dims: Sequence[str], place: Sequence[int], layout: LinearLayout) -> str:
    if not is_distributed(layout):
        return " ".join(f"{name[:1]}{n}" for name, n in zip(dims, place, strict=True))
    block, warp, lane, register = place
    prefix = f"B{block}:" if layout.in_dims.get("block", 1) > 1 else ""
    return f"{prefix}T{warp * layout.in_dims.get('lane', 1) + lane}:{register}"


def _place_text(dims: Sequence[str], place: Sequence[int], layout: LinearLayout) -> str:
    pairs = zip(dims, place, strict=True)
    return ", ".join(f"{name} {n}" for name, n in pairs if name in layout.in_dims)


def _warp_panels(layout: LinearLayout, names: Sequence[str]) -> Iterator[Panel]:
    """Yield a panel for each warp: registers down, lanes along."""
    if not is_distributed(layout):
        raise LayoutError(
            "the hardware view draws registers of lanes, or shared memory",
            found=", ".join(layout.in_dims),
            accepted=["register, lane, warp, block", "offset, block"],
        )
    shape, dims = shape_of(layout), place_dims(layout)
    blocks, warps, lanes, registers = (elements_of(layout, dim) for dim in dims)
    for block_number, block in enumerate(blocks):
        for warp_number, warp in enumerate(warps):
            cells: list[Cell] = []
            for row, register in enumerate(registers):
                for column, lane in enumerate(lanes):
                    element = block ^ warp ^ register ^ lane
                    place = (block_number, warp_number, column, row)
                    note = (
                        f"{_place_text(dims, place, layout)}\n"
                        f"element {coordinates_text(element, shape)}"
                    )
                    label = ":".join(map(str, coordinates(element, shape)))
                    by_name = dict(zip(dims, place, strict=True))
                    groups = tuple(by_name[name] for name in names)
                    cells.append(Cell(row, column, label, note, groups))
            prefix = f"block {block_number}, " if len(blocks) > 1 else ""
            size = (len(registers), len(lanes))
            title = f"{prefix}warp {warp_number}"
            yield Panel(title, *size, "register", "lane", tuple(cells))


def _with_banks(panel: Panel, layout: LinearLayout, memory: _Memory) -> Panel:
    """Return a panel of registers whose cells have their place in shared memory, too."""
    shape = shape_of(layout)
    offsets = {
        coordinates_text(element, shape): places[0][1]
        for element, places in enumerate(holders(memory.layout))
        if places
    }
    cells: list[Cell] = []
    for cell in panel.cells:
        element = next(line for line in cell.note.split("\n") if line.startswith("element "))
        text, bank = memory.offset_text(offsets[element.removeprefix("element ")])
        note = f"{cell.note}\n{text}"
        cells.append(structs.replace(cell, note=note, groups=(*cell.groups, bank)))
    return structs.replace(panel, cells=tuple(cells))


class _Memory:
    """The cells of shared memory.

    Attributes:
        layout: a layout from offset and block.
        bits: the bits of an element; 0 if unknown, then there are no banks.
        padding: the padding of a padded layout.
        banks: the number of banks of the chip.
        shape: the shape of the tensor.
        rows: the number of rows of the tensor, 1 for a tensor of one dimension.
        schemes: the schemes of the picture.
    """

    def __init__(self, layout: LinearLayout, bits: int, padding: Padding, banks: int) -> None:
        self.layout, self.bits, self.padding, self.banks = layout, bits, padding, banks
        self.shape = shape_of(layout)
        self.rows = self.shape[0] if len(self.shape) > 1 else 1
        self.schemes: tuple[tuple[str, int], ...] = (("row", self.rows),)
        if bits:
            self.schemes = (("bank", banks), ("row", self.rows))

    def offset_text(self, linear_offset: int) -> tuple[str, int]:
        """Return the text of an offset without gaps, and its bank."""
        offset = padded(linear_offset, self.padding)
        bank = self.bank(offset)
        return f"offset {offset}, byte {offset * self.bits // 8}, bank {bank}", bank

    def bank(self, offset: int) -> int:
        """Return the bank of an offset with gaps."""
        return offset * self.bits // 8 // BANK_BYTES % self.banks

    def cell(
        self, row: int, column: int, label: str, block: int, linear_offset: int, element: int
    ) -> Cell:
        """Return the cell of an element.

        Args:
            row: the row of the cell.
            column: the column of the cell.
            label: the label of the cell.
            block: the block that holds the element.
            linear_offset: the offset of the element, without gaps.
            element: the row-major index of the element.
        """
        offset = padded(linear_offset, self.padding)
        place = f"offset {offset}"
        if self.layout.in_dims.get("block", 1) > 1:
            place = f"block {block}, {place}"
        title = f"element {coordinates_text(element, self.shape)}"
        element_row = coordinates(element, self.shape)[0] if self.rows > 1 else 0
        if not self.bits:
            return Cell(row, column, label, f"{title}\n{place}", (element_row,))
        place += f", byte {offset * self.bits // 8}, bank {self.bank(offset)}"
        groups = (self.bank(offset), element_row)
        return Cell(row, column, label, f"{title}\n{place}", groups)

    def element_panels(self) -> Iterator[Panel]:
        """Yield panels with a cell per element."""
        rows, columns = _grid(self.shape)
        cells: list[Cell] = []
        for element, places in enumerate(holders(self.layout)):
            block, offset = places[0] if places else (0, 0)
            row, column = divmod(element % (rows * columns), columns)
            label = str(padded(offset, self.padding))
            cells.append(self.cell(row, column, label, block, offset, element))
        return _split_into_panels(cells, self.layout)

    def line_panels(self) -> Iterator[Panel]:
        """Yield the memory of each block, as wide as all banks or as a row of the tensor."""
        offsets = elements_of(self.layout, "offset")
        columns = self.banks * BANK_BYTES * 8 // self.bits if self.bits else _grid(self.shape)[1]
        for block, base in enumerate(elements_of(self.layout, "block")):
            cells: list[Cell] = []
            for offset, image in enumerate(offsets):
                element = base ^ image
                label = ":".join(map(str, coordinates(element, self.shape)))
                row, column = divmod(padded(offset, self.padding), columns)
                cells.append(self.cell(row, column, label, block, offset, element))
            title = f"block {block}" if "block" in self.layout.in_dims and base else ""
            rows = max(cell.row for cell in cells) + 1
            width = min(columns, max(cell.column for cell in cells) + 1)
            yield Panel(title, rows, width, "line", "offset in the line", tuple(cells))
