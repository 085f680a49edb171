"""The errors of weft.

An error has a source location, the value that was found, the values that are accepted, and a hint:

    kernel.py:12:9: error: unknown function tl.lod
        x = tl.lod(ptr)
            ^~~~~~
      found: tl.lod
      accepted: a function of weft.language
      hint: did you mean tl.load?

This module imports nothing of weft; every package may import it.
"""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Location:
    """A range of characters in a line of source text.

    Attributes:
        file: The path, or a name such as "<stdin>".
        line: The line number, 1-based.
        column: The first column, 1-based; 0 if unknown.
        end_column: The column after the last one, 1-based; 0 if unknown.
        source: The text of the line without its newline; "" to read it from the file.
    """

    file: str
    line: int
    column: int = 0
    end_column: int = 0
    source: str = ""

    def __str__(self) -> str:
        line = f"{self.file}:{self.line}"
        return f"{line}:{self.column}" if self.column else line

    def excerpt(self) -> str:
        """Return the source line and a line of carets below it, "" if the text is unknown."""
        source = self.source or linecache.getline(self.file, self.line).rstrip("\n")
        if not source.strip():
            return ""
        stripped = source.lstrip()
        indent = len(source) - len(stripped)
        text = f"    {stripped.rstrip()}"
        if not self.column:
            return text
        start = max(self.column - 1 - indent, 0)
        width = max(min(self.end_column, len(source) + 1) - self.column, 1)
        return f"{text}\n    {' ' * start}^{'~' * (width - 1)}"


class WeftError(Exception):
    """A mistake in the user's input; never a defect of weft.

    Attributes:
        message: The error in one sentence, without a final full stop.
        location: The source location, if known.
        found: The value that was found, if any.
        accepted: The values that are accepted, if they can be listed.
        hint: A suggestion, if there is one.
        notes: Other places that the error is about.
    """

    def __init__(
        self,
        message: str,
        *,
        location: Location | None = None,
        found: object = None,
        accepted: Iterable[object] = (),
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.found = found
        self.accepted = tuple(accepted)
        self.hint = hint
        self.notes: list[WeftError] = []

    def __str__(self) -> str:
        prefix = f"{self.location}: " if self.location else ""
        lines = [f"{prefix}error: {self.message}"]
        if self.location and (excerpt := self.location.excerpt()):
            lines.append(excerpt)
        if self.found is not None:
            lines.append(f"  found: {self.found}")
        if self.accepted:
            lines.append(f"  accepted: {', '.join(str(item) for item in self.accepted)}")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


class ParseError(WeftError):
    """A syntax error in IR text."""


class VerifyError(WeftError):
    """IR that violates a constraint of its operations or types."""


class LayoutError(WeftError):
    """An invalid layout or encoding, or one that does not match its tensor."""


class UnknownTargetError(WeftError):
    """An unknown target."""


class UnknownPassError(WeftError):
    """An unknown pass or pass option."""


class PassError(WeftError):
    """Valid IR that a pass does not support."""


class CompilationError(WeftError):
    """A mistake in the Python source of a kernel."""


class TypeMismatchError(CompilationError):
    """Incompatible types or shapes."""


class UnsupportedError(CompilationError):
    """A Python construct that kernels do not support."""


class SignatureError(WeftError):
    """A signature that does not match the kernel."""


class LaunchError(WeftError):
    """A launch with an invalid grid, argument or device."""


class OutOfBoundsError(LaunchError):
    """An access outside of the array that a pointer points into."""


class CodegenError(WeftError):
    """IR that code generation does not support for the target."""


class OutOfResourcesError(CodegenError):
    """A kernel that needs more shared memory, registers or threads than the target has."""


class IgnoredOptionWarning(UserWarning):
    """An option of the user's has no effect; the message says why."""


_reported: dict[str | tuple[str, type[Warning], int], int] = {}
"""The warnings that were issued, in the form that Python's `warnings` keeps them."""


def warn_ignored(message: str, location: Location | None = None) -> None:
    """Warn that an option has no effect, once per source line with Python's default filter.

    Args:
        message: The option and the reason.
        location: The source line that sets the option, if known.
    """
    file, line = (location.file, location.line) if location else ("<weft>", 1)
    warnings.warn_explicit(
        message, IgnoredOptionWarning, file, line, module=file, registry=_reported
    )


def near(name: str, known: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """Find the names in `known` that are similar to `name`, the most similar first."""
    import difflib  # lazily: importing it is slow, and only errors need it

    return tuple(difflib.get_close_matches(name, list(known), n=count, cutoff=0.6))


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Return the hint "did you mean a or b?", or None without similar names."""
    names: Sequence[str] = near(name, known)
    return f"did you mean {' or '.join(names)}?" if names else None
