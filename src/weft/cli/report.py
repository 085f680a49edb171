"""What the command line prints: errors on stderr, IR on stdout or in a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from weft.errors import Location, WeftError

if TYPE_CHECKING:
    from rich.console import Console


def report(error: WeftError) -> None:
    """Print an error on stderr, coloured on a terminal."""
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


def console() -> Console:
    """Return a console on stdout: as wide as the terminal, or 120 columns in a pipe."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 120)


def note(text: str) -> None:
    """Print a remark on stderr."""
    print(f"note: {text}", file=sys.stderr)


def warn(text: str, place: Location) -> None:
    """Print a warning about a place on stderr."""
    print(f"{place}: warning: {text}", file=sys.stderr)


def write(text: str, output: str) -> None:
    """Write IR text to a file, or to stdout for "-", coloured on a terminal.

    Raises: WeftError: the file cannot be written.
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

        from weft.cli.highlight import highlighted

        Console(soft_wrap=True).print(highlighted(text), end="")
    else:
        print(text, end="")


def write_bytes(data: bytes, output: str) -> None:
    """Write a binary file, or to the pipe that stdout is for "-".

    Raises: WeftError: the file cannot be written, or stdout is a terminal.
    """
    if output == "-":
        if sys.stdout.isatty():
            raise WeftError(
                "a binary file is nothing for a terminal",
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

    Raises: WeftError: there is no such file, or it is no text.
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
