"""`triton.tools.tensor_descriptor`."""

from __future__ import annotations

from weft.compat.type_names import canonicalize_dtype, validate_block_shape
from weft.launch.tensor_descriptor import TensorDescriptor

__all__ = ["TensorDescriptor", "canonicalize_dtype", "validate_block_shape"]
