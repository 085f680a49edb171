"""`weft.TensorDescriptor`: a tensor descriptor made on the host, which kernels take as an argument.

    x_desc = weft.TensorDescriptor.from_tensor(x, [128, 64])
    kernel[grid](x_desc)                      # in the kernel: x_desc.load([i, j])

The attributes are those of `triton.tools.tensor_descriptor.TensorDescriptor`.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weft.errors import DescriptorError, LaunchError
from weft.launch.array_protocols import is_protocol_array, view_array
from weft.launch.array_types import (
    ByteStridedArray,
    Descriptor,
    StridedArray,
)
from weft.launch.arrays import has_stride

__all__ = ["TensorDescriptor", "with_base"]

_MAX_RANK, _ALIGNMENT = 5, 16  # bytes
_PADDINGS = ("zero", "nan")


@dataclass(slots=True)
class TensorDescriptor:
    """A tensor of up to five dimensions that kernels load and store by tiles.

    Attributes:
        base: An array.
        shape: Elements per dimension.
        strides: Strides in elements; the last one is 1.
        block_shape: Shape of a tile.
        padding: The value of loads outside of the tensor: "zero" or "nan".
        round_f32_to_tf32: Whether loads of float32 round to TF32.

    Raises:
        DescriptorError: Ranks that differ or exceed 5, an extent of a tile that is no power of two,
            an empty tensor, rows that do not begin at multiples of 16 bytes, a non-contiguous last
            dimension, or an unknown padding.
    """

    base: object
    shape: Sequence[int]
    strides: Sequence[int]
    block_shape: Sequence[int]
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    def __post_init__(self) -> None:
        ranks = (len(self.shape), len(self.strides), len(self.block_shape))
        ranks_text = "shape, strides and block_shape of rank {}, {} and {}".format(*ranks)
        if len(set(ranks)) > 1:
            raise DescriptorError("rank mismatch of a tensor descriptor", found=ranks_text)
        if not 1 <= ranks[0] <= _MAX_RANK:
            raise DescriptorError(
                f"rank of a tensor descriptor is not 1 to {_MAX_RANK}", found=ranks_text
            )
        if self.strides[-1] != 1:
            raise DescriptorError(
                "Last dimension of a tensor descriptor must be contiguous",
                found=f"strides {list(self.strides)}",
                accepted=["a last stride of 1"],
            )
        if self.padding not in _PADDINGS:
            raise DescriptorError(
                "Illegal value for padding of a tensor descriptor",
                found=self.padding,
                accepted=_PADDINGS,
            )
        self._check_extents()

    def _check_extents(self) -> None:
        for dim, extent in enumerate(self.block_shape):
            if extent < 1 or extent & (extent - 1):
                raise DescriptorError(
                    f"Shape element {dim} must be a power of 2",
                    found=f"block_shape {list(self.block_shape)}",
                )
        if any(size <= 0 for size in self.shape):
            raise DescriptorError("shape must be positive", found=list(self.shape))
        octets = getattr(getattr(self.base, "dtype", None), "itemsize", None)
        if octets is None:
            return  # an array of a library whose types have no size
        if any(stride * octets % _ALIGNMENT for stride in self.strides[:-1]):
            raise DescriptorError(
                f"strides must be {_ALIGNMENT}-byte aligned",
                found=f"strides {list(self.strides)} of {octets} bytes",
            )

    @staticmethod  # as Triton's: torch.compile recognizes the function by its identity
    def from_tensor(
        tensor: Any,
        block_shape: Sequence[int],
        padding: str = "zero",
        round_f32_to_tf32: bool = False,
    ) -> TensorDescriptor:
        """Describe a whole tensor of torch, numpy, or another library.

        Raises:
            DescriptorError: As the class.
            LaunchError: The array has no strides.
        """
        view = view_array(tensor, "base") if is_protocol_array(tensor) else tensor
        shape = [int(size) for size in view.shape]
        strides = _element_strides(view)
        return TensorDescriptor(tensor, shape, strides, block_shape, padding, round_f32_to_tf32)


def with_base(descriptor: Descriptor, base: object) -> Descriptor:
    """Copy a descriptor, weft's or Triton's, with another array as its base."""
    if hasattr(descriptor, "layout"):  # of a Gluon kernel
        other: Any = copy.copy(descriptor)
        other.base = base
        return other
    return TensorDescriptor(
        base,
        descriptor.shape,
        descriptor.strides,
        descriptor.block_shape,
        getattr(descriptor, "padding", "zero"),
        getattr(descriptor, "round_f32_to_tf32", False),
    )


def _element_strides(tensor: StridedArray | ByteStridedArray) -> list[int]:
    if has_stride(tensor):
        return [int(stride) for stride in tensor.stride()]
    byte_strides = tensor.strides
    if byte_strides is None:
        raise LaunchError("a tensor descriptor needs an array with strides", found=tensor)
    return [int(stride) // tensor.itemsize for stride in byte_strides]
