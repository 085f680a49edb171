"""A conversion as a picture: the registers of the target, each with the place its value comes from.

Colours are those of the source. If a panel of the target has one colour by warp, nothing crosses
warps; if a column has one colour by lane, nothing crosses lanes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from weft.errors import LayoutError
from weft.layouts.drawing.element_tables import (
    DISTRIBUTED,
    coordinates_text,
    elements_of,
    holders,
    shape_of,
)
from weft.layouts.drawing.picture import MAX_CELLS, Cell, Panel, Picture
from weft.layouts.linear_layout import LinearLayout

__all__ = ["transfer_picture"]

_SCHEMES = ("lane", "warp", "register")


def transfer_picture(source: LinearLayout, target: LinearLayout, title: str) -> Picture:
    """Return the picture of a conversion between two layouts of one tensor in registers.

    If several places hold an element, the one in the target's own lane and warp is shown, else
    one in its warp, else the first.

    Raises:
        LayoutError: there would be too many cells to draw.
    """
    count = math.prod(target.in_dims.values())
    if count > MAX_CELLS:
        raise LayoutError(
            "too many cells for a picture", found=count, accepted=[f"at most {MAX_CELLS}"]
        )
    schemes = tuple((name, source.in_dims.get(name, 1)) for name in _SCHEMES)
    return Picture(title, tuple(_panels(source, target)), schemes)


def _panels(source: LinearLayout, target: LinearLayout) -> Iterator[Panel]:
    """Yield a panel for each warp of the target: registers down, lanes along."""
    shape, source_places = shape_of(source), holders(source)
    source_lanes = source.in_dims.get("lane", 1)
    blocks, warps, lanes, registers = (elements_of(target, dim) for dim in DISTRIBUTED)
    for block_number, block in enumerate(blocks):
        for warp_number, warp in enumerate(warps):
            cells: list[Cell] = []
            for row, register in enumerate(registers):
                for column, lane in enumerate(lanes):
                    element = block ^ warp ^ register ^ lane
                    thread = (block_number, warp_number, column)
                    place = _nearest(source_places[element], thread)
                    label = f"T{place[1] * source_lanes + place[2]}:{place[3]}"
                    note = (
                        f"element {coordinates_text(element, shape)}\n"
                        f"to {_place_text((*thread, row))}\n"
                        f"from {_place_text(place)}"
                    )
                    cells.append(Cell(row, column, label, note, (place[2], place[1], place[3])))
            prefix = f"to block {block_number}, " if len(blocks) > 1 else "to "
            size = (len(registers), len(lanes))
            yield Panel(f"{prefix}warp {warp_number}", *size, "register", "lane", tuple(cells))


def _nearest(places: list[tuple[int, ...]], thread: tuple[int, int, int]) -> tuple[int, ...]:
    """Return the place that shares most with (block, warp, lane), the block first."""

    def differences(place: tuple[int, ...]) -> tuple[bool, ...]:
        return tuple(a != b for a, b in zip(place, thread, strict=False))

    return min(places, key=differences)


def _place_text(place: tuple[int, ...]) -> str:
    return ", ".join(f"{name} {n}" for name, n in zip(DISTRIBUTED, place, strict=True))
