"""Output of the command line: errors on stderr, IR on stdout or in a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from weft.errors import CompilationError, Location, WeftError

if TYPE_CHECKING:
    from rich.console import Console


def report(error: WeftError) -> None:
    """Print an error on stderr, with colors on a terminal."""
    error = _innermost(error)
    if not sys.stderr.isatty():
        print(error, file=sys.stderr)
        return
    from rich.console import Console
    from rich.text import Text

    text = Text(str(error))
    text.highlight_regex(r"(?m)^.*?(?=error: )", "bold")
    text.highlight_regex(r"error: ", "bold red")
    text.highlight_regex(r"(?m)^  (found|accepted|hint):", "bold cyan")
    text.highlight_regex(r"(?m)^ +\^~*$", "bold green")
    Console(stderr=True, soft_wrap=True).print(text)


def _innermost(error: WeftError) -> WeftError:
    """Find the error that others repeat, one per call, as Triton's form has them; add the calls."""
    callers: list[Location] = []
    while isinstance(error, CompilationError) and isinstance(error.__cause__, CompilationError):
        if error.location:
            callers.append(error.location)
        error = error.__cause__
    error.callers += reversed(callers)
    return error


def console() -> Console:
    """Create a console on stdout, as wide as the terminal, or 120 columns in a pipe."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 120)


def note(text: str) -> None:
    """Print a note on stderr."""
    print(f"note: {text}", file=sys.stderr)


def warn(text: str, location: Location) -> None:
    """Print a warning about a source location on stderr."""
    print(f"{location}: warning: {text}", file=sys.stderr)


def write(text: str, output: str) -> None:
    """Write IR text to a file, or to stdout for "-", with colors on a terminal.

    Raises:
        WeftError: The file cannot be written.
    """
    text = text if text.endswith("\n") else f"{text}\n"
    if output != "-":
        try:
            Path(output).write_text(text, encoding="utf-8")
        except OSError as error:
            raise WeftError(
                "cannot write the output", found=f"{output}: {error.strerror}"
            ) from None
    elif sys.stdout.isatty():
        from rich.console import Console

        from weft.cli.highlight import highlight

        Console(soft_wrap=True).print(highlight(text), end="")
    else:
        print(text, end="")


def write_bytes(data: bytes, output: str) -> None:
    """Write a binary file, or to stdout for "-".

    Raises:
        WeftError: The file cannot be written, or stdout is a terminal.
    """
    if output == "-":
        if sys.stdout.isatty():
            raise WeftError(
                "cannot print a binary file on a terminal",
                found="-o -",
                accepted=["-o FILE", "a pipe"],
            )
        sys.stdout.buffer.write(data)
        return
    try:
        Path(output).write_bytes(data)
    except OSError as error:
        raise WeftError("cannot write the output", found=f"{output}: {error.strerror}") from None


def read(path: str) -> str:
    """Read a text file, or stdin for "-".

    Raises:
        WeftError: There is no such file, or it is not text in UTF-8.
    """
    if path == "-":
        try:
            return sys.stdin.read()
        except UnicodeDecodeError:
            raise WeftError(
                "the input is not text", found="<stdin>", accepted=["text in UTF-8"]
            ) from None
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise WeftError("cannot read the file", found=f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise WeftError(
            "the file is not text", found=path, accepted=["a text file in UTF-8"]
        ) from None
