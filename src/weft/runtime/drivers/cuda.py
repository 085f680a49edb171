"""NVIDIA's driver: load PTX or a cubin, and launch kernels, through `cuda.bindings`.

    driver = CudaDriver.get()
    function = driver.load(ptx, "add", shared_bytes=0, device=0)
    start = driver.starter(function, 128, 0, ["ptr addrspace(1)", "i32"])
    start((1024, 1, 1), stream, address, n)

The context is the primary one of the device, which torch and cupy use, too.
"""

from __future__ import annotations

import ctypes
import importlib
import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from weft.errors import LaunchError

__all__ = ["CudaDriver", "CudaFunction"]

_STATIC_SHARED_BYTES = 48 * 1024  # what a kernel may use without asking for more
_BUFFER_POINTER, _BUFFER_SIZE = 1, 2  # CU_LAUNCH_PARAM_…
# How `struct` packs an argument; both align naturally.
_FORMATS = {
    "i1": "?",
    "i8": "b",
    "i16": "h",
    "i32": "i",
    "i64": "q",
    "half": "e",
    "float": "f",
    "double": "d",
    "ptr addrspace(1)": "P",
}


@dataclass(frozen=True, slots=True)
class CudaFunction:
    """A kernel in a device's memory; the module stays loaded as long as this lives."""

    handle: Any
    module: Any
    registers: int
    spilled_bytes: int


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

    @classmethod
    @cache
    def get(cls) -> CudaDriver:
        """Return the driver.

        Raises: LaunchError: no bindings, or no driver.
        """
        driver = cls(_bindings())
        driver._ask(driver.api.cuInit(0))
        return driver

    def _ask(self, reply: Sequence[Any]) -> Any:
        """Return what a call gave.

        Raises: LaunchError: the driver refused, with its name for why.
        """
        code, *values = reply
        if code != self.api.CUresult.CUDA_SUCCESS:
            text = self.api.cuGetErrorString(code)[1]
            said = text.decode() if isinstance(text, bytes) else str(code)
            raise LaunchError(f"the CUDA driver refuses: {said}", found=code.name)
        return values[0] if len(values) == 1 else tuple(values)

    def capability(self, device: int) -> int:
        """Return a device's compute capability: 90."""
        kind = self.api.CUdevice_attribute
        handle = self._ask(self.api.cuDeviceGet(device))
        major, minor = (
            self._ask(self.api.cuDeviceGetAttribute(attribute, handle))
            for attribute in (
                kind.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                kind.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
            )
        )
        return 10 * major + minor

    def use(self, device: int) -> None:
        """Make a device's primary context the current one."""
        context = self.contexts.get(device)
        if context is None:
            handle = self._ask(self.api.cuDeviceGet(device))
            context = self.contexts[device] = self._ask(self.api.cuDevicePrimaryCtxRetain(handle))
        self._ask(self.api.cuCtxSetCurrent(context))

    def load(self, image: bytes, name: str, shared_bytes: int, device: int) -> CudaFunction:
        """Load a kernel.

        Args: image: PTX text or a cubin.  shared_bytes: dynamic shared memory that it needs.
        Raises: LaunchError: the driver cannot compile or load it.
        """
        self.use(device)
        module = self._ask(self.api.cuModuleLoadData(image + b"\0"))
        handle = self._ask(self.api.cuModuleGetFunction(module, name.encode()))
        kind = self.api.CUfunction_attribute
        if shared_bytes > _STATIC_SHARED_BYTES:
            limit = kind.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            self._ask(self.api.cuFuncSetAttribute(handle, limit, shared_bytes))
        registers, spilled = (
            self._ask(self.api.cuFuncGetAttribute(attribute, handle))
            for attribute in (
                kind.CU_FUNC_ATTRIBUTE_NUM_REGS,
                kind.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
            )
        )
        return CudaFunction(handle, module, registers, spilled)

    def starter(
        self,
        function: CudaFunction,
        threads: int,
        shared_bytes: int,
        llvm_types: Sequence[str],
    ) -> Callable[..., None]:
        """Return what starts a kernel: a function of the grid, the stream and the arguments.

        The arguments are packed into a buffer of the calling thread as the kernel reads them, which
        is one call; the driver copies it before it returns.
        """
        layout = struct.Struct("".join(_FORMATS[name] for name in llvm_types))
        start = _launch_function()
        handle = int(function.handle)
        local = threading.local()

        def launch(grid: tuple[int, int, int], stream: int, *arguments: Any) -> None:
            try:
                buffer, extra, _ = local.packed
            except AttributeError:
                buffer, extra, _ = local.packed = _packed(layout.size)
            layout.pack_into(buffer, 0, *arguments)
            code = start(handle, *grid, threads, 1, 1, shared_bytes, stream, None, extra)
            if code:
                self._ask((self.api.CUresult(code), None))

        return launch


def _packed(size: int) -> tuple[Any, Any, Any]:
    """Return a buffer for arguments, and what tells the driver of it."""
    buffer = ctypes.create_string_buffer(max(1, size))
    length = ctypes.c_size_t(size)
    extra = (ctypes.c_void_p * 5)(
        _BUFFER_POINTER, ctypes.addressof(buffer), _BUFFER_SIZE, ctypes.addressof(length), None
    )
    return buffer, extra, length


@cache
def _launch_function() -> Any:
    """Return cuLaunchKernel of the loaded driver; called this way it takes least."""
    library = ctypes.CDLL("libcuda.so.1")
    function = library.cuLaunchKernel
    function.argtypes = [
        ctypes.c_void_p,
        *[ctypes.c_uint] * 7,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_void_p,
    ]
    function.restype = ctypes.c_int
    return function
