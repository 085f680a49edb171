"""Tensor descriptors that TDM copies blocks by, made on the host for Gluon kernels."""

from __future__ import annotations

from weft.launch.gluon_descriptors import TdmDescriptor as TensorDescriptor

__all__ = ["TensorDescriptor"]
