"""`triton._C`."""

from __future__ import annotations

from weft.compat._C import libtriton

__all__ = ["libtriton"]
