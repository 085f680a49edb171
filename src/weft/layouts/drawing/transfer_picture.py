"""A conversion as a picture: the registers of the target, each with the place it is filled from.

Colours are those of the source: where a panel of the target has one colour by warp, nothing crosses
warps; where a column has one colour by lane, nothing crosses lanes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from weft.errors import LayoutError
from weft.layouts.drawing.element_tables import (
    DISTRIBUTED,
    coordinates,
    elements_of,
    holders,
    shape_of,
)
from weft.layouts.drawing.picture import MOST_CELLS, Cell, Panel, Picture
from weft.layouts.linear_layout import LinearLayout

__all__ = ["transfer_picture"]

_SCHEMES = ("lane", "warp", "register")


def transfer_picture(source: LinearLayout, target: LinearLayout, title: str) -> Picture:
    """Return the picture of a conversion between two layouts of the registers of one tensor.

    Of several places that hold an element, the one in the target's own lane and warp is shown,
    else the one in its warp, else the first.
    Raises: LayoutError where there would be too many cells to draw.
    """
    cells = math.prod(target.in_dims.values())
    if cells > MOST_CELLS:
        raise LayoutError(
            "too many cells for a picture", found=cells, accepted=[f"at most {MOST_CELLS}"]
        )
    schemes = tuple((name, source.in_dims.get(name, 1)) for name in _SCHEMES)
    return Picture(title, tuple(_panels(source, target)), schemes)


def _panels(source: LinearLayout, target: LinearLayout) -> Iterator[Panel]:
    shape, held = shape_of(source), holders(source)
    lanes_of_warp = source.in_dims.get("lane", 1)
    blocks, warps, lanes, registers = (elements_of(target, dim) for dim in DISTRIBUTED)
    for block, of_block in enumerate(blocks):
        for warp, of_warp in enumerate(warps):
            cells = []
            for register, of_register in enumerate(registers):
                for lane, of_lane in enumerate(lanes):
                    element = of_block ^ of_warp ^ of_register ^ of_lane
                    place = _nearest(held[element], (block, warp, lane))
                    label = f"T{place[1] * lanes_of_warp + place[2]}:{place[3]}"
                    at = ", ".join(map(str, coordinates(element, shape)))
                    note = (
                        f"element ({at})\nto {_words((block, warp, lane, register))}\n"
                        f"from {_words(place)}"
                    )
                    groups = (place[2], place[1], place[3])
                    cells.append(Cell(register, lane, label, note, groups))
            head = f"to block {block}, " if len(blocks) > 1 else "to "
            size = (len(registers), len(lanes))
            yield Panel(f"{head}warp {warp}", *size, "register", "lane", tuple(cells))


def _nearest(held: list[tuple[int, ...]], wanted: tuple[int, int, int]) -> tuple[int, ...]:
    """Return the place that shares most with (block, warp, lane), block first."""

    def apart(place: tuple[int, ...]) -> tuple[bool, ...]:
        return tuple(a != b for a, b in zip(place, wanted, strict=False))

    return min(held, key=apart)


def _words(place: tuple[int, ...]) -> str:
    return ", ".join(f"{name} {n}" for name, n in zip(DISTRIBUTED, place, strict=True))
