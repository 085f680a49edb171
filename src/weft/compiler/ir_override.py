"""The compile option `ir_override`: a file in place of what a stage of a compilation returns.

    kernel.warmup(x, grid=(1,), ir_override="edited.ttgir")

The stages after the file's compile what is in it. Triton 3.7.1 has the option for configurations of
an autotuner, too: Config({"BLOCK": 64, "ir_override": "edited.ttgir"}). Files of a directory
(kernel_files.py) have precedence.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from weft.compiler.options import CompileOptions
from weft.errors import OptionError

if TYPE_CHECKING:
    from weft.ir.builtin import ModuleOp

__all__ = ["OVERRIDABLE_STAGES", "overriding_files", "overriding_module", "overriding_text"]

OVERRIDABLE_STAGES = ("ttir", "ttgir", "llir", "ptx", "amdgcn")
_FILES: ContextVar[Mapping[str, Path]] = ContextVar("overriding_files")


@contextmanager
def overriding_files(files: Mapping[str, Path]) -> Generator[None, None, None]:
    """Replace the output of stages by files in the compilations of the context.

    Args:
        files: The file of each stage that has one.
    """
    token = _FILES.set(files)
    try:
        yield
    finally:
        _FILES.reset(token)


def _file(options: CompileOptions, stage: str) -> Path | None:
    """Find the file that replaces the output of a stage."""
    file = _FILES.get({}).get(stage)
    if file is not None:
        return file
    path = options.ir_override
    return Path(path) if path is not None and Path(path).suffix == f".{stage}" else None


def overriding_text(options: CompileOptions, stage: str) -> str | None:
    """Read the file that replaces the output of a stage; None if there is none.

    Raises:
        OptionError: The file cannot be read.
    """
    file = _file(options, stage)
    if file is None:
        return None
    if stage in _FILES.get({}):
        print(f"\nOverriding kernel with file {file}")
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError("cannot read the file of ir_override", found=f"{file}: {error}") from None


def overriding_module(options: CompileOptions, stage: str) -> ModuleOp | None:
    """Parse and verify the file that replaces the IR of a stage; None if there is none.

    Raises:
        OptionError: The file cannot be read.
        ParseError: It is not IR.
        VerifyError: It violates a constraint.
    """
    text = overriding_text(options, stage)
    if text is None:
        return None
    from weft.ir.text import parse_module  # loads xDSL, which a cached kernel does not need
    from weft.ir.verifier import verify

    module = parse_module(text, str(_file(options, stage)))
    verify(module)
    return module
