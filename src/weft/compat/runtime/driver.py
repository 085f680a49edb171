"""`triton.runtime.driver`: the device that launches go to.

device = driver.active.get_active_torch_device()          # cuda:0; cpu if torch has no GPU
driver.active.utils.get_device_properties(device.index)["multiprocessor_count"]
driver.active.get_current_target().backend                # "cuda", "hip" or "cpu"

In Triton `triton.runtime.driver` is both a module and its object of the same name, a DriverConfig;
here the module is the object.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from weft.compat.backends.driver import DriverBase

__all__ = ["DriverConfig", "active", "default", "driver", "reset_active", "set_active"]


class _TorchDriver(DriverBase):
    """The device that torch's arrays are on."""

    @classmethod
    def is_active(cls) -> bool:
        """Check whether launches go there: always."""
        return True


if TYPE_CHECKING:
    default: DriverBase
    active: DriverBase

# None before the first use, as in Triton, where a driver is created then.
_default: DriverBase | None = None
_active: DriverBase | None = None


def __getattr__(name: str) -> DriverBase:
    global _active, _default
    if name not in ("active", "default"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if _default is None:
        _default = _TorchDriver()
    if name == "default":
        return _default
    if _active is None:
        _active = _default
    return _active


def set_active(driver: DriverBase) -> None:
    """Set what `active` answers; launches still go to the device that their arrays are on."""
    global _active
    _active = driver


def reset_active() -> None:
    """Undo `set_active`."""
    global _active
    _active = None


class DriverConfig:
    """The device that launches go to, and another that a program sets.

    Attributes:
        default: The device that launches go to.
        active: What `set_active` set; the default before.
    """

    def __init__(self) -> None:
        self.default: DriverBase = __getattr__("default")
        self.active: DriverBase = self.default

    def set_active(self, driver: DriverBase) -> None:
        """Set what `active` answers."""
        self.active = driver

    def reset_active(self) -> None:
        """Undo `set_active`."""
        self.active = self.default


driver = sys.modules[__name__]
