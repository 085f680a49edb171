"""`kernel.device_caches`: the compiled kernels of a kernel by device, in Triton's form.

    kernels = kernel.device_caches[0][0]       # of GPU 0
    kernels[key].asm["ttgir"]                  # `key` as `knobs.runtime.jit_cache_hook` gets it
    kernels.clear()                            # the next launch compiles, or reads the disk cache

The number of a GPU, or "cpu". Without a GPU 0 is the CPU device, too, as it is the current device
of `triton.runtime.driver.active` then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from weft.kernel.kernel_key import kernel_key
from weft.launch.devices import current_gpu

__all__ = ["DeviceCaches", "DeviceKernels"]

Cache = dict[tuple[str, tuple[tuple[str, object], ...], object, object, int | None], Any]
"""The loaded kernels by signature, options, captured globals, settings and GPU."""


class DeviceKernels(Mapping[str, Any]):
    """The kernels that are loaded on one device, by their keys.

    Args:
        cache: The kernels of all devices.
        gpu: The number of the GPU; None for the CPU device.
        on_clear: Called when kernels are removed.
    """

    def __init__(self, cache: Cache, gpu: int | None, on_clear: Callable[[], object]) -> None:
        self._cache, self._gpu, self._on_clear = cache, gpu, on_clear

    def _kernels(self) -> dict[str, Any]:
        return {
            kernel_key(loaded.signature, dict(options)): loaded
            for (_, options, *_, gpu), loaded in tuple(self._cache.items())
            if gpu == self._gpu
        }

    def __getitem__(self, key: str) -> Any:
        return self._kernels()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels())

    def __len__(self) -> int:
        return len(self._kernels())

    def clear(self) -> None:
        """Forget the kernels."""
        for key in [key for key in self._cache if key[-1] == self._gpu]:
            del self._cache[key]
        self._on_clear()


class DeviceCaches(Mapping["int | str | None", tuple[DeviceKernels]]):
    """The kernels that are loaded on each device; any device may be asked for.

    Args:
        cache: The kernels of all devices.
        on_clear: Called when kernels are removed.
    """

    def __init__(self, cache: Cache, on_clear: Callable[[], object]) -> None:
        self._cache, self._on_clear = cache, on_clear

    def __getitem__(self, device: int | str | None) -> tuple[DeviceKernels]:
        has_gpu = current_gpu(initialized_only=False) is not None
        gpu = device if isinstance(device, int) and (has_gpu or device in self) else None
        return (DeviceKernels(self._cache, gpu, self._on_clear),)

    def __contains__(self, device: object) -> bool:
        return any(key[-1] == device for key in self._cache)

    def __iter__(self) -> Iterator[int | None]:
        return iter(dict.fromkeys(key[-1] for key in self._cache))

    def __len__(self) -> int:
        return len(tuple(iter(self)))

    def clear(self) -> None:
        """Forget the kernels of all devices."""
        self._cache.clear()
        self._on_clear()
