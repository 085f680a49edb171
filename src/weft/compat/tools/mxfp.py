"""`triton.tools.mxfp`: numbers of the Open Compute microscaling formats in torch tensors.

    a = MXFP4Tensor(size=(128, 64), device="cuda").random()
    a.to(torch.float32)             # 0, ±0.5, ±1, ±1.5, ±2, ±3, ±4, ±6
    a.to_packed_tensor(dim=1)       # two per byte along dim, the first in the low nibble
    MXScaleTensor(scales).data      # one byte per power of two, 127 for 1

Source: OCP Microscaling Formats (MX) Specification 1.0.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from itertools import pairwise
from types import ModuleType
from typing import Any, TypeAlias

from weft.errors import LaunchError

__all__ = ["MXFP4Tensor", "MXScaleTensor"]

Tensor: TypeAlias = Any
"""A torch tensor. torch is not a dependency of weft."""

_E2M1_VALUES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_E8M0_BIAS, _E8M0_NAN = 127, 255


def _torch() -> ModuleType:
    return importlib.import_module("torch")


class AxisError(LaunchError, AssertionError):
    """An axis that a tensor does not have; an AssertionError, as in Triton."""


class _CodeTensor:
    """Numbers as codes of one byte each.

    Args:
        data: A tensor of floats to convert.
        size: Shape of the codes that `random` creates.
        device: Device of the codes that `random` creates.

    Attributes:
        data: The codes, a torch tensor of uint8.

    Raises:
        LaunchError: Neither data nor size is given.
    """

    data: Tensor

    def __init__(
        self,
        data: Tensor | None = None,
        size: int | tuple[int, ...] | None = None,
        device: object = None,
    ) -> None:
        if data is None and size is None:
            raise LaunchError(
                "Either parameter data or size must be provided",
                found=f"{type(self).__name__}()",
                accepted=["data", "size"],
            )
        self.device = device if data is None else data.device
        self.size = tuple(data.shape) if data is not None else size
        self.size = self.size if isinstance(self.size, tuple) else (self.size,)
        if data is not None:
            self.data = self._encode(data)

    def _encode(self, values: Tensor) -> Tensor:
        raise NotImplementedError


class MXFP4Tensor(_CodeTensor):
    """4-bit floats, e2m1: a sign bit, two exponent bits, one mantissa bit."""

    def random(self) -> MXFP4Tensor:
        """Set the codes to random ones, uniformly distributed."""
        torch = _torch()
        self.data = torch.randint(0, 16, self.size, dtype=torch.uint8, device=self.device)
        return self

    def to(self, dtype: object) -> Tensor:
        """Convert the numbers to a float dtype of torch."""
        torch = _torch()
        values = [*_E2M1_VALUES, *(-value for value in _E2M1_VALUES)]
        return torch.tensor(values, device=self.data.device)[self.data.long()].to(dtype)

    def _encode(self, values: Tensor) -> Tensor:
        """Round to nearest, ties to even. Larger numbers, infinity and NaN become ±6."""
        torch = _torch()
        floats = values.to(torch.float32)
        largest = _E2M1_VALUES[-1]
        magnitudes = torch.nan_to_num(floats.abs(), nan=largest, posinf=largest).contiguous()
        # A magnitude on a midpoint is between `low` and `high` codes: take the even one.
        midpoints = torch.tensor(
            [(a + b) / 2 for a, b in pairwise(_E2M1_VALUES)], device=magnitudes.device
        )
        low = torch.bucketize(magnitudes, midpoints)
        high = torch.bucketize(magnitudes, midpoints, right=True)
        codes = torch.where(low % 2 == 0, low, high)
        return (codes + 8 * torch.signbit(floats)).to(torch.uint8)

    def to_packed_tensor(self, dim: int) -> Tensor:
        """Pack two codes per byte along an axis, the first in the low nibble.

        An axis of odd size is padded with a zero.

        Raises:
            AxisError: The tensor has no such axis.
        """
        torch = _torch()
        data = self.data
        if not -data.dim() <= dim < data.dim():
            raise AxisError(
                "The dimension to pack along is not within the range of tensor dimensions",
                found=dim,
                accepted=range(data.dim()),
            )
        if data.shape[dim] % 2:
            padding = list(data.shape)
            padding[dim] = 1
            data = torch.cat((data, data.new_zeros(padding)), dim)
        pairs = data.unflatten(dim, (-1, 2))
        low, high = pairs.unbind(dim + 1 if dim >= 0 else dim)
        return low | high << 4

    def unpack_packed_tensor(
        self, packed_tensor: Tensor, dim: int, original_shape: Sequence[int]
    ) -> Tensor:
        """Unpack the codes of a packed tensor, one per byte, in their original shape."""
        torch = _torch()
        axis = dim if dim >= 0 else dim + packed_tensor.dim()
        pairs = torch.stack((packed_tensor & 15, packed_tensor >> 4), axis + 1)
        return pairs.flatten(axis, axis + 1).narrow(axis, 0, tuple(original_shape)[axis])


class MXScaleTensor(_CodeTensor):
    """8-bit scales, e8m0: powers of two, and NaN."""

    def random(self, low: float | None = None, high: float | None = None) -> MXScaleTensor:
        """Set the scales to random powers of two from low to high, uniformly distributed.

        Raises:
            LaunchError: high is less than low.
        """
        torch = _torch()
        first, last = 0, _E8M0_NAN - 1
        if low is not None:
            first = max(first, _exponent(low) + _E8M0_BIAS)
        if high is not None:
            last = min(last, max(0, _exponent(high) + _E8M0_BIAS))
        if last < first:
            raise LaunchError(
                "Low must be less than or equal to high", found=f"low={low}, high={high}"
            )
        self.data = torch.randint(first, last + 1, self.size, dtype=torch.uint8, device=self.device)
        return self

    def to(self, dtype: object) -> Tensor:
        """Convert the scales to a float dtype of torch."""
        torch = _torch()
        ones = torch.ones_like(self.data, dtype=torch.float32)
        powers = torch.ldexp(ones, self.data.int() - _E8M0_BIAS)
        return torch.where(self.data == _E8M0_NAN, torch.nan, powers).to(dtype)

    def _encode(self, values: Tensor) -> Tensor:
        """Round down to a power of two. NaN, infinity and numbers up to 0 become NaN."""
        torch = _torch()
        floats = values.to(torch.float32)
        _, exponents = torch.frexp(floats)  # mantissas are in [0.5, 1)
        codes = (exponents - 1 + _E8M0_BIAS).clamp(0, _E8M0_NAN - 1)
        is_valid = (floats > 0) & torch.isfinite(floats)
        return torch.where(is_valid, codes, _E8M0_NAN).to(torch.uint8)


def _exponent(value: float) -> int:
    return math.frexp(value)[1] - 1
