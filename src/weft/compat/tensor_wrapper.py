"""Tensors with other element types, and tensors without memory.

    kernel[grid](reinterpret(x, tl.float8e4nv), …)     # x: a tensor of bytes
    kernel.warmup(MockTensor(torch.float16), …)        # the same as the element type alone

Triton has both: the first for element types that torch lacks, the second to compile in advance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from weft.errors import LaunchError
from weft.launch.argument_views import current_device

__all__ = ["MockTensor", "TensorWrapper", "reinterpret"]

Tensor: TypeAlias = Any
"""A torch tensor. torch is not a dependency of weft."""


class TensorWrapper:
    """A tensor with another element type of the same size.

    Attributes:
        base: The tensor.
        data: Its data, without a gradient.
        dtype: An element type of the language.
    """

    def __init__(self, base: Tensor, dtype: object) -> None:
        self.dtype, self.base, self.data = dtype, base, base.data
        self.device, self.shape = base.device, base.shape
        self.is_cuda = getattr(base, "is_cuda", False)

    def data_ptr(self) -> int:
        """Get the address of the first element."""
        return self.base.data_ptr()

    def stride(self, *args: int) -> int | tuple[int, ...]:
        """Get the strides in elements, or that of one axis."""
        return self.base.stride(*args)

    def element_size(self) -> int:
        """Get the bytes of an element."""
        return self.base.element_size()

    def numel(self) -> int:
        """Get the number of elements."""
        return self.base.numel()

    def cpu(self) -> TensorWrapper:
        """Copy it to the host."""
        return TensorWrapper(self.base.cpu(), self.dtype)

    def cuda(self) -> TensorWrapper:
        """Copy it to the current GPU."""
        return TensorWrapper(self.base.cuda(), self.dtype)

    def to(self, device: object) -> TensorWrapper:
        """Copy it to a device."""
        return TensorWrapper(self.base.to(device), self.dtype)

    def clone(self) -> TensorWrapper:
        """Copy it on its device."""
        return TensorWrapper(self.base.clone(), self.dtype)

    def copy_(self, other: TensorWrapper) -> None:
        """Set the elements to those of another."""
        self.base.copy_(other.base)

    def new_empty(self, sizes: int | Sequence[int]) -> TensorWrapper:
        """Allocate another one with the same element type and device."""
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def __repr__(self) -> str:
        return f"TensorWrapper({self.dtype}, {self.base})"


class MockTensor:
    """An aligned tensor without memory, for `warmup`.

    Attributes:
        dtype: A dtype of torch or numpy.
        device: The device that launches go to.
        shape: Elements per axis.
    """

    def __init__(self, dtype: object, shape: Sequence[int] | None = None) -> None:
        self.dtype = dtype
        self.device = current_device()
        self.shape = [1] if shape is None else list(shape)

    @staticmethod
    def wrap_dtype(arg: object) -> Any:
        """Create a mock for a torch dtype; return anything else as it is."""
        cls = type(arg)
        is_torch_dtype = (cls.__module__, cls.__name__) == ("torch", "dtype")
        return MockTensor(arg) if is_torch_dtype else arg

    def stride(self) -> tuple[int, ...]:
        """Compute the strides, in elements, of a contiguous tensor."""
        strides, stride = [], 1
        for size in reversed(self.shape):
            strides.append(stride)
            stride *= size
        return tuple(reversed(strides))

    @staticmethod
    def data_ptr() -> int:
        """Get an address with every alignment."""
        return 0

    @staticmethod
    def ptr_range() -> int:
        """Get a size that 32-bit offsets reach."""
        return 0


def reinterpret(tensor: object, dtype: object) -> Tensor:
    """View a tensor with another element type of the same size; nothing is copied.

    Raises:
        LaunchError: Not a tensor.
    """
    if isinstance(tensor, TensorWrapper):
        is_original = dtype == tensor.base.dtype
        return tensor.base if is_original else TensorWrapper(tensor.base, dtype)
    if hasattr(tensor, "data_ptr"):
        return TensorWrapper(tensor, dtype)
    raise LaunchError(
        f"Cannot reinterpret a {type(tensor).__name__}",
        found=type(tensor).__name__,
        accepted=["a torch tensor"],
    )
