"""The two texts that triton-tensor-layout prints of a layout.

The tensor view lists for each element who holds it, as thread:register. The hardware view lists for
each warp which element is in each register (a line) of each lane (a column). For a 2x4 tensor:

    [[T0:0, T0:1, T2:0, T2:1]          Warp0:
    [ T1:0, T1:1, T3:0, T3:1]]         (0,0), (1,0), (0,2), (1,2)
                                       (0,1), (1,1), (0,3), (1,3)

For a layout of shared memory they list the coordinates of what lies at each offset. Both texts are
those of Triton 3.7.1 to the character, for every layout that it prints.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from weft.layouts.drawing.element_tables import (
    coordinates,
    elements_of,
    holders,
    is_distributed,
    is_shared,
    place_dims,
    shape_of,
)
from weft.layouts.linear_layout import LinearLayout

__all__ = ["Padding", "hardware_view", "padded", "tensor_view"]

Shape = Sequence[int]
# (interval, amount) pairs of a padded layout of shared memory, in elements.
Padding = Sequence[tuple[int, int]]


def tensor_view(layout: LinearLayout, padding: Padding = ()) -> str:
    """Return the tensor with the places that hold each element, a line per row.

    A place is written block:thread:register, the block only if there are several; for other
    in-dimensions, it is their first letters with numbers. A layout of shared memory is written in
    the order of memory, with the coordinates of what lies there.

    Args:
        layout: the layout.
        padding: the padding of a padded layout; the gaps are written (+amount). Triton does not
            print padded layouts.

    Raises:
        LayoutError: the layout is too large to list.
    """
    shape = shape_of(layout)
    if is_shared(layout):
        elements = [element for block in _memory(layout) for element in block]
        cells = [_aligned_coordinates(element, shape, ":") for element in elements]
        cells = [cell + _gap_text(offset + 1, padding) for offset, cell in enumerate(cells)]
        # If there are more blocks than elements, some blocks have nothing to show.
        cells += [""] * (math.prod(shape) - len(cells))
        return _bracketed(cells, shape, ",")
    return _bracketed(_place_texts(layout), shape, ", ")


def hardware_view(layout: LinearLayout, padding: Padding = ()) -> str:
    """Return for each place of the hardware the element that it holds.

    There is one line per register and one column per lane, warp by warp; for shared memory and
    for other in-dimensions, one line per place.

    Args:
        layout: the layout.
        padding: the padding of a padded layout, whose gaps the offsets include.
    """
    if is_shared(layout):
        lines = _memory_lines(layout, padding)
    elif is_distributed(layout):
        lines = _warp_lines(layout)
    else:
        lines = _place_lines(layout)
    return "".join(f"{line}\n" for line in lines)


def _place_texts(layout: LinearLayout) -> list[str]:
    """Return the text of each element: the places that hold it, all of one width."""
    if is_distributed(layout):
        lanes, blocks = layout.in_dims.get("lane", 1), layout.in_dims.get("block", 1)

        def label(place: tuple[int, ...]) -> str:
            block, warp, lane, register = place
            prefix = f"B{block}:" if blocks > 1 else ""
            return f"{prefix}T{warp * lanes + lane}:{register}"
    else:
        letters = [name[:1].upper() for name in place_dims(layout)]

        def label(place: tuple[int, ...]) -> str:
            return ":".join(f"{a}{n}" for a, n in zip(letters, place, strict=True))

    labels = [[label(place) for place in places] for places in holders(layout)]
    width = max(len(text) for texts in labels for text in texts)
    return ["|".join(text.rjust(width) for text in texts) for texts in labels]


def _aligned_coordinates(element: int, shape: Shape, separator: str) -> str:
    widths = [len(str(size - 1)) for size in shape]
    pairs = zip(coordinates(element, shape), widths, strict=True)
    return f"({separator.join(str(entry).rjust(width) for entry, width in pairs)})"


def _bracketed(cells: Sequence[str], shape: Shape, separator: str) -> str:
    """Return the cells as nested rows; a bracket opens where a dimension starts anew."""
    rank, columns = len(shape), shape[-1] if shape else 1
    strides = [math.prod(shape[d:]) for d in range(rank)]
    lines: list[str] = []
    for start in range(0, len(cells), columns):
        opening = sum(start % stride == 0 for stride in strides)
        closing = sum((start + columns) % stride == 0 for stride in strides)
        # Triton writes a space after the brackets of every row but the first.
        indent = "" if opening == rank else " " * (rank - opening)
        row = separator.join(cells[start : start + columns])
        lines.append(f"{'[' * opening}{indent}{row}{']' * closing}\n")
    return "".join(lines)


def _memory(layout: LinearLayout) -> Iterator[list[int]]:
    """Yield for each block the element at each offset; the blocks share the tensor evenly."""
    blocks, offsets = elements_of(layout, "block"), elements_of(layout, "offset")
    size = math.prod(shape_of(layout)) // len(blocks)
    for block in blocks:
        yield [block ^ offsets[offset % len(offsets)] for offset in range(size)]


def padded(offset: int, padding: Padding) -> int:
    """Return the offset with the gaps below it, in elements."""
    return offset + sum(offset // interval * amount for interval, amount in padding)


def _gap_text(offset: int, padding: Padding) -> str:
    """Return the gap before an offset as text."""
    gap = padded(offset, padding) - padded(offset - 1, padding) - 1
    return f",(+{gap})" if gap else ""


def _memory_lines(layout: LinearLayout, padding: Padding) -> Iterator[str]:
    shape = shape_of(layout)
    for block, elements in enumerate(_memory(layout)):
        yield f"Block: {block}:"
        for offset, element in enumerate(elements):
            place = _aligned_coordinates(element, shape, ",")
            yield f"Offset: {padded(offset, padding)} -> {place}"


def _warp_lines(layout: LinearLayout) -> Iterator[str]:
    shape = shape_of(layout)
    blocks, warps, lanes, registers = (elements_of(layout, dim) for dim in place_dims(layout))
    for block_number, block in enumerate(blocks):
        if len(blocks) > 1:
            yield f"Block{block_number}:"
        for warp_number, warp in enumerate(warps):
            yield f"Warp{warp_number}:"
            for register in registers:
                base = block ^ warp ^ register
                yield ", ".join(_aligned_coordinates(base ^ lane, shape, ",") for lane in lanes)


def _place_lines(layout: LinearLayout) -> Iterator[str]:
    shape, names = shape_of(layout), place_dims(layout)
    pairs = [(place, e) for e, places in enumerate(holders(layout)) for place in places]
    for place, element in sorted(pairs):
        where = ", ".join(f"{name}={n}" for name, n in zip(names, place, strict=True))
        yield f"{where} -> {_aligned_coordinates(element, shape, ',')}"
