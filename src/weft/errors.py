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
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Location:
    """A range of characters in a line of source text.

    Attributes:
        file: The path, or a name such as "<stdin>".
        line: The line number, 1-based.
        column: The first column, 1-based; 0 if unknown.
        end_column: The column after the last one, 1-based; 0 if unknown.
        source: The text of the line without its newline; "" to read it from the file.
        function_line: The line of the `def` of the kernel function, 1-based; 0 outside of one.
        function_column: The column of the `def`, 0-based.
    """

    file: str
    line: int
    column: int = 0
    end_column: int = 0
    source: str = ""
    function_line: int = 0
    function_column: int = 0

    def __str__(self) -> str:
        line = f"{self.file}:{self.line}"
        return f"{line}:{self.column}" if self.column else line

    def one_line(self) -> str:
        """Return the location and its source line: "kernel.py:7:5: y = scale(x)"."""
        source = self.source or linecache.getline(self.file, self.line)
        return f"{self}: {source.strip()}" if source.strip() else str(self)

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

    def in_function(self) -> str:
        """Format the position in the kernel function as Triton does.

        Returns:
            "at 2:4:" (the `def` is line 1, columns count from 0), then the source up to the line,
            at most 12 lines, and a caret.
        """
        first = max(self.function_line, self.line - _MAX_EXCERPT_LINES + 1)
        margin, column = self.function_column, max(self.column - 1 - self.function_column, 0)
        lines = [linecache.getline(self.file, line) for line in range(first, self.line + 1)]
        excerpt = [line.rstrip("\n")[margin:] for line in lines]
        position = f"at {self.line - self.function_line + 1}:{column}:"
        return "\n".join([position, *excerpt, f"{' ' * column}^"])


_MAX_EXCERPT_LINES = 12


class ErrorForm:
    """How errors of kernels are formatted and chained, and what element types are called.

    Attributes:
        is_triton: As Triton does, for programs that match its texts: the text ends with the
            position in the function, its source and the message, `__cause__` is the error
            without a position, and `repr(tl.int8)` is "triton.language.int8".
            `weft.compat.as_triton` sets it.
    """

    is_triton: ClassVar[bool] = False


class WeftError(Exception):
    """A mistake in the user's input; never a defect of weft.

    Attributes:
        message: The error in one sentence, without a final full stop.
        location: The source location, if known.
        found: The value that was found, if any.
        accepted: The values that are accepted, if they can be listed.
        hint: A suggestion, if there is one.
        notes: Other places that the error is about.
        callers: The calls that led to the function of the error, the innermost first.
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
        self.callers: list[Location] = []

    @property
    def error_message(self) -> str:
        """The message, as Triton calls it."""
        return self.message

    def __str__(self) -> str:
        prefix = f"{self.location}: " if self.location else ""
        is_triton = ErrorForm.is_triton and self.location and self.location.function_line
        lines = [f"{prefix}error:" if is_triton else f"{prefix}error: {self.message}"]
        if self.location and not is_triton and (excerpt := self.location.excerpt()):
            lines.append(excerpt)
        lines += [f"  called from: {caller.one_line()}" for caller in self.callers]
        if self.found is not None:
            lines.append(f"  found: {self.found}")
        if self.accepted:
            lines.append(f"  accepted: {', '.join(str(item) for item in self.accepted)}")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        if is_triton and self.location:
            lines += [self.location.in_function(), self.message]
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
    """A mistake in the Python source of a kernel.

    Attributes:
        node: The syntax node, if known.
        src: The source of the kernel function, if known.
        source_line_count_max_in_message: Lines of source in the text of an error with a node.
    """

    node: object = None
    src: str | None = None
    source_line_count_max_in_message: ClassVar[int] = _MAX_EXCERPT_LINES
    _cause: ClassVar[type[Exception]] = ValueError

    def __init__(
        self,
        src: str | None,
        node: object = None,
        error_message: str | None = None,
        **details: Any,
    ) -> None:
        """Describe the mistake by a message alone, or by Triton's arguments.

        Args:
            src: The message; with a node, the source of the function, or None.
            node: The syntax node.
            error_message: The message, with a node.
            details: The keywords of WeftError.
        """
        if node is None and error_message is None:
            super().__init__(src or "", **details)
            return
        super().__init__(error_message or "", **details)
        self.src, self.node = src, node

    def __str__(self) -> str:
        if self.node is None or self.location:
            return super().__str__()
        return "\n".join(filter(None, [self._source_excerpt(), self.message]))

    def _source_excerpt(self) -> str:
        """Format the position of the node and the source up to it, as Triton does."""
        line: int | None = getattr(self.node, "lineno", None)
        if line is None:
            return " <source unavailable>" if self.src is None else self.src
        column: int = getattr(self.node, "col_offset", 0)
        if self.src is None:
            return f"at {line}:{column}:\n <source unavailable>"
        lines = self.src.split("\n")[:line][-self.source_line_count_max_in_message :]
        return "\n".join([f"at {line}:{column}:", *lines, f"{' ' * column}^"])

    def cause(self) -> Exception:
        """Create the error without its position, whose text is the message alone."""
        return self._cause(self.message)


class StaticAssertionError(CompilationError):
    """A false `tl.static_assert`."""


class TypeMismatchError(CompilationError):
    """Incompatible types or shapes."""

    _cause = TypeError


class UnsupportedError(CompilationError):
    """A Python construct that kernels do not support."""


class SignatureError(WeftError):
    """A signature that does not match the kernel."""


class LaunchError(WeftError):
    """A launch with an invalid grid, argument or device."""


class OptionError(LaunchError, ValueError, AssertionError):
    """A compile option with a value that is not accepted; some of Triton's are AssertionErrors."""


class DescriptorError(LaunchError, ValueError, AssertionError):
    """A tensor descriptor of which TMA cannot copy tiles; Triton has ValueErrors and assertions."""


class PreloadError(LaunchError, RuntimeError):
    """Specialization data for another kernel or target than it is loaded for."""


class DeviceAssertionError(LaunchError, RuntimeError):
    """A false assertion in a kernel; on a GPU, torch raises a RuntimeError."""


class AutotunerError(LaunchError):
    """An autotuned kernel without a configuration that runs."""

    def __str__(self) -> str:
        if not ErrorForm.is_triton:
            return super().__str__()
        sentences = (each for each in (self.message, self.hint) if each)
        return f"Autotuner error: {' '.join(f'{each}.' for each in sentences)}"


class OutOfBoundsError(LaunchError):
    """An access outside of the array that a pointer points into."""


class SanitizerError(LaunchError):
    """A checked launch that does something without a defined result."""


class CodegenError(WeftError):
    """IR that code generation does not support for the target."""


class InternalCodegenError(CodegenError):
    """An exception of code generation that is a defect of weft, with the operation it is about.

    It is the one exception to the rule that a `WeftError` is a mistake in the input: verified IR
    may ask for what no lowering foresees, and the user needs the location to avoid it.
    """


class OutOfResourcesError(CodegenError):
    """A kernel that needs more shared memory, registers or threads than the target has.

    Attributes:
        required: What it needs, if known.
        limit: What the target has, if known.
        name: The resource, if known.
    """

    def __init__(
        self,
        required: int | str,
        limit: int | None = None,
        name: str | None = None,
        *,
        message: str | None = None,
        **details: Any,
    ) -> None:
        """Describe what is needed, by Triton's arguments or by a message alone.

        Args:
            required: What the kernel needs, or the message.
            limit: What the target has.
            name: The resource.
            message: Another message than Triton's.
            details: The keywords of WeftError.
        """
        self.required, self.limit, self.name = required, limit, name
        triton_message = f"out of resource: {name}, Required: {required}, Hardware limit: {limit}"
        if message is None:
            message = str(required) if name is None else triton_message
        super().__init__(message, **details)


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
    _warn(message, IgnoredOptionWarning, location)


class DeprecatedWarning(UserWarning):
    """A use of the language that Triton deprecates; the message says what to use instead."""


def warn_deprecated(message: str, location: Location | None = None) -> None:
    """Warn of a deprecated use, once per source line with Python's default filter.

    Args:
        message: The use, and what replaces it.
        location: The source line of the use, if known.
    """
    _warn(message, DeprecatedWarning, location)


def _warn(message: str, category: type[Warning], location: Location | None) -> None:
    file, line = (location.file, location.line) if location else ("<weft>", 1)
    warnings.warn_explicit(message, category, file, line, module=file, registry=_reported)


def near(name: str, known: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """Find the names in `known` that are similar to `name`, the most similar first."""
    import difflib  # lazily: importing it is slow, and only errors need it

    return tuple(difflib.get_close_matches(name, list(known), n=count, cutoff=0.6))


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Return the hint "did you mean a or b?", or None without similar names."""
    names: Sequence[str] = near(name, known)
    return f"did you mean {' or '.join(names)}?" if names else None
