"""`triton.runtime._allocation`: the allocator of global scratch memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from weft.errors import LaunchError
from weft.launch.global_scratch import set_allocator as set_weft_allocator

__all__ = ["Allocator", "Buffer", "NullAllocator", "set_allocator", "set_profile_allocator"]


class Buffer(Protocol):
    """Memory of a GPU."""

    def data_ptr(self) -> int:
        """Get the address."""
        ...


Allocator = Callable[[int, int, int | None], Buffer]
"""Allocates memory, by size and alignment in bytes and stream."""


class NullAllocator:
    """The allocator that means "none": weft then takes memory from torch or the driver."""

    def __call__(self, size: int, alignment: int, stream: int | None) -> Buffer:
        """Refuse.

        Raises:
            LaunchError: Always.
        """
        raise LaunchError(
            "Kernel requires a runtime memory allocation, but no allocator was set",
            hint="Use triton.set_allocator to specify an allocator",
        )


def set_allocator(allocator: Allocator) -> None:
    """Set the function that allocates the scratch memory of kernels, as `weft.set_allocator`."""
    set_weft_allocator(None if isinstance(allocator, NullAllocator) else allocator)


def set_profile_allocator(allocator: Allocator | None) -> None:
    """Accept the allocator of Triton's instrumentation, which weft's kernels do not have."""
