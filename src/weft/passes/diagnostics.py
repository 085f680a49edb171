"""Diagnostics that passes emit beside their result: warnings and remarks about the IR.

    emit_remark(op.location, "size = 1024")         kernel.mlir:4:3: remark: size = 1024

`weft opt` collects and prints them:

    with collect_diagnostics() as diagnostics:
        run_pipeline(passes, module)

Elsewhere they are printed to standard error only if WEFT_ENABLE_DIAGNOSTICS, or Triton's
MLIR_ENABLE_DIAGNOSTICS, is "warnings", or "remarks" for both kinds. With "operations" beside them,
a note has the operation.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Container, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum

from weft.errors import PassError, WeftError
from weft.ir.builtin import Attribute, Operation
from weft.ir.locations import position
from weft.ir.text.printer import print_operation

__all__ = [
    "Diagnostic",
    "PassFailure",
    "Severity",
    "collect_diagnostics",
    "emit_performance_remark",
    "emit_remark",
    "emit_warning",
    "remarks_are_wanted",
]

VARIABLES = ("WEFT_ENABLE_DIAGNOSTICS", "MLIR_ENABLE_DIAGNOSTICS")
"""The environment variables that enable diagnostics, in order of precedence."""


class Severity(Enum):
    """Kinds of diagnostic."""

    ERROR = "error"
    WARNING = "warning"
    REMARK = "remark"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A diagnostic about the input.

    Attributes:
        severity: Its kind.
        error: Its message and location.
    """

    severity: Severity
    error: WeftError

    def __str__(self) -> str:
        return str(self.error).replace("error: ", f"{self.severity.value}: ", 1)


class PassFailure(PassError):
    """The failure of a pass that Triton reports as a warning; `weft opt` reports it as one, too."""


_COLLECTED: ContextVar[list[Diagnostic] | None] = ContextVar("weft_diagnostics", default=None)


@contextmanager
def collect_diagnostics() -> Generator[list[Diagnostic], None, None]:
    """Collect the diagnostics that passes emit in the context, instead of printing them."""
    diagnostics: list[Diagnostic] = []
    token = _COLLECTED.set(diagnostics)
    try:
        yield diagnostics
    finally:
        _COLLECTED.reset(token)


def emit_remark(location: Attribute, message: str, notes: Sequence[str] = ()) -> None:
    """Emit a remark about an operation or a value.

    Args:
        location: The location attribute of what the remark is about.
        message: The remark, without a final full stop.
        notes: More about it.
    """
    place = position(location)
    _emit(Diagnostic(Severity.REMARK, WeftError(message, location=place)))
    for note in notes:
        _emit(Diagnostic(Severity.NOTE, WeftError(note, location=place)))


def emit_performance_remark(op: Operation, message: str, notes: Sequence[str] = ()) -> None:
    """Emit a remark about an operation that is slower than another would be.

    Args:
        op: The operation.
        message: The remark.
        notes: More about it.
    """
    if not remarks_are_wanted():
        return
    if _COLLECTED.get() is None and "operations" in _requests():
        notes = (*notes, f"see current operation: {print_operation(op)}")
    emit_remark(op.location, message, notes)


def remarks_are_wanted() -> bool:
    """Check whether remarks are collected or printed."""
    return _COLLECTED.get() is not None or Severity.REMARK in _printed()


def emit_warning(warning: WeftError) -> None:
    """Emit a warning with its notes."""
    _emit(Diagnostic(Severity.WARNING, warning))
    for note in warning.notes:
        _emit(Diagnostic(Severity.NOTE, note))


def _emit(diagnostic: Diagnostic) -> None:
    collected = _COLLECTED.get()
    if collected is not None:
        collected.append(diagnostic)
    elif diagnostic.severity in _printed():
        print(diagnostic, file=sys.stderr)


def _requests() -> set[str]:
    """Read the environment variables that enable diagnostics."""
    text = next((os.environ[name] for name in VARIABLES if name in os.environ), "")
    return {kind.strip() for kind in text.split(",")}


def _printed() -> Container[Severity]:
    """Read the kinds of diagnostic to print where no caller collects them, errors excepted."""
    kinds = _requests()
    if "remarks" in kinds:
        return (Severity.WARNING, Severity.REMARK, Severity.NOTE)
    return (Severity.WARNING, Severity.NOTE) if "warnings" in kinds else ()
