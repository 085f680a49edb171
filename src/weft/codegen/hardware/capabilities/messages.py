"""Messages from a kernel to its user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from weft.codegen.llvm.writer import Writer

__all__ = ["Messages"]


class Messages(Protocol):
    """printf and assertions of device code."""

    def print(
        self,
        writer: Writer,
        entry: Writer,
        text: str,
        constant: Callable[[str], str],
        arguments: Sequence[tuple[str, str]],
    ) -> None:
        """Print a line.

        Args:
            writer: Where to write.
            entry: Writer of the function's first block.
            text: Format string of printf.
            constant: Gives the address of a string constant.
            arguments: (type, value) each, of type i32, i64 or double.

        Raises:
            CodegenError: The library that the chip prints by is not installed.
        """
        ...

    def fail(
        self, writer: Writer, constant: Callable[[str], str], message: str, file: str, line: int
    ) -> None:
        """Abort the kernel with a message.

        Args:
            writer: Where to write.
            constant: Gives the address of a string constant.
            message: Text.
            file: Of the assertion.
            line: In the file.
        """
        ...
