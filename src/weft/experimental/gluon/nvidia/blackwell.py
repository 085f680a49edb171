"""What host code needs for Gluon kernels for Blackwell."""

from __future__ import annotations

from weft.experimental.gluon.nvidia.hopper import TensorDescriptor

__all__ = ["TensorDescriptor"]
