"""The kernels of a Python file, and the cases that the file lists for compilation."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from msgspec import Struct

from weft.compiler.signature import Signature
from weft.errors import CompilationError, Location, UnsupportedError, WeftError, did_you_mean
from weft.kernel.kernel_interface import KernelInterface, kernel_of
from weft.language.kernel_function import KernelFunction, is_foreign

__all__ = ["Case", "find_kernel", "kernels_of", "load_cases", "load_file", "syntax_error"]


class Case(Struct, frozen=True):
    """An entry of a file's CASES: a kernel and what to compile it with.

    Attributes:
        kernel: The kernel.
        signature: Its signature, or the one-line form of it; "" for none.
        constexprs: Constants by parameter.
        options: Compile options by name.
        targets: The targets that the case is for; empty for all.
    """

    kernel: Any
    signature: str | Signature
    constexprs: Mapping[str, object]
    options: Mapping[str, Any]
    targets: tuple[str, ...] = ()


def load_file(path: str) -> ModuleType:
    """Execute a Python file as a module.

    Raises:
        WeftError: There is no such file, it has a syntax error, or it raises an exception.
    """
    file = Path(path)
    if not file.is_file():
        reason = "Is a directory" if file.is_dir() else "No such file or directory"
        raise WeftError("cannot read the file", found=f"{path}: {reason}")
    name = f"_weft_{file.stem}"  # the file may have the name of a module that others import
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise WeftError(
            "not a Python file", found=path, accepted=["FILE.py", "FILE.ttir", "FILE.ttgir"]
        )
    module = importlib.util.module_from_spec(spec)
    folder = str(file.resolve().parent)
    sys.path.insert(0, folder)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except WeftError:
        raise
    except SyntaxError as error:
        raise syntax_error(error) from None
    except Exception as error:
        raise _load_error(error, file) from None
    finally:
        sys.path.remove(folder)
    return module


def syntax_error(error: SyntaxError) -> CompilationError:
    """Convert a Python syntax error, with its line and caret."""
    location = Location(
        error.filename or "<unknown>",
        error.lineno or 1,
        error.offset or 0,
        error.end_offset or 0,
        (error.text or "").rstrip("\n"),
    )
    return CompilationError(f"Python syntax: {error.msg}", location=location)


def _load_error(error: Exception, file: Path) -> WeftError:
    frames = traceback.extract_tb(error.__traceback__)
    in_file = [frame for frame in frames if Path(frame.filename).resolve() == file.resolve()]
    location = None
    if in_file:
        location = Location(str(file), in_file[-1].lineno or 1, source=in_file[-1].line or "")
    return WeftError(
        f"{file} raised an exception: {error}", location=location, found=type(error).__name__
    )


def kernels_of(module: ModuleType) -> dict[str, Any]:
    """Map the names of the kernels that a module defines, and does not import, to the kernels."""
    kernels: dict[str, Any] = {}
    for name, value in vars(module).items():
        if not isinstance(value, KernelFunction | KernelInterface) and not is_foreign(value):
            continue
        try:
            kernel = kernel_of(value)
        except UnsupportedError:
            continue
        if kernel.fn.__module__ == module.__name__:
            kernels[name] = value
    return kernels


def load_cases(module: ModuleType) -> list[Case]:
    """Read a module's CASES: tuples of kernel, signature, constexprs, options and, last, targets.

    Raises:
        WeftError: CASES has another form.
    """
    entries = getattr(module, "CASES", ())
    try:
        return [Case(*entry) for entry in entries]
    except TypeError:
        raise WeftError(
            f"cannot read CASES of {module.__file__}",
            found=repr(entries)[:80],
            accepted=["tuples (kernel, signature, constexprs, options[, targets])"],
        ) from None


def find_kernel(module: ModuleType, name: str | None) -> Any:
    """Find a kernel by name; without a name the only one, or the only one in CASES.

    Raises:
        WeftError: There is none, or several.
    """
    kernels = kernels_of(module)
    if name is not None and name in kernels:
        return kernels[name]
    if not kernels:
        raise WeftError(
            f"{module.__file__} defines no kernel",
            accepted=["a function decorated with @weft.jit"],
        )
    if name is not None:
        raise WeftError(
            f"{module.__file__} defines no kernel {name}",
            found=name,
            accepted=kernels,
            hint=did_you_mean(name, kernels),
        )
    in_cases = {id(case.kernel): case.kernel for case in load_cases(module)}
    for candidates in (list(kernels.values()), list(in_cases.values())):
        if len(candidates) == 1:
            return candidates[0]
    raise WeftError(
        f"{module.__file__} defines several kernels; name one",
        found=", ".join(kernels),
        accepted=[f"{Path(str(module.__file__)).name}::{each}" for each in kernels],
    )
