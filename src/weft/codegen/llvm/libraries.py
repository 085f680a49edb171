"""Find the vendors' device libraries (LLVM bitcode) by the symbol that a kernel calls.

    library_of("__nv_sin")            …/nvvm/libdevice/libdevice.10.bc
    library_of("__ocml_sin_f64")      …/amdgcn/bitcode/ocml.bc

The folders of WEFT_DEVICE_LIBRARIES are searched first, then

    libdevice     CUDA_HOME, CUDA_PATH, /usr/local/cuda*; nvidia-cuda-nvcc (PyPI); triton (PyPI)
    ocml, ockl    ROCM_PATH, HIP_PATH, /opt/rocm*; rocm-sdk-core (PyPI); triton (PyPI)

The LLVM worker links only the functions that a kernel calls.
"""

from __future__ import annotations

import glob
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from weft.errors import CodegenError

__all__ = ["VARIABLE", "library_of"]

VARIABLE = "WEFT_DEVICE_LIBRARIES"


class _Library(Struct, frozen=True):
    """A device library and where it may be installed.

    Attributes:
        file: the name of the bitcode file.
        variables: environment variables that name installation folders.
        folders: glob patterns of further installation folders.
        inside: glob patterns from an installation folder to the file's folder.
        packages: Python packages that ship it: (name, glob pattern inside).
    """

    file: str
    variables: tuple[str, ...]
    folders: tuple[str, ...]
    inside: tuple[str, ...]
    packages: tuple[tuple[str, str], ...]


def _of_rocm(file: str) -> _Library:
    return _Library(
        file,
        ("ROCM_PATH", "HIP_PATH"),
        ("/opt/rocm*",),
        ("amdgcn/bitcode", "lib/llvm/lib/clang/*/amdgcn/bitcode", "lib/llvm/amdgcn/bitcode"),
        (("_rocm_sdk_core", "lib/llvm/amdgcn/bitcode"), ("triton", "backends/amd/lib")),
    )


_LIBRARIES = {
    "__nv_": _Library(
        "libdevice.10.bc",
        ("CUDA_HOME", "CUDA_PATH"),
        ("/usr/local/cuda*",),
        ("nvvm/libdevice",),
        (("nvidia", "c*/nvvm/libdevice"), ("triton", "backends/nvidia/lib")),
    ),
    "__ocml_": _of_rocm("ocml.bc"),
    "__ockl_": _of_rocm("ockl.bc"),
}


def library_of(symbol: str, path: str = "") -> str:
    """Find the bitcode file that defines a function.

    Args:
        symbol: the function, such as "__nv_sinf".
        path: the library that the kernel names with the symbol; "" for the vendor's own.
    Raises: CodegenError: no known library has the symbol, or its file is not installed.
    """
    if path:
        if not Path(path).is_file():
            raise CodegenError(f"the library of {symbol} does not exist", found=path)
        return path
    library = next(
        (entry for prefix, entry in _LIBRARIES.items() if symbol.startswith(prefix)), None
    )
    if library is None:
        raise CodegenError(
            f"no known library defines {symbol}",
            found=symbol,
            accepted=[f"{prefix}*" for prefix in _LIBRARIES],
            hint="name its file with libpath",
        )
    for folder in _folders(library):
        if (file := Path(folder, library.file)).is_file():
            return str(file)
    raise CodegenError(
        f"{symbol} needs {library.file}, which is not installed",
        found=f"searched {', '.join(_searched(library))}",
        hint=f"set {VARIABLE} to the folder of {library.file}",
    )


def _folders(library: _Library) -> Iterator[str]:
    """Yield the folders to search, in order of preference."""
    yield from filter(None, os.environ.get(VARIABLE, "").split(os.pathsep))
    roots = [*filter(None, map(os.environ.get, library.variables)), *library.folders]
    for root in roots:
        for inside in library.inside:
            yield from sorted(glob.glob(f"{root}/{inside}"), reverse=True)
    for name, pattern in library.packages:
        spec = importlib.util.find_spec(name)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            yield from sorted(glob.glob(f"{folder}/{pattern}"), reverse=True)


def _searched(library: _Library) -> list[str]:
    """Describe where a library is searched, for an error message."""
    return [
        VARIABLE,
        *library.variables,
        *library.folders,
        *(f"the package {name}" for name, _ in library.packages),
    ]
