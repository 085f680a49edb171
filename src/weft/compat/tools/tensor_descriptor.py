"""`triton.tools.tensor_descriptor`."""

from __future__ import annotations

from weft.launch.tensor_descriptor import TensorDescriptor

__all__ = ["TensorDescriptor"]
