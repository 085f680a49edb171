"""What host code needs for Gluon kernels for NVIDIA GPUs."""

from __future__ import annotations

from weft.experimental.gluon.nvidia import blackwell, hopper

__all__ = ["blackwell", "hopper"]
