"""What host code needs for Gluon kernels for AMD GPUs."""

from __future__ import annotations

from weft.experimental.gluon.amd import gfx1250

__all__ = ["gfx1250"]
