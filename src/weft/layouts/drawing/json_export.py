"""A layout as JSON: its bases, and every element with the places that hold it."""

from __future__ import annotations

import json

from weft.layouts.drawing.element_tables import coordinates, holders, place_dims, shape_of
from weft.layouts.drawing.text_views import Padding, padded
from weft.layouts.linear_layout import LinearLayout

__all__ = ["as_json"]


def as_json(
    layout: LinearLayout, text: str, *, element: str = "", bits: int = 0, padding: Padding = ()
) -> str:
    """Return a JSON document.

    Its keys are layout (the text), shape, element and bits (if known), in_dims and out_dims (sizes
    by name), bases (vectors by in-dimension), places (what the numbers of a place mean) and
    elements: {"at": coordinates, "held_by": places}, in row-major order.

    Args:
        layout: the layout.
        text: what to call it.
        element: the element type, such as "f16".
        bits: the bits of an element.
        padding: the padding of a padded layout, whose gaps the offsets include.
    """
    shape, names = shape_of(layout), place_dims(layout)
    elements: list[dict[str, object]] = []
    for index, held_by in enumerate(holders(layout)):
        places = [list(place) for place in held_by]
        if "offset" in names:
            offset = names.index("offset")
            for place in places:
                place[offset] = padded(place[offset], padding)
        elements.append({"at": list(coordinates(index, shape)), "held_by": places})
    header: dict[str, object] = {"layout": text, "shape": list(shape)}
    if bits:
        header |= {"element": element, "bits": bits}
    header |= {
        "in_dims": layout.in_dims,
        "out_dims": layout.out_dims,
        "bases": layout.bases,
        "places": list(names),
    }
    # One line per element, as a document with one number per line would be unreadable.
    lines = ",\n    ".join(map(json.dumps, elements))
    keys = ",\n  ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in header.items())
    return f'{{\n  {keys},\n  "elements": [\n    {lines}\n  ]\n}}\n'
