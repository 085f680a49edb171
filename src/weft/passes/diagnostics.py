"""Diagnostics that passes emit beside their result: remarks about the IR, at its locations.

    emit_remark(op.location, "size = 1024")         kernel.mlir:4:3: remark: size = 1024

They go to standard error, unless a caller collects them:

    with collect_diagnostics() as diagnostics:
        run_pipeline(passes, module)
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum

from weft.errors import WeftError
from weft.ir.builtin import Attribute
from weft.ir.locations import position

__all__ = ["Diagnostic", "Severity", "collect_diagnostics", "emit_remark"]


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


def emit_remark(location: Attribute, message: str) -> None:
    """Emit a remark about an operation or a value.

    Args:
        location: The location attribute of what the remark is about.
        message: The remark, without a final full stop.
    """
    remark = Diagnostic(Severity.REMARK, WeftError(message, location=position(location)))
    collected = _COLLECTED.get()
    if collected is None:
        print(remark, file=sys.stderr)
    else:
        collected.append(remark)
