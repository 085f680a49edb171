"""Draw a layout: as the texts of triton-tensor-layout, as a picture, as JSON, in CuTe's notation.

from weft.layouts.drawing import picture, svg, tensor_view

print(tensor_view(encoding.linear((16, 16))))
Path("layout.svg").write_text(svg(picture(encoding.linear((16, 16)), str(encoding))))
"""

from __future__ import annotations

from weft.layouts.drawing.conversion_picture import conversion_picture, conversion_steps
from weft.layouts.drawing.cute import cute
from weft.layouts.drawing.html import html
from weft.layouts.drawing.json_export import as_json
from weft.layouts.drawing.picture import picture
from weft.layouts.drawing.svg import svg
from weft.layouts.drawing.text_views import hardware_view, tensor_view
from weft.layouts.drawing.transfer_picture import transfer_picture

__all__ = [
    "as_json",
    "conversion_picture",
    "conversion_steps",
    "cute",
    "hardware_view",
    "html",
    "picture",
    "svg",
    "tensor_view",
    "transfer_picture",
]
