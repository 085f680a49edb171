"""Every error a user of weft can meet.

An error says where it happened, what was found there, what would have been accepted and,
where there is one, what to try next:

    kernel.py:12:9: error: unknown function tl.lod
        x = tl.lod(ptr)
            ^~~~~~
      found: tl.lod
      accepted: a function of weft.language
      hint: did you mean tl.load?

This module is a leaf: it imports nothing of weft, and every room may import it.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Location:
    """Name a place in a source text.

    Args: file: path or a name such as "<stdin>".  line: 1-based.  column: 1-based, 0 if unknown.
          end_column: 1-based column past the last character of the place, 0 if unknown.
          source: text of that line without its newline; "" to read it from the file, if it is one.
    """

    file: str
    line: int
    column: int = 0
    end_column: int = 0
    source: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}"
        return f"{place}:{self.column}" if self.column else place

    def excerpt(self) -> str:
        """Return the source line with a caret line below it, or "" where the text is unknown."""
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
    """Report a mistake in the user's input, never one in weft.

    Args: message: one sentence without a final stop.  location: where, if known.
          found: what stood there.  accepted: what would have been accepted.
          hint: what to try next.
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

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        lines = [f"{place}error: {self.message}"]
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
    """IR text that does not follow the grammar."""


class VerifyError(WeftError):
    """IR that parses and breaks a rule of its operations, types or scopes."""


class LayoutError(WeftError):
    """A layout or encoding that is malformed or does not fit."""


class UnknownTargetError(WeftError):
    """A chip that has no row of facts."""


class UnknownPassError(WeftError):
    """A pass name, or a pass option, that is not registered."""


class PassError(WeftError):
    """Legal IR that a pass cannot take."""


class CompilationError(WeftError):
    """A mistake in a kernel's Python source."""


class TypeMismatchError(CompilationError):
    """Operands whose types or shapes do not go together."""


class UnsupportedError(CompilationError):
    """Python that a kernel cannot use."""


class SignatureError(WeftError):
    """A signature, or an attribute of it, that does not fit the kernel."""


class LaunchError(WeftError):
    """A launch whose grid, arguments or device do not fit the kernel."""


class OutOfBoundsError(LaunchError):
    """An access outside of the array that a pointer came from."""


class CodegenError(WeftError):
    """IR that cannot be turned into machine code for the target."""


class OutOfResourcesError(CodegenError):
    """Report a kernel that needs more than its chip has: shared memory, registers, threads."""


# As Triton calls them, in triton.runtime.errors and triton.compiler.errors.
TritonError = WeftError
AutotunerError = InterpreterError = LaunchError
OutOfResources, PTXASError = OutOfResourcesError, CodegenError
CompileTimeAssertionFailure = UnsupportedLanguageConstruct = CompilationError


def near(name: str, known: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """Return the names of `known` that `name` was most likely meant to be, best first."""
    import difflib  # here: few programs make a mistake, and it takes a while to load

    return tuple(difflib.get_close_matches(name, list(known), n=count, cutoff=0.6))


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Return a hint "did you mean a or b?", or None where nothing is near."""
    names: Sequence[str] = near(name, known)
    return f"did you mean {' or '.join(names)}?" if names else None
