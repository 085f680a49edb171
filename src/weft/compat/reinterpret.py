"""Arrays with other element types than their own, and arrays that there are not.

    kernel[grid](reinterpret(x, tl.float8e4nv), …)     # x: a tensor of bytes
    kernel.warmup(MockTensor(torch.float16), …)        # as good as the element type alone

Both are Triton's names, for what torch has no type of, and for compiling ahead.
"""

from __future__ import annotations

from typing import Any

from weft.errors import LaunchError
from weft.launch.array_protocols import Device
from weft.launch.devices import current_gpu

__all__ = ["MockTensor", "TensorWrapper", "reinterpret"]


class TensorWrapper:
    """A tensor whose elements a kernel takes for those of another type.

    Args: base: a tensor.  dtype: an element type of the language's.
    """

    def __init__(self, base: Any, dtype: Any) -> None:
        self.dtype, self.base = dtype, base
        self.device, self.shape = base.device, base.shape
        self.is_cuda = getattr(base, "is_cuda", False)

    def data_ptr(self) -> int:
        """Return the address of the first element."""
        return self.base.data_ptr()

    def stride(self, *args: Any) -> Any:
        """Return the distances between neighbours in elements, of all axes or of one."""
        return self.base.stride(*args)

    def element_size(self) -> int:
        """Return the bytes of an element."""
        return self.base.element_size()

    def numel(self) -> int:
        """Return how many elements there are."""
        return self.base.numel()

    def cpu(self) -> TensorWrapper:
        """Return a copy in the host's memory."""
        return TensorWrapper(self.base.cpu(), self.dtype)

    def cuda(self) -> TensorWrapper:
        """Return a copy on the current GPU."""
        return TensorWrapper(self.base.cuda(), self.dtype)

    def to(self, device: Any) -> TensorWrapper:
        """Return a copy on a device."""
        return TensorWrapper(self.base.to(device), self.dtype)

    def clone(self) -> TensorWrapper:
        """Return a copy."""
        return TensorWrapper(self.base.clone(), self.dtype)

    def copy_(self, other: TensorWrapper) -> None:
        """Take the elements of another."""
        self.base.copy_(other.base)

    def new_empty(self, sizes: Any) -> TensorWrapper:
        """Return another of the same kind."""
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def __repr__(self) -> str:
        return f"TensorWrapper({self.dtype}, {self.base})"


class MockTensor:
    """An aligned array of an element type, for `warmup`; nothing can be launched on it.

    Args: dtype: of torch or numpy.
    """

    def __init__(self, dtype: Any, shape: Any = None) -> None:
        gpu = current_gpu(used=False)
        self.dtype = dtype
        self.device = Device("cpu") if gpu is None else Device("cuda", gpu)
        self.shape = [1] if shape is None else list(shape)

    @staticmethod
    def wrap_dtype(value: Any) -> Any:
        """Return a mock for an element type of torch's; anything else as it is."""
        kind = type(value)
        is_type = (kind.__module__, kind.__name__) == ("torch", "dtype")
        return MockTensor(value) if is_type else value

    def stride(self) -> tuple[int, ...]:
        """Return the distances between neighbours, of an array without gaps."""
        strides, step = [], 1
        for size in reversed(self.shape):
            strides.append(step)
            step *= size
        return tuple(reversed(strides))

    @staticmethod
    def data_ptr() -> int:
        """Return an address that is a multiple of anything."""
        return 0


def reinterpret(tensor: Any, dtype: Any) -> Any:
    """Return a tensor as one of another element type, which is as wide; nothing is copied.

    Raises: LaunchError: not a tensor.
    """
    if isinstance(tensor, TensorWrapper):
        same = dtype == tensor.base.dtype
        return tensor.base if same else TensorWrapper(tensor.base, dtype)
    if hasattr(tensor, "data_ptr"):
        return TensorWrapper(tensor, dtype)
    raise LaunchError(
        "no tensor whose elements could be taken for others",
        found=type(tensor).__name__,
        accepted=["a torch tensor"],
    )
