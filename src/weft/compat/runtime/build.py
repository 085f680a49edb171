"""`triton.runtime.build`: compile a Python extension module from C source, once.

module = compile_module_from_src(source, "name", libraries=["m"])     # its file lies in the cache
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import platform
import re
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable, Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType
from typing import cast

from weft import knobs
from weft.compat.runtime.cache import get_cache_manager
from weft.errors import LaunchError

__all__ = ["compile_module_from_src", "get_cache_manager", "platform_key"]


def compile_module_from_src(
    src: str,
    name: str,
    library_dirs: Sequence[str] | None = None,
    include_dirs: Sequence[str] | None = None,
    libraries: Sequence[str] | None = None,
    ccflags: Sequence[str] | None = None,
) -> ModuleType:
    """Compile and load a Python extension module.

    Args:
        src: The C source.
        name: The name of the module.
        library_dirs: Folders of libraries.
        include_dirs: Folders of headers; Python's is one of them in any case.
        libraries: Libraries, as "m" or "libm.so.6".
        ccflags: More arguments of the compiler.

    Raises:
        LaunchError: There is no C compiler, or it fails.
    """
    lists = [list(each or ()) for each in (library_dirs, include_dirs, libraries, ccflags)]
    flags = repr(lists) if any(lists) else ""
    key = hashlib.sha256((src + platform_key() + flags).encode()).hexdigest()
    cache = get_cache_manager(key)
    file = f"{name}{EXTENSION_SUFFIXES[0]}"
    path = cache.get_file(file)
    if path is not None:
        try:
            return _load_module(name, path)
        except ImportError:
            message = "compiled module %s in the cache could not be loaded; compiling it again"
            logging.getLogger(__name__).warning(message, path)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f"{name}.c"
        source.write_text(src)
        library = _build(name, str(source), folder, *lists)
        path = cache.put(Path(library).read_bytes(), file, binary=True)
    return _load_module(name, path)


def platform_key() -> str:
    """Get a text that differs between machines that cannot load each other's modules."""
    return ",".join([platform.machine(), platform.system(), *platform.architecture()])


def _build(
    name: str,
    src: str,
    srcdir: str,
    library_dirs: list[str],
    include_dirs: list[str],
    libraries: list[str],
    ccflags: list[str],
) -> str:
    """Compile the file `src`, by `knobs.build.impl` if it is set; return the path of the module."""
    if knobs.build.impl is not None:
        build = cast("Callable[..., str]", knobs.build.impl)
        return build(name, src, srcdir, library_dirs, include_dirs, libraries)
    compiler = knobs.build.cc or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise LaunchError(
            "Failed to find C compiler",
            hint="set the environment variable CC, or triton.knobs.build.impl",
        )
    output = os.path.join(srcdir, f"{name}{EXTENSION_SUFFIXES[0]}")
    headers = [*include_dirs, srcdir, sysconfig.get_paths()["include"], *knobs.build.backend_dirs]
    arguments = ["-O3", "-shared", "-fPIC", "-Wno-psabi", "-o", output]
    arguments += [_library_argument(each) for each in libraries]
    arguments += [f"-L{each}" for each in library_dirs] + [f"-I{each}" for each in headers]
    command = [compiler, src, *arguments, *ccflags]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode:
        raise LaunchError(f"{compiler} cannot compile {name}", found=process.stderr.strip())
    return output


def _library_argument(library: str) -> str:
    """Write the argument for "m", or for a file such as "libm.so.6"."""
    is_file = library.endswith(".a") or re.search(r"\.so(\.\d+)*$", library)
    return f"-l:{library}" if is_file else f"-l{library}"


def _load_module(name: str, path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"not an extension module: {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
