"""C code that embeds the machine code of a kernel, loads it and launches it.

A header declares three functions per kernel: load_NAME, NAME and unload_NAME. NAME loads the kernel
on its first call. Comments in the header are for `triton.tools.link`: the back end, the positions
of the arguments among the kernel's parameters, and its arguments and constants:

// tt-linker-backend: cuda
// tt-linker-positions: 0 1
// tt-linker: add_3c28e1f5_0d1d:CUdeviceptr x, int32_t n:1024_warps4xstages3
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Template

__all__ = ["LINK_PRELUDES", "SCALAR_TYPES", "CLauncher"]

SCALAR_TYPES = {
    "i1": "int8_t", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t",
    "u1": "uint8_t", "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t",
    "fp16": "uint16_t", "bf16": "uint16_t", "fp32": "float", "fp64": "double",
}  # fmt: skip
"""C types of scalar arguments. 16-bit floats are passed as their bits, since C has none."""

_NAMES = {
    "cuda": {
        "include": "#include <cuda.h>",
        "result": "CUresult", "stream": "CUstream", "pointer": "CUdeviceptr",
        "module": "CUmodule", "function": "CUfunction",
        "success": "CUDA_SUCCESS", "invalid": "CUDA_ERROR_INVALID_VALUE",
        "load": "cuModuleLoadData", "unload": "cuModuleUnload", "find": "cuModuleGetFunction",
        "launch": "cuLaunchKernel", "array": "CUBIN_NAME", "error_text": "cuGetErrorString",
        "set_shared": "cuFuncSetAttribute",
        "shared_limit": "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES",
    },
    "hip": {
        "include": "#define __HIP_PLATFORM_AMD__\n#include <hip/hip_runtime.h>",
        "result": "hipError_t", "stream": "hipStream_t", "pointer": "hipDeviceptr_t",
        "module": "hipModule_t", "function": "hipFunction_t",
        "success": "hipSuccess", "invalid": "hipErrorInvalidValue",
        "load": "hipModuleLoadData", "unload": "hipModuleUnload", "find": "hipModuleGetFunction",
        "launch": "hipModuleLaunchKernel", "array": "HSACO_NAME",
        "error_text": "hipDrvGetErrorString",
        "set_shared": "", "shared_limit": "",
    },
}  # fmt: skip
"""Names of the driver's interface by back end."""

_PRELUDE = Template("""\
#ifndef TT_LINK_INCLUDES
#define TT_LINK_INCLUDES

#include <stdint.h>
$include

typedef $stream TT_StreamTy;
typedef $result TT_ResultTy;
#define TT_ERROR_INVALID_VALUE $invalid

#endif
""")
LINK_PRELUDES = {backend: _PRELUDE.substitute(names) for backend, names in _NAMES.items()}
"""The start of the files of `triton.tools.link`, by back end."""

_HEADER = Template("""\
#pragma once

$include
#include <stdint.h>

// tt-linker-backend: $backend

void load_$name(void);
void unload_$name(void);
// tt-linker-positions: $positions
// tt-linker: $name:$full_parameters:$algorithm
$result $name($stream stream$parameters);
""")

_SOURCE = Template("""\
$include
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define $array ${name}_image
static unsigned char $array[$size] = {$bytes};
static $module ${name}_module = NULL;
static $function ${name}_function = NULL;

static void check_$name($result result) {
  const char *text = "unknown error";
  if (result == $success)
    return;
  $error_text(result, &text);
  fprintf(stderr, "$symbol: %s\\n", text);
  exit(1);
}

void load_$name(void) {
  check_$name($load(&${name}_module, $array));
  check_$name($find(&${name}_function, ${name}_module, "$symbol"));
$shared_attribute}

void unload_$name(void) {
  if (${name}_module != NULL)
    check_$name($unload(${name}_module));
  ${name}_module = NULL;
  ${name}_function = NULL;
}

// $constants
$result $name($stream stream$parameters) {
  unsigned int grid_x = $grid_x, grid_y = $grid_y, grid_z = $grid_z;
  $pointer global_scratch = 0, profile_scratch = 0;
  void *arguments[] = {$addresses};
  if (grid_x == 0 || grid_y == 0 || grid_z == 0)
    return $empty_grid;
  if (${name}_function == NULL)
    load_$name();
  return $launch(${name}_function, grid_x, grid_y, grid_z, $threads, 1, 1, $shared_bytes, stream,
                 arguments, NULL);
}
""")

_MAX_DEFAULT_SHARED = 48 * 1024
"""Bytes of dynamic shared memory that CUDA grants without an attribute."""


@dataclass(frozen=True, slots=True)
class CLauncher:
    """A compiled kernel as C code.

    Attributes:
        name: The C function.
        backend: "cuda" or "hip".
        symbol: The kernel's name in the machine code.
        binary: The machine code.
        arguments: The C type of each argument that the kernel gets, in order.
        unit_arguments: Arguments that are 1 in this kernel; others of the same source get them.
        order: All parameters of the kernel in order.
        constants: Values for the comment above the function.
        algorithm: A name for the constants and options.
        grid: C expressions of the arguments.
        threads: Threads of a block.
        shared_bytes: Bytes of dynamic shared memory of a block.
    """

    name: str
    backend: str
    symbol: str
    binary: bytes
    arguments: Mapping[str, str]
    unit_arguments: tuple[str, ...]
    order: tuple[str, ...]
    constants: Mapping[str, object]
    algorithm: str
    grid: tuple[str, str, str]
    threads: int
    shared_bytes: int

    @staticmethod
    def pointer_type(backend: str) -> str:
        """Get the C type of pointers."""
        return _NAMES[backend]["pointer"]

    def header(self) -> str:
        """Write the header."""
        types = dict.fromkeys(self.unit_arguments, "int32_t") | dict(self.arguments)
        parameters = ", ".join(f"{types[each]} {each}" for each in self.order if each in types)
        positions = " ".join(str(i) for i, each in enumerate(self.order) if each in types)
        return _HEADER.substitute(self._names(), full_parameters=parameters, positions=positions)

    def source(self) -> str:
        """Write the C file."""
        grid_x, grid_y, grid_z = self.grid
        pointers = [*self.arguments, "global_scratch", "profile_scratch"]
        return _SOURCE.substitute(
            self._names(),
            size=len(self.binary),
            bytes=",".join(map(str, self.binary)),
            symbol=self.symbol,
            shared_attribute=self._shared_attribute(),
            constants=", ".join(f"{name}={value}" for name, value in self.constants.items()),
            grid_x=grid_x,
            grid_y=grid_y,
            grid_z=grid_z,
            addresses=", ".join(f"&{each}" for each in pointers),
            threads=self.threads,
            shared_bytes=self.shared_bytes,
            empty_grid=_NAMES[self.backend]["success"],
        )

    def _names(self) -> dict[str, str]:
        parameters = "".join(f", {c_type} {name}" for name, c_type in self.arguments.items())
        return _NAMES[self.backend] | {
            "name": self.name,
            "backend": self.backend,
            "algorithm": self.algorithm,
            "parameters": parameters,
        }

    def _shared_attribute(self) -> str:
        """Write the call that allows more than the default of shared memory."""
        names = _NAMES[self.backend]
        if not names["set_shared"] or self.shared_bytes <= _MAX_DEFAULT_SHARED:
            return ""
        arguments = f"{self.name}_function, {names['shared_limit']}, {self.shared_bytes}"
        return f"  check_{self.name}({names['set_shared']}({arguments}));\n"
