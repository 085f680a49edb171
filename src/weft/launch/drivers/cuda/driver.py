"""NVIDIA's driver: load PTX or a cubin, launch kernels, and measure, through `cuda.bindings`.

    driver = CudaDriver.get()
    function = driver.load(ptx, "add", shared_bytes=0, device=0)
    start = driver.starter(function, LaunchSettings(128, 0), ["P", "i"])
    start(1024, 1, 1, stream, address, n)

The context is the primary one of the device, which torch and cupy use, too.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, cast

from weft.errors import LaunchError, OutOfResourcesError
from weft.launch.drivers.cuda.launcher import LaunchSettings, Place, Starter, starter

__all__ = ["CudaDriver", "CudaFunction"]

_STATIC_SHARED_BYTES = 48 * 1024  # what a kernel may use without asking for more
_PORTABLE_BLOCKS = 8  # of a cluster, that a kernel may have without asking for more
_OUT_OF_RESOURCES = "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"
# Errors of work that ran before; the driver tells them to whoever calls next.
_LATE = ("CUDA_ERROR_ILLEGAL_ADDRESS", "CUDA_ERROR_LAUNCH_FAILED", "CUDA_ERROR_MISALIGNED_ADDRESS")


@dataclass(frozen=True, slots=True)
class CudaFunction:
    """A kernel in a device's memory; the module stays loaded as long as this lives.

    registers, spilled_bytes: of a thread.  max_threads: that a block of it can have.
    """

    name: str
    handle: Any
    module: Any
    device: int
    registers: int
    spilled_bytes: int
    max_threads: int


def _bindings() -> Any:
    try:
        return importlib.import_module("cuda.bindings.driver")
    except ImportError as error:
        raise LaunchError(
            "the CUDA driver's Python bindings are missing",
            found=str(error),
            hint="pip install weft[gpu]",
        ) from None


@dataclass(slots=True)
class CudaDriver:
    """The driver, once per process."""

    api: Any
    contexts: dict[int, Any] = field(default_factory=dict)
    capabilities: dict[int, int] = field(default_factory=dict)

    @classmethod
    @cache
    def get(cls) -> CudaDriver:
        """Return the driver.

        Raises: LaunchError: no bindings, or no driver.
        """
        driver = cls(_bindings())
        try:
            reply = driver.api.cuInit(0)
        except RuntimeError as error:  # the bindings found no library to call
            raise LaunchError(
                "there is no CUDA driver on this machine", found=str(error).strip()
            ) from None
        driver._ask(reply)
        return driver

    def _ask(self, reply: Sequence[Any], what: str = "") -> Any:
        """Return what a call gave.

        Args: what: was asked for, for the error.
        Raises: LaunchError: the driver refused, with its name for why.
        """
        code, *values = reply
        if code == self.api.CUresult.CUDA_SUCCESS:
            return values[0] if len(values) == 1 else tuple(values)
        text = self.api.cuGetErrorString(code)[1]
        said = text.decode() if isinstance(text, bytes) else str(code)
        message = f"the CUDA driver refuses{f' to {what}' if what else ''}: {said}"
        if code.name == _OUT_OF_RESOURCES:
            raise OutOfResourcesError(message, found=code.name)
        late = "an earlier kernel did it: run under compute-sanitizer" if code.name in _LATE else ""
        raise LaunchError(message, found=code.name, hint=late or None)

    def attribute(self, device: int, name: str) -> int:
        """Return a CU_DEVICE_ATTRIBUTE of a device.

        Raises: LaunchError: there is no such device.
        """
        kind = getattr(self.api.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        handle = self._ask(self.api.cuDeviceGet(device), f"use GPU {device}")
        return int(self._ask(self.api.cuDeviceGetAttribute(kind, handle)))

    def capability(self, device: int) -> int:
        """Return a device's compute capability: 90."""
        known = self.capabilities.get(device)
        if known is None:
            major, minor = (
                self.attribute(device, f"COMPUTE_CAPABILITY_{part}") for part in ("MAJOR", "MINOR")
            )
            known = self.capabilities[device] = 10 * major + minor
        return known

    def name_of(self, device: int) -> str:
        """Return what the driver calls a device: "NVIDIA H200"."""
        handle = self._ask(self.api.cuDeviceGet(device), f"use GPU {device}")
        text = self._ask(self.api.cuDeviceGetName(256, handle))
        return bytes(text).partition(b"\0")[0].decode()

    def device_of(self, address: int) -> int:
        """Return the number of the GPU that an address belongs to."""
        kind = self.api.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        return int(self._ask(self.api.cuPointerGetAttribute(kind, address)))

    def _context(self, device: int) -> Any:
        context = self.contexts.get(device)
        if context is None:
            handle = self._ask(self.api.cuDeviceGet(device), f"use GPU {device}")
            context = self.contexts[device] = self._ask(self.api.cuDevicePrimaryCtxRetain(handle))
        return context

    def use(self, device: int) -> None:
        """Make a device's primary context the calling thread's."""
        self._ask(self.api.cuCtxSetCurrent(self._context(device)))

    @contextmanager
    def on(self, device: int) -> Iterator[None]:
        """Use a device for a while, and then the one before; a thread that had none keeps it."""
        before, own = self._ask(self.api.cuCtxGetCurrent()), self._context(device)
        if int(before) != int(own):
            self._ask(self.api.cuCtxSetCurrent(own))
        try:
            yield
        finally:
            if int(before) not in (0, int(own)):
                self._ask(self.api.cuCtxSetCurrent(before))

    def load(self, image: bytes, name: str, shared_bytes: int, device: int) -> CudaFunction:
        """Load a kernel.

        Args: image: PTX text or a cubin.  shared_bytes: dynamic shared memory that it needs.
        Raises: LaunchError: the driver cannot compile or load it.
        """
        with self.on(device):
            module = self._ask(self.api.cuModuleLoadData(image + b"\0"), f"load {name}")
            handle = self._ask(self.api.cuModuleGetFunction(module, name.encode()), f"find {name}")
            kind = self.api.CUfunction_attribute
            if shared_bytes > _STATIC_SHARED_BYTES:
                limit = kind.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
                given = self.api.cuFuncSetAttribute(handle, limit, shared_bytes)
                self._ask(given, f"give {name} {shared_bytes} bytes of shared memory")
            registers, spilled, threads = (
                int(self._ask(self.api.cuFuncGetAttribute(attribute, handle)))
                for attribute in (
                    kind.CU_FUNC_ATTRIBUTE_NUM_REGS,
                    kind.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
                    kind.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                )
            )
        return CudaFunction(name, handle, module, device, registers, spilled, threads)

    def starter(
        self,
        function: CudaFunction,
        settings: LaunchSettings,
        formats: Sequence[str],
        places: Sequence[Place] | None = None,
        count: int = 0,
    ) -> Starter:
        """Return what starts a kernel; see cuda_launch.starter.

        Raises: LaunchError: the GPU has no clusters of so many blocks.
        """
        if settings.num_ctas > _PORTABLE_BLOCKS:
            kind = self.api.CUfunction_attribute
            more = kind.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
            with self.on(function.device):
                given = self.api.cuFuncSetAttribute(function.handle, more, 1)
                self._ask(given, f"let {function.name} run in clusters of {settings.num_ctas}")

        def refused(code: int) -> None:
            self._ask((self.api.CUresult(code),), f"launch {function.name}")

        enter = partial(self.use, function.device)
        return starter(int(function.handle), settings, formats, refused, enter, places, count)

    def wait(self, stream: int, other: int, device: int) -> None:
        """Let a stream wait for what another has been given by now."""
        with self.on(device):
            event = self._ask(self.api.cuEventCreate(2))  # CU_EVENT_DISABLE_TIMING
            self._ask(self.api.cuEventRecord(event, self.api.CUstream(other)))
            self._ask(self.api.cuStreamWaitEvent(self.api.CUstream(stream), event, 0))
            self._ask(self.api.cuEventDestroy(event))

    def timed_event(self) -> Any:
        """Return an event of the current context that keeps its time."""
        return self._ask(self.api.cuEventCreate(0))

    def record(self, event: Any, stream: int) -> None:
        """Let an event happen when a stream has come so far."""
        self._ask(self.api.cuEventRecord(event, self.api.CUstream(stream)))

    def elapsed_ms(self, start: Any, end: Any) -> float:
        """Return the time between two events, once the second has happened."""
        self._ask(self.api.cuEventSynchronize(end), "run the kernel")
        elapsed = self.api.cuEventElapsedTime
        return float(cast("Any", self._ask(elapsed(start, end))))

    def synchronize(self, stream: int) -> None:
        """Wait until a stream has done all that it was given.

        Raises: LaunchError: a kernel of it failed.
        """
        self._ask(self.api.cuStreamSynchronize(self.api.CUstream(stream)), "run the kernel")

    def allocate(self, size: int) -> int:
        """Return the address of new memory of the current context's GPU."""
        return int(self._ask(self.api.cuMemAlloc(size), f"allocate {size} bytes"))

    def allocate_on(self, stream: int, size: int) -> int:
        """Return the address of new memory that is there in the order of a stream."""
        asked = self.api.cuMemAllocAsync(size, self.api.CUstream(stream))
        return int(self._ask(asked, f"allocate {size} bytes"))

    def free_on(self, stream: int, address: int) -> None:
        """Give memory back once a stream has come so far."""
        self._ask(self.api.cuMemFreeAsync(address, self.api.CUstream(stream)))

    def free(self, address: int) -> None:
        """Give memory back."""
        self._ask(self.api.cuMemFree(address))

    def fill(self, address: int, size: int, stream: int) -> None:
        """Set memory to zero, on a stream; size in bytes, a multiple of 4."""
        self._ask(self.api.cuMemsetD32Async(address, 0, size // 4, self.api.CUstream(stream)))
