"""Tensor descriptors made on the host: a tensor, and the shape of the tiles that are taken from it.

    x = TensorDescriptor.from_tensor(tensor, [128, 64])
    kernel[grid](x, …)                                   # in the kernel: x.load([i, j])

Triton's class of this name is taken as well, and so is anything with these attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weft.errors import LaunchError
from weft.launch.array_protocols import is_foreign_array, viewed

__all__ = ["TensorDescriptor", "described_by"]

_MOST_DIMENSIONS = 5
_PADDINGS = ("zero", "nan")


@dataclass(slots=True)
class TensorDescriptor:
    """A tensor of up to five dimensions, of which kernels load and store tiles.

    Args: base: an array.  shape, strides: in elements; the last stride is 1.
          block_shape: of a tile.  padding: what is read outside of the tensor, "zero" or "nan".
          round_f32_to_tf32: whether loads of f32 round to what tensor cores read.
    Raises: LaunchError: lists of different lengths, too many dimensions, or another padding.
    """

    base: Any
    shape: Sequence[int]
    strides: Sequence[int]
    block_shape: Sequence[int]
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    def __post_init__(self) -> None:
        ranks = {len(self.shape), len(self.strides), len(self.block_shape)}
        if len(ranks) > 1 or not 1 <= len(self.shape) <= _MOST_DIMENSIONS:
            raise LaunchError(
                "a tensor descriptor has one to five sizes, as many strides, and a tile of as many",
                found=f"{len(self.shape)}, {len(self.strides)} and {len(self.block_shape)}",
            )
        if self.strides[-1] != 1:
            raise LaunchError(
                "a tensor descriptor's last dimension must be contiguous",
                found=f"strides {list(self.strides)}",
                accepted=["a last stride of 1"],
            )
        if self.padding not in _PADDINGS:
            raise LaunchError(
                "no such padding of a tensor descriptor", found=self.padding, accepted=_PADDINGS
            )

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        block_shape: Sequence[int],
        padding: str = "zero",
        round_f32_to_tf32: bool = False,
    ) -> TensorDescriptor:
        """Return the descriptor of a whole tensor: torch's, numpy's, or of another library.

        Raises: LaunchError: as the class does.
        """
        seen = viewed(tensor, "base") if is_foreign_array(tensor) else tensor
        shape = [int(size) for size in seen.shape]
        return cls(tensor, shape, _strides(seen), block_shape, padding, round_f32_to_tf32)


def described_by(descriptor: Any, base: Any) -> TensorDescriptor:
    """Return a descriptor, ours or Triton's, with another view of its tensor's memory."""
    return TensorDescriptor(
        base,
        descriptor.shape,
        descriptor.strides,
        descriptor.block_shape,
        getattr(descriptor, "padding", "zero"),
        getattr(descriptor, "round_f32_to_tf32", False),
    )


def _strides(tensor: Any) -> list[int]:
    """Return a tensor's strides in elements."""
    if callable(getattr(tensor, "stride", None)):
        return [int(step) for step in tensor.stride()]
    steps = tensor.strides
    if steps is None:
        raise LaunchError("an array without strides cannot be described", found=tensor)
    return [int(step) // tensor.itemsize for step in steps]
