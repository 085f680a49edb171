"""Find the kernels of a Python file, and the cases that the file offers to compile."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from weft.errors import CompilationError, Location, UnsupportedError, WeftError, did_you_mean
from weft.kernel.jit import Launchable, kernel_of
from weft.language.kernel_function import KernelFunction, is_foreign


@dataclass(frozen=True, slots=True)
class Case:
    """One way to compile a kernel, as an entry of a file's CASES says.

    targets: the chips that the case is for; none named: all of them.
    """

    kernel: Any
    signature: str
    constexprs: Mapping[str, Any]
    options: Mapping[str, Any]
    targets: tuple[str, ...] = ()


def load(path: str) -> ModuleType:
    """Execute a Python file as a module.

    Raises: WeftError: no such file, a syntax error, or an exception while it runs.
    """
    file = Path(path)
    if not file.is_file():
        reason = "a directory" if file.is_dir() else "No such file or directory"
        raise WeftError("cannot read the file", found=f"{path}: {reason}")
    name = f"_weft_{file.stem}"  # a kernel file may be called as a module is that others need
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise WeftError(
            "not a Python file", found=path, accepted=["FILE.py", "FILE.ttir", "FILE.ttgir"]
        )
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.resolve().parent))
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
        sys.path.remove(str(file.resolve().parent))
    return module


def syntax_error(error: SyntaxError) -> CompilationError:
    """Return a Python syntax error as one of weft's, with its line and caret."""
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
    own = [frame for frame in frames if Path(frame.filename) == file]
    location = Location(str(file), own[-1].lineno or 1, source=own[-1].line or "") if own else None
    return WeftError(
        f"{file} fails while it is loaded: {error}", location=location, found=type(error).__name__
    )


def kernels(module: ModuleType) -> dict[str, Any]:
    """Return the kernels that a module defines itself, by name."""
    found: dict[str, Any] = {}
    for name, value in vars(module).items():
        if not isinstance(value, KernelFunction | Launchable) and not is_foreign(value):
            continue
        try:
            kernel = kernel_of(value)
        except UnsupportedError:
            continue
        if kernel.fn.__module__ == module.__name__:
            found[name] = value
    return found


def cases(module: ModuleType) -> list[Case]:
    """Read a module's CASES: tuples of kernel, signature, constexprs, options and perhaps targets.

    Raises: WeftError: CASES is something else.
    """
    listed = getattr(module, "CASES", ())
    try:
        return [Case(*entry) for entry in listed]
    except TypeError:
        raise WeftError(
            f"CASES of {module.__file__} cannot be read",
            found=repr(listed)[:80],
            accepted=["tuples (kernel, signature, constexprs, options[, targets])"],
        ) from None


def pick(module: ModuleType, name: str | None) -> Any:
    """Return the kernel called `name`; or the only one, or the only one that CASES mentions.

    Raises: WeftError: there is none, or more than one to choose from; lists them.
    """
    known = kernels(module)
    if name is not None and name in known:
        return known[name]
    if not known:
        raise WeftError(
            f"{module.__file__} defines no kernel",
            accepted=["a function decorated with @weft.jit"],
        )
    if name is not None:
        raise WeftError(
            f"{module.__file__} defines no kernel {name}",
            found=name,
            accepted=known,
            hint=did_you_mean(name, known),
        )
    mentioned = {id(case.kernel): case.kernel for case in cases(module)}
    for choice in (list(known.values()), list(mentioned.values())):
        if len(choice) == 1:
            return choice[0]
    raise WeftError(
        f"{module.__file__} defines several kernels, and none is named",
        found=", ".join(known),
        accepted=[f"{Path(str(module.__file__)).name}::{each}" for each in known],
    )
