"""`triton.backends.cpu`: the embedded CPU device, under the names of Triton's back ends."""

from __future__ import annotations

from typing import ClassVar

from typing_extensions import override

from weft.compat.backends.compiler import BaseBackend, GPUTarget
from weft.compat.backends.driver import DriverBase

__all__ = ["CPUBackend", "CPUDriver"]


class CPUBackend(BaseBackend):
    """The embedded CPU device."""

    name: ClassVar[str] = "cpu"
    binary_ext: ClassVar[str] = "ttir"


class CPUDriver(DriverBase):
    """The embedded CPU device, also on a machine that has GPUs."""

    @classmethod
    @override
    def is_active(cls) -> bool:
        """Check whether it is the device of launches: not unless it is set."""
        return False

    @override
    def get_current_target(self) -> GPUTarget:
        """Get the CPU device's target."""
        return GPUTarget("cpu", "cpu", 1)
