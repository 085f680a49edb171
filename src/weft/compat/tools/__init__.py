"""`triton.tools`."""

from __future__ import annotations

from weft.compat._C.libtriton.linear_layout import LinearLayout

__all__ = ["LinearLayout"]
