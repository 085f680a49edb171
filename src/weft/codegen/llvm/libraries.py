"""The vendors' libraries of functions, as LLVM bitcode: which has a symbol, and where it is.

    library_of("__nv_sin")            …/nvvm/libdevice/libdevice.10.bc
    library_of("__ocml_sin_f64")      …/amdgcn/bitcode/ocml.bc

WEFT_DEVICE_LIBRARIES names folders that are looked at first. Then

    libdevice     CUDA_HOME, CUDA_PATH, /usr/local/cuda*; nvidia-cuda-nvcc (PyPI); triton (PyPI)
    ocml, ockl    ROCM_PATH, HIP_PATH, /opt/rocm*; rocm-sdk-core (PyPI); triton (PyPI)

LLVM's process links what a kernel calls, and nothing else of the file.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from weft.errors import CodegenError

__all__ = ["CHOICE", "library_of"]

CHOICE = "WEFT_DEVICE_LIBRARIES"


@dataclass(frozen=True, slots=True)
class _Library:
    """A library: its file, and folders where it may be.

    variables: of the environment, whose values are folders.  folders: patterns beside them.
    inside: patterns from those to the file's folder.  packages: (name, pattern inside) each.
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
    """Return the file that has a function.

    Args: path: of a library that is named beside the symbol, "" for the vendor's own.
    Raises: CodegenError: no library is known for such a symbol, or its file is nowhere.
    """
    if path:
        if not Path(path).is_file():
            raise CodegenError(f"the library of {symbol} is not there", found=path)
        return path
    library = next((one for start, one in _LIBRARIES.items() if symbol.startswith(start)), None)
    if library is None:
        raise CodegenError(
            f"no library is known that has {symbol}",
            found=symbol,
            accepted=[f"{start}*" for start in _LIBRARIES],
            hint="name its file with libpath",
        )
    for folder in _places(library):
        if (file := Path(folder, library.file)).is_file():
            return str(file)
    raise CodegenError(
        f"{symbol} needs {library.file}, which is not on this machine",
        found=f"looked in {', '.join(_told(library))}",
        hint=f"set {CHOICE} to the folder of {library.file}",
    )


def _places(library: _Library) -> Iterator[str]:
    import glob

    yield from filter(None, os.environ.get(CHOICE, "").split(os.pathsep))
    roots = [*filter(None, map(os.environ.get, library.variables)), *library.folders]
    for root in roots:
        for inside in library.inside:
            yield from sorted(glob.glob(f"{root}/{inside}"), reverse=True)
    for name, pattern in library.packages:
        found = importlib.util.find_spec(name)
        for folder in (found.submodule_search_locations or ()) if found else ():
            yield from sorted(glob.glob(f"{folder}/{pattern}"), reverse=True)


def _told(library: _Library) -> list[str]:
    """Return where a library is looked for, in words."""
    return [
        CHOICE,
        *library.variables,
        *library.folders,
        *(f"the package {name}" for name, _ in library.packages),
    ]
