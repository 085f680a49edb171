"""The constants and prototypes of the driver beside the header hip/hip_runtime_api.h.

Triton's wheel has the header of ROCm 7; a C compiler checks each as a static assertion.
"""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

from weft.launch.drivers.hip import driver, library

CONSTANTS = {
    "hipDeviceAttributeClockRate": driver._CLOCK_RATE,
    "hipDeviceAttributeL2CacheSize": driver._L2_BYTES,
    "hipDeviceAttributeMemoryBusWidth": driver._BUS_WIDTH,
    "hipDeviceAttributeMemoryClockRate": driver._MEMORY_CLOCK_RATE,
    "hipDeviceAttributeMultiprocessorCount": driver._MULTIPROCESSORS,
    "hipDeviceAttributeMaxRegistersPerBlock": driver._REGISTERS,
    "hipDeviceAttributeMaxSharedMemoryPerBlock": driver._SHARED_BYTES,
    "hipDeviceAttributeWarpSize": driver._WARP_SIZE,
    "HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK": driver._FUNCTION_MAX_THREADS,
    "HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES": driver._FUNCTION_LOCAL_BYTES,
    "HIP_FUNC_ATTRIBUTE_NUM_REGS": driver._FUNCTION_REGISTERS,
    "HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL": driver._POINTER_DEVICE_ORDINAL,
    "hipEventDisableTiming": driver._EVENT_DISABLE_TIMING,
    "offsetof(hipDeviceProp_tR0600, gcnArchName)": driver._ARCHITECTURE_OFFSET,
    "sizeof(((hipDeviceProp_tR0600 *)0)->gcnArchName)": driver._ARCHITECTURE_BYTES,
}
# A parameter of ctypes as the types of C that it may declare: one of the same size and kind.
TYPES: dict[type, str] = {
    ctypes.c_int: "int", ctypes.c_uint: "unsigned", ctypes.c_size_t: "size_t",
    ctypes.c_void_p: "void *", ctypes.c_char_p: "char *",
}  # fmt: skip


def headers() -> Path | None:
    """Find the include folder of Triton's wheel."""
    triton = importlib.util.find_spec("triton")
    if triton is None or not triton.submodule_search_locations:
        return None
    folder = Path(triton.submodule_search_locations[0]) / "backends" / "amd" / "include"
    return folder if (folder / "hip" / "hip_runtime_api.h").exists() else None


def compile_c(lines: list[str]) -> str:
    """Compile C that includes HIP's header, and return the compiler's messages."""
    folder, compiler = headers(), shutil.which("cc")
    if folder is None or compiler is None:
        pytest.skip("no HIP header, or no C compiler")
    source = "\n".join(
        ["#define __HIP_PLATFORM_AMD__ 1", "#include <stddef.h>",
         "#include <hip/hip_runtime_api.h>", *lines]
    )  # fmt: skip
    command = [compiler, "-std=c11", "-fsyntax-only", f"-I{folder}", "-x", "c", "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True).stderr


def test_constants():
    assertions = [f'_Static_assert({name} == {value}, "{name}");'
                  for name, value in CONSTANTS.items()]  # fmt: skip
    assert compile_c(assertions) == ""
    assert "hipEventDisableTiming" in compile_c(
        ['_Static_assert(hipEventDisableTiming == 3, "hipEventDisableTiming");']
    )
    size = driver._PROPERTIES_BYTES
    assert compile_c([f'_Static_assert(sizeof(hipDeviceProp_tR0600) <= {size}, "size");']) == ""


def test_errors_are_named_as_in_the_header():
    names = (driver._OUT_OF_RESOURCES, *driver._ASYNCHRONOUS_ERRORS)
    assert compile_c([f"hipError_t e{n} = {name};" for n, name in enumerate(names)]) == ""


@pytest.mark.parametrize("name", library.PROTOTYPES)
def test_prototype(name: str):
    # Each argument converts to the parameter without a cast, and their number fits.
    parameters = library.PROTOTYPES[name]
    arguments = [f"({c_type(each)})0" for each in parameters]
    lines = [f"hipError_t call(void) {{ return {name}({', '.join(arguments)}); }}"]
    assert "error" not in compile_c(lines)
    if arguments:
        fewer = f"hipError_t call(void) {{ return {name}({', '.join(arguments[1:])}); }}"
        assert "error" in compile_c([fewer])


def c_type(kind: type) -> str:
    """Spell a type of ctypes in C; a pointer converts to any other."""
    return TYPES.get(kind, "void *")
