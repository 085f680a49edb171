"""Tensor descriptors that TMA copies blocks by, made on the host for Gluon kernels."""

from __future__ import annotations

from weft.launch.gluon_descriptors import TensorDescriptor

__all__ = ["TensorDescriptor"]
