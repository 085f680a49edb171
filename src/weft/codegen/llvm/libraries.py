"""Find the vendors' device libraries (LLVM bitcode) by the symbol that a kernel calls.

    library_of("__nv_sin")            …/nvvm/libdevice/libdevice.10.bc
    library_of("__ocml_sin_f64")      …/amdgcn/bitcode/ocml.bc

The files of the compile option `extern_libs` have precedence. Without one, the folders of
WEFT_DEVICE_LIBRARIES are searched first, then

    libdevice     CUDA_HOME, CUDA_PATH, /usr/local/cuda*; nvidia-cuda-nvcc (PyPI); triton (PyPI)
    ocml, ockl    ROCM_PATH, HIP_PATH, /opt/rocm*; rocm-sdk-core (PyPI); triton (PyPI)

The LLVM worker links only the functions that a kernel calls.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from weft.codegen.installed_packages import package_folders
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
        distribution: the name of the smallest of them on PyPI.
    """

    file: str
    variables: tuple[str, ...]
    folders: tuple[str, ...]
    inside: tuple[str, ...]
    packages: tuple[tuple[str, str], ...]
    distribution: str


def _of_rocm(file: str) -> _Library:
    return _Library(
        file,
        ("ROCM_PATH", "HIP_PATH"),
        ("/opt/rocm*",),
        ("amdgcn/bitcode", "lib/llvm/lib/clang/*/amdgcn/bitcode", "lib/llvm/amdgcn/bitcode"),
        (("_rocm_sdk_core", "lib/llvm/amdgcn/bitcode"), ("triton", "backends/amd/lib")),
        "rocm-sdk-core",
    )


_LIBRARIES = {
    "__nv_": _Library(
        "libdevice.10.bc",
        ("CUDA_HOME", "CUDA_PATH"),
        ("/usr/local/cuda*",),
        ("nvvm/libdevice",),
        (("nvidia", "c*/nvvm/libdevice"), ("triton", "backends/nvidia/lib")),
        "nvidia-cuda-nvcc",
    ),
    "__ocml_": _of_rocm("ocml.bc"),
    "__ockl_": _of_rocm("ockl.bc"),
}


def library_of(
    symbol: str, path: str = "", name: str = "", extern_libs: Mapping[str, str] | None = None
) -> str:
    """Find the bitcode file that defines a function.

    Args:
        symbol: The function, such as "__nv_sinf".
        path: The file that the kernel names with the symbol; "" for none.
        name: The name of the library that the kernel names with the symbol; "" for none.
        extern_libs: Files by the names of their libraries, from the compile options. They have
            precedence.

    Raises:
        CodegenError: No known library has the symbol, or its file does not exist.
    """
    library = next(
        (entry for prefix, entry in _LIBRARIES.items() if symbol.startswith(prefix)), None
    )
    path = _extern_library(symbol, name, library, extern_libs or {}) or path
    if path:
        if not Path(path).is_file():
            raise CodegenError(f"the library of {symbol} does not exist", found=path)
        return path
    if library is None:
        raise CodegenError(
            f"no known library defines {symbol}",
            found=symbol,
            accepted=[f"{prefix}*" for prefix in _LIBRARIES],
            hint="name its file with the compile option extern_libs, or with lib_path",
        )
    for folder in _folders(library):
        if (file := Path(folder, library.file)).is_file():
            return str(file)
    raise CodegenError(
        f"{symbol} needs {library.file}, which is not installed",
        found=f"searched {', '.join(_searched(library))}",
        hint=f"pip install {library.distribution}, or set {VARIABLE} to the folder of "
        f"{library.file}",
    )


def _extern_library(
    symbol: str, name: str, library: _Library | None, paths: Mapping[str, str]
) -> str:
    """Find the file of `extern_libs` that defines a function; "" if there is none."""
    if name in paths:
        return paths[name]
    if library is not None:
        return paths.get(library.file.partition(".")[0], "")
    # The names of a bitcode file's functions are plain bytes in its string table.
    files = [Path(path) for path in paths.values()]
    defining = (file for file in files if file.is_file() and symbol.encode() in file.read_bytes())
    return str(next(defining, ""))


def _folders(library: _Library) -> Iterator[str]:
    """Yield the folders to search, in order of preference."""
    yield from filter(None, os.environ.get(VARIABLE, "").split(os.pathsep))
    roots = [*filter(None, map(os.environ.get, library.variables)), *library.folders]
    for root in roots:
        for inside in library.inside:
            yield from sorted(glob.glob(f"{root}/{inside}"), reverse=True)
    for name, pattern in library.packages:
        for folder in package_folders(name):
            yield from sorted(glob.glob(f"{folder}/{pattern}"), reverse=True)


def _searched(library: _Library) -> list[str]:
    """Describe where a library is searched, for an error message."""
    return [
        VARIABLE,
        *library.variables,
        *library.folders,
        *(f"the package {name}" for name, _ in library.packages),
    ]
