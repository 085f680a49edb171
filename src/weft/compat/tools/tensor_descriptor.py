"""The descriptor of a tensor that the host makes, under Triton's path."""

from weft.launch.tensor_descriptor import TensorDescriptor

__all__ = ["TensorDescriptor"]
