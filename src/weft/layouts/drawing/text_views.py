"""The two texts that triton-tensor-layout prints of a layout.

The tensor view says of each element who holds it, thread:register; the hardware view says of each
warp which element is in each register (a line) of each lane (a column). Of a 2x4 tensor:

    [[T0:0, T0:1, T2:0, T2:1]          Warp0:
    [ T1:0, T1:1, T3:0, T3:1]]         (0,0), (1,0), (0,2), (1,2)
                                       (0,1), (1,1), (0,3), (1,3)

A layout of shared memory has the coordinates of what lies at each offset. Both texts are those of
Triton 3.7.1 to the character, for every layout that it prints.
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
    places,
    shape_of,
)
from weft.layouts.linear_layout import LinearLayout

__all__ = ["Padding", "hardware_view", "padded", "tensor_view"]

Shape = Sequence[int]


Padding = Sequence[tuple[int, int]]


def tensor_view(layout: LinearLayout, padding: Padding = ()) -> str:
    """Return the tensor with the places that hold each element, a line per row.

    Args: padding: (interval, amount) pairs of a padded layout of shared memory, in elements; the
    gaps are written (+amount). Triton prints no padded layouts.

    A place is written block:thread:register, the block only where there are several; of a layout
    with in-dimensions of its own, as the first letters of those and numbers. A layout of shared
    memory is written in the order of memory, with the coordinates of what lies there.
    Raises: LayoutError where the layout is too large to list.
    """
    shape = shape_of(layout)
    if is_shared(layout):
        memory = [element for block in _memory(layout) for element in block]
        cells = [_coordinates(element, shape, ":") for element in memory]
        cells = [cell + _gap(offset + 1, padding) for offset, cell in enumerate(cells)]
        # Blocks that outnumber the elements have none to show.
        cells += [""] * (math.prod(shape) - len(cells))
        return _bracketed(cells, shape, ",")
    return _bracketed(_held(layout), shape, ", ")


def hardware_view(layout: LinearLayout, padding: Padding = ()) -> str:
    """Return for each place of the hardware the element that it holds.

    Args: padding: as of `tensor_view`; offsets are those with the gaps.

    One line per register and one column per lane, warp by warp; of shared memory, and of a layout
    with in-dimensions of its own, one line per place.
    """
    if is_shared(layout):
        lines = _memory_lines(layout, padding)
    elif is_distributed(layout):
        lines = _warp_lines(layout)
    else:
        lines = _place_lines(layout)
    return "".join(f"{line}\n" for line in lines)


def _held(layout: LinearLayout) -> list[str]:
    """Return the text of each element: its holders, all of one width."""
    found = holders(layout)
    if is_distributed(layout):
        lanes, blocks = layout.in_dims.get("lane", 1), layout.in_dims.get("block", 1)

        def label(place: tuple[int, ...]) -> str:
            block, warp, lane, register = place
            head = f"B{block}:" if blocks > 1 else ""
            return f"{head}T{warp * lanes + lane}:{register}"
    else:
        letters = [name[:1].upper() for name in places(layout)]

        def label(place: tuple[int, ...]) -> str:
            return ":".join(f"{a}{n}" for a, n in zip(letters, place, strict=True))

    labels = [[label(place) for place in each] for each in found]
    width = max(len(text) for each in labels for text in each)
    return ["|".join(text.rjust(width) for text in each) for each in labels]


def _coordinates(element: int, shape: Shape, separator: str) -> str:
    widths = [len(str(size - 1)) for size in shape]
    pairs = zip(coordinates(element, shape), widths, strict=True)
    return f"({separator.join(str(c).rjust(width) for c, width in pairs)})"


def _bracketed(cells: Sequence[str], shape: Shape, separator: str) -> str:
    """Return the cells as nested rows; a bracket opens where a dimension starts anew."""
    rank, columns = len(shape), shape[-1] if shape else 1
    strides = [math.prod(shape[d:]) for d in range(rank)]
    text = []
    for start in range(0, len(cells), columns):
        opened = sum(start % stride == 0 for stride in strides)
        closed = sum((start + columns) % stride == 0 for stride in strides)
        indent = "" if opened == rank else " " * (rank - opened)
        # Triton writes a space after the brackets of every row but the first.
        row = separator.join(cells[start : start + columns])
        text.append(f"{'[' * opened}{indent}{row}{']' * closed}\n")
    return "".join(text)


def _memory(layout: LinearLayout) -> Iterator[list[int]]:
    """Yield for each block the element at each offset; the blocks share the tensor evenly."""
    blocks, offsets = elements_of(layout, "block"), elements_of(layout, "offset")
    size = math.prod(shape_of(layout)) // len(blocks)
    for block in blocks:
        yield [block ^ offsets[offset % len(offsets)] for offset in range(size)]


def padded(offset: int, padding: Padding) -> int:
    """Return the offset with the gaps below it, in elements."""
    return offset + sum(offset // interval * amount for interval, amount in padding)


def _gap(offset: int, padding: Padding) -> str:
    spare = padded(offset, padding) - padded(offset - 1, padding) - 1
    return f",(+{spare})" if spare else ""


def _memory_lines(layout: LinearLayout, padding: Padding) -> Iterator[str]:
    shape = shape_of(layout)
    for block, elements in enumerate(_memory(layout)):
        yield f"Block: {block}:"
        for offset, element in enumerate(elements):
            yield f"Offset: {padded(offset, padding)} -> {_coordinates(element, shape, ',')}"


def _warp_lines(layout: LinearLayout) -> Iterator[str]:
    shape = shape_of(layout)
    blocks, warps, lanes, registers = (elements_of(layout, dim) for dim in places(layout))
    for block, of_block in enumerate(blocks):
        if len(blocks) > 1:
            yield f"Block{block}:"
        for warp, of_warp in enumerate(warps):
            yield f"Warp{warp}:"
            for register in registers:
                base = of_block ^ of_warp ^ register
                yield ", ".join(_coordinates(base ^ lane, shape, ",") for lane in lanes)


def _place_lines(layout: LinearLayout) -> Iterator[str]:
    shape, names = shape_of(layout), places(layout)
    held = sorted((place, e) for e, each in enumerate(holders(layout)) for place in each)
    for place, element in held:
        where = ", ".join(f"{name}={n}" for name, n in zip(names, place, strict=True))
        yield f"{where} -> {_coordinates(element, shape, ',')}"
