"""Numbers of the Open Compute microscaling formats as torch keeps them, under Triton's names.

    a = MXFP4Tensor(size=(128, 64), device="cuda").random()
    a.to(torch.float32)             # 0, ±0.5, ±1, ±1.5, ±2, ±3, ±4, ±6
    a.to_packed_tensor(dim=1)       # two to a byte along dim, the first in the low half
    MXScaleTensor(scales).data      # a byte for each power of two, 127 for 1

Source: OCP Microscaling Formats (MX) Specification 1.0.
"""

from __future__ import annotations

import importlib
import math
from itertools import pairwise
from typing import Any

from weft.errors import LaunchError

__all__ = ["MXFP4Tensor", "MXScaleTensor"]

_E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_BIAS, _NAN = 127, 255


def _torch() -> Any:
    return importlib.import_module("torch")


class _Numbers:
    """Codes of numbers, a byte each.

    Args: data: a tensor of floats to convert.  size, device: of codes that `random` makes.
    Raises: LaunchError: neither is given.
    """

    data: Any

    def __init__(self, data: Any = None, size: Any = None, device: Any = None) -> None:
        if data is None and size is None:
            raise LaunchError(
                f"{type(self).__name__} is made of data, or of a size",
                found="neither",
                accepted=["data", "size"],
            )
        self.device = device if data is None else data.device
        self.size = tuple(data.shape) if data is not None else size
        self.size = self.size if isinstance(self.size, tuple) else (self.size,)
        if data is not None:
            self.data = self._coded(data)

    def _coded(self, values: Any) -> Any:
        raise NotImplementedError


class MXFP4Tensor(_Numbers):
    """Floats of 4 bits, e2m1: a sign, two bits of exponent, one of mantissa."""

    def random(self) -> MXFP4Tensor:
        """Take any codes, each as likely."""
        torch = _torch()
        self.data = torch.randint(0, 16, self.size, dtype=torch.uint8, device=self.device)
        return self

    def to(self, dtype: Any) -> Any:
        """Return the numbers as floats of a type of torch's."""
        torch = _torch()
        table = torch.tensor([*_E2M1, *(-value for value in _E2M1)], device=self.data.device)
        return table[self.data.long()].to(dtype)

    def _coded(self, values: Any) -> Any:
        """Round to nearest, ties to even; what is too large, or no number, becomes ±6."""
        torch = _torch()
        floats = values.to(torch.float32)
        sizes = torch.nan_to_num(floats.abs(), nan=_E2M1[-1], posinf=_E2M1[-1]).contiguous()
        halves = [(low + high) / 2 for low, high in pairwise(_E2M1)]
        middles = torch.tensor(halves, device=sizes.device)
        low = torch.bucketize(sizes, middles)
        high = torch.bucketize(sizes, middles, right=True)
        codes = torch.where(low % 2 == 0, low, high)
        return (codes + 8 * torch.signbit(floats)).to(torch.uint8)

    def to_packed_tensor(self, dim: int) -> Any:
        """Return two codes to a byte along an axis, the first in the low half.

        An axis of odd size gets a zero behind it.
        """
        torch = _torch()
        data = self.data
        if data.shape[dim] % 2:
            gap = list(data.shape)
            gap[dim] = 1
            data = torch.cat((data, data.new_zeros(gap)), dim)
        pairs = data.unflatten(dim, (-1, 2))
        low, high = pairs.unbind(dim + 1 if dim >= 0 else dim)
        return low | high << 4

    def unpack_packed_tensor(self, packed_tensor: Any, dim: int, original_shape: Any) -> Any:
        """Return the codes of a packed tensor, a byte each, in the shape they had."""
        torch = _torch()
        place = dim if dim >= 0 else dim + packed_tensor.dim()
        both = torch.stack((packed_tensor & 15, packed_tensor >> 4), place + 1)
        return both.flatten(place, place + 1).narrow(place, 0, tuple(original_shape)[place])


class MXScaleTensor(_Numbers):
    """Scales of 8 bits, e8m0: powers of two, and NaN."""

    def random(self, low: float | None = None, high: float | None = None) -> MXScaleTensor:
        """Take any powers of two from low to high, both among them, each as likely.

        Raises: LaunchError: high is less than low.
        """
        torch = _torch()
        first = 0 if low is None else max(0, _exponent(low) + _BIAS)
        last = _NAN - 1 if high is None else min(_NAN - 1, max(0, _exponent(high) + _BIAS))
        if last < first:
            raise LaunchError("scales from low to high", found=f"low={low}, high={high}")
        self.data = torch.randint(first, last + 1, self.size, dtype=torch.uint8, device=self.device)
        return self

    def to(self, dtype: Any) -> Any:
        """Return the scales as floats of a type of torch's."""
        torch = _torch()
        powers = torch.ldexp(
            torch.ones_like(self.data, dtype=torch.float32), self.data.int() - _BIAS
        )
        return torch.where(self.data == _NAN, torch.nan, powers).to(dtype)

    def _coded(self, values: Any) -> Any:
        """Round down to a power of two; what is not positive, or no number, is NaN."""
        torch = _torch()
        floats = values.to(torch.float32)
        _, exponents = torch.frexp(floats)  # of a mantissa from 0.5
        codes = (exponents - 1 + _BIAS).clamp(0, _NAN - 1)
        good = (floats > 0) & torch.isfinite(floats)
        return torch.where(good, codes, _NAN).to(torch.uint8)


def _exponent(value: float) -> int:
    return math.frexp(value)[1] - 1
