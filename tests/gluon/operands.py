"""Random operands of Gluon kernels, and the products that they must give."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import weft.gluon as gl
from weft.experimental.gluon.nvidia.hopper import TensorDescriptor

__all__ = ["f16_descriptor", "numbers", "product"]


def numbers(*shape: int, dtype: str = "f2") -> np.ndarray:
    """Draw integers of -4 to 4, so that sums are exact."""
    return np.random.default_rng(0).integers(-4, 5, shape).astype(dtype)


def product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Multiply matrices in fp32.

    Args:
        x: M x K.
        y: K x N.
    """
    return x.astype("f4") @ y.astype("f4")


def f16_descriptor(
    array: np.ndarray, block: Sequence[int], cga_layout: list[list[int]] | None = None
) -> TensorDescriptor:
    """Describe an array of fp16 by blocks in the default layout of shared memory.

    Args:
        array: The array.
        block: The shape of a block.
        cga_layout: The CTAs of a cluster that share a block; None for one CTA.
    """
    layout = gl.NVMMASharedLayout.get_default_for(block, gl.float16, cga_layout=cga_layout)
    return TensorDescriptor.from_tensor(array, block, layout)
