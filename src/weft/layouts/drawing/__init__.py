"""Draw a layout: as the texts of triton-tensor-layout, as a picture, as data, in CuTe's words."""

from __future__ import annotations

from weft.layouts.drawing.views import hardware_view, tensor_view

__all__ = ["hardware_view", "tensor_view"]
