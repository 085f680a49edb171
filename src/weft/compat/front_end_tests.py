"""`triton._filecheck`: tests of the IR that the front end makes of a kernel.

@filecheck_test
@triton.jit
def test_add():
    # CHECK: arith.addi
    ...
"""

from __future__ import annotations

import functools
import glob
import inspect
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from weft.compat.backends.compiler import GPUTarget
from weft.compiler.ast_to_ttir import ast_to_ttir
from weft.compiler.options import ALL_OPTIONS, options_for
from weft.errors import LaunchError
from weft.kernel.jit import JITFunction
from weft.kernel.specialization import specialize
from weft.launch.argument_views import view_arguments, warmup_arguments
from weft.launch.binding import bind
from weft.targets import target as target_of

__all__ = [
    "MatchError",
    "filecheck_test",
    "run_filecheck",
    "run_filecheck_test",
    "run_parser",
    "stub_target",
]

stub_target = GPUTarget("cuda", 100, 32)
"""The target of the tests."""


class MatchError(ValueError):
    """IR that does not match.

    Attributes:
        module_str: The IR.
    """

    def __init__(self, message: str, module_str: str) -> None:
        super().__init__(message)
        self.module_str = module_str

    def __str__(self) -> str:
        return f"{super().__str__()}\n{self.module_str}"


class _Module:
    """The IR of a kernel, as Triton's bindings show it."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def __str__(self) -> str:
        return self._text(locations=True)

    def str_nodebug(self) -> str:
        """Print it without locations."""
        return self._text(locations=False)

    def _text(self, locations: bool) -> str:
        from weft.ir.text import print_module  # loads xDSL

        return print_module(self.module, locations=locations)

    def verify(self) -> bool:
        """Check it; an error is raised if it is invalid."""
        self.module.verify()
        return True


def run_parser(
    kernel_fn: JITFunction,
    args: Sequence[object] = (),
    kwargs: Mapping[str, object] | None = None,
    target: GPUTarget = stub_target,
) -> _Module:
    """Lower a kernel for some arguments to the IR of the front end.

    Raises:
        CompilationError: A mistake in the kernel.
    """
    named = dict(kwargs or {})
    named.pop("sanitize_overflow", None)
    values, options = bind(kernel_fn, tuple(args), named)
    values = view_arguments(warmup_arguments(kernel_fn, values))
    chip = target_of(f"{target.backend}:{target.arch}")
    known = {name: value for name, value in options.items() if name in ALL_OPTIONS}
    checked = options_for(chip, known)
    signature = specialize(kernel_fn, list(values.values()))
    return _Module(ast_to_ttir(kernel_fn, signature, chip, checked))


def run_filecheck(name: str, module_str: str, check_template: str) -> None:
    """Compare IR with the CHECK lines of a text.

    Raises:
        ValueError: They do not match.
        LaunchError: There is no FileCheck.
    """
    with tempfile.TemporaryDirectory() as folder:
        module, expected = Path(folder, "module"), Path(folder, "expected")
        module.write_text(module_str)
        expected.write_text(check_template)
        command = [_filecheck(), str(expected), "--input-file", str(module)]
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        if process.returncode:
            raise MatchError(process.stdout + process.stderr, module_str)


def _filecheck() -> str:
    """Find LLVM's FileCheck, or the one in Triton's wheel."""
    candidates = [shutil.which(name) for name in ("FileCheck", "filecheck")]
    for entry in sys.path:
        spec = PathFinder.find_spec("triton", [entry])
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            candidates += glob.glob(os.path.join(folder, "FileCheck"))
    for path in filter(None, candidates):
        return path
    raise LaunchError("Cannot find FileCheck", hint="pip install filecheck")


def run_filecheck_test(kernel_fn: JITFunction | Callable[..., object]) -> None:
    """Compare the IR of a kernel with the CHECK lines of its source."""
    assert isinstance(kernel_fn, JITFunction), f"not a kernel: {kernel_fn}"
    text = run_parser(kernel_fn).str_nodebug()
    run_filecheck("placeholder", text, inspect.getsource(kernel_fn.fn))


def filecheck_test(fn: JITFunction | Callable[..., object]) -> Callable[[], None]:
    """Make a test of a kernel with CHECK lines; that of a function which is no kernel fails."""

    @functools.wraps(getattr(fn, "fn", fn))
    def test() -> None:
        run_filecheck_test(fn)

    del test.__wrapped__  # pytest would take the kernel's parameters for fixtures
    return test
