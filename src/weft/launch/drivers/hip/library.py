"""libamdhip64, the library of the HIP runtime.

    library = load_library()
    library.hipInit(0)                # 0 is hipSuccess

Sources: HIP runtime API reference of ROCm 7, and its header hip/hip_runtime_api.h.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from ctypes import POINTER, c_char, c_char_p, c_int, c_size_t, c_uint, c_void_p
from pathlib import Path
from typing import Any, Protocol

from weft import knobs
from weft.errors import LaunchError

__all__ = ["PROTOTYPES", "HipLibrary", "is_installed", "load_library"]

VARIABLE = "WEFT_LIBHIP"
_TRITON_VARIABLE = "TRITON_LIBHIP_PATH"  # under which Triton looks for the library
_KNOB = "knobs.amd.libhip_path"
# The release is in the name: 6 is ROCm 6's, 7 ROCm 7's.
_NAMES = ("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so")
_ROOT_VARIABLES, _DEFAULT_ROOT = ("HIP_PATH", "ROCM_PATH"), "/opt/rocm"
_GRID = (c_uint, c_uint, c_uint, c_uint, c_uint, c_uint)
_OUT_INT = POINTER(c_int)
_OUT_POINTER = POINTER(c_void_p)

PROTOTYPES: dict[str, tuple[type[Any], ...]] = {
    "hipInit": (c_uint,),
    "hipGetDevice": (_OUT_INT,),
    "hipSetDevice": (c_int,),
    "hipDeviceGetName": (POINTER(c_char), c_int, c_int),
    "hipDeviceGetAttribute": (_OUT_INT, c_int, c_int),
    "hipGetDevicePropertiesR0600": (c_void_p, c_int),
    "hipPointerGetAttribute": (c_void_p, c_int, c_void_p),
    "hipModuleLoadData": (_OUT_POINTER, c_char_p),
    "hipModuleGetFunction": (_OUT_POINTER, c_void_p, c_char_p),
    "hipFuncGetAttribute": (_OUT_INT, c_int, c_void_p),
    "hipModuleLaunchKernel": (c_void_p, *_GRID, c_uint, c_void_p, _OUT_POINTER, _OUT_POINTER),
    "hipModuleLaunchCooperativeKernel": (c_void_p, *_GRID, c_uint, c_void_p, _OUT_POINTER),
    "hipEventCreateWithFlags": (_OUT_POINTER, c_uint),
    "hipEventRecord": (c_void_p, c_void_p),
    "hipEventSynchronize": (c_void_p,),
    "hipEventElapsedTime": (POINTER(ctypes.c_float), c_void_p, c_void_p),
    "hipEventDestroy": (c_void_p,),
    "hipStreamWaitEvent": (c_void_p, c_void_p, c_uint),
    "hipStreamSynchronize": (c_void_p,),
    "hipMalloc": (_OUT_POINTER, c_size_t),
    "hipFree": (c_void_p,),
    "hipMallocAsync": (_OUT_POINTER, c_size_t, c_void_p),
    "hipFreeAsync": (c_void_p, c_void_p),
    "hipMemsetD32Async": (c_void_p, c_int, c_size_t, c_void_p),
    "hipGetLastError": (),
}
"""Parameter types of the functions in use; each returns a hipError_t."""


class HipLibrary(Protocol):
    """The functions of `PROTOTYPES`, and two that describe errors."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Get a function by name."""
        ...


def load_library() -> HipLibrary:
    """Load the library, or find it in the process if torch has loaded it.

    WEFT_LIBHIP or TRITON_LIBHIP_PATH names the file to load instead.

    Raises:
        LaunchError: There is no such library, or it is older than ROCm 6.
    """
    library = _open()
    if library is None:
        variable, named = _named_file()
        raise LaunchError(
            f"{variable} cannot be loaded" if named else "there is no HIP runtime on this machine",
            found=named or "no libamdhip64.so",
            hint=f"install ROCm, or name the library in {VARIABLE}",
        )
    for name, parameters in PROTOTYPES.items():
        function = getattr(library, name, None)
        if function is None:
            raise LaunchError(
                "the HIP runtime of this machine is too old",
                found=f"no function {name}",
                accepted=["ROCm 6 or newer"],
            )
        function.argtypes, function.restype = parameters, c_int
    for name in ("hipGetErrorName", "hipGetErrorString"):
        function = getattr(library, name)
        function.argtypes, function.restype = (c_int,), c_char_p
    return library


def is_installed() -> bool:
    """Check whether the library can be loaded."""
    return _open() is not None


def _named_file() -> tuple[str, str | None]:
    """Find the file that the knob or a variable names, and which of them; None if none does."""
    named = knobs.amd.libhip_path or None
    if named is None:
        return VARIABLE, None
    variables = (VARIABLE, _TRITON_VARIABLE)
    return next((each for each in variables if os.environ.get(each) == named), _KNOB), named


def _open() -> ctypes.CDLL | None:
    _, named = _named_file()
    # A second copy of the runtime would not know torch's memory and streams.
    candidates = [(named, 0)] if named else [*_loaded_names(), *_installed_names()]
    for name, mode in candidates:
        try:
            return ctypes.CDLL(name, mode or ctypes.DEFAULT_MODE)
        except OSError:
            continue
    return None


def _loaded_names() -> Iterator[tuple[str, int]]:
    """List names under which the library may be in the process, then torch's own copy."""
    for name in _NAMES:
        yield name, os.RTLD_NOLOAD | os.RTLD_NOW
    torch_file = getattr(sys.modules.get("torch"), "__file__", None)
    if torch_file:
        yield str(Path(torch_file).parent / "lib" / "libamdhip64.so"), 0


def _installed_names() -> Iterator[tuple[str, int]]:
    """List the names that the loader searches for, then the files of ROCm's folders."""
    for name in _NAMES:
        yield name, 0
    for root in (*(os.environ.get(each) for each in _ROOT_VARIABLES), _DEFAULT_ROOT):
        if root:
            yield str(Path(root) / "lib" / "libamdhip64.so"), 0
