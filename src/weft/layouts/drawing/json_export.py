"""A layout as JSON: its bases, and every element with the places that hold it."""

from __future__ import annotations

import json

from weft.layouts.drawing.element_tables import (
    coordinates,
    holders,
    places,
    shape_of,
)
from weft.layouts.drawing.text_views import Padding, padded
from weft.layouts.linear_layout import LinearLayout

__all__ = ["as_json"]


def as_json(
    layout: LinearLayout, text: str, *, element: str = "", bits: int = 0, padding: Padding = ()
) -> str:
    """Return a JSON document.

    Its keys: layout (the text), shape, element and bits (where known), in_dims and out_dims (sizes
    by name), bases (vectors by in-dimension), places (what the numbers of a place mean) and
    elements: {"at": coordinates, "held_by": places}, in row-major order. The offset of a padded
    layout is that with the gaps.
    """
    shape, names = shape_of(layout), places(layout)
    elements = []
    for index, held in enumerate(holders(layout)):
        found = [list(place) for place in held]
        if "offset" in names:
            at = names.index("offset")
            for place in found:
                place[at] = padded(place[at], padding)
        elements.append({"at": list(coordinates(index, shape)), "held_by": found})
    head: dict[str, object] = {"layout": text, "shape": list(shape)}
    if bits:
        head |= {"element": element, "bits": bits}
    head |= {
        "in_dims": layout.in_dims,
        "out_dims": layout.out_dims,
        "bases": layout.bases,
        "places": list(names),
    }
    lines = ",\n    ".join(json.dumps(each) for each in elements)
    opened = ",\n  ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items())
    return f'{{\n  {opened},\n  "elements": [\n    {lines}\n  ]\n}}\n'
