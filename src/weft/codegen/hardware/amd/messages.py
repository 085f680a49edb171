"""printf and assertions by AMD's ockl library.

    __ockl_printf_begin, …                        the host prints what the kernel passes piecewise
    __ockl_fprintf_stderr_begin, …, s_trap        a message, and the end of the kernel

ockl is bitcode that is linked if it is installed. Its functions are called and not inlined, since
each has some hundred instructions. Without it a kernel cannot print, and an assertion that fails
ends the kernel without a message.
Source: LLVM 22.1, printf of AMDGPU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from typing_extensions import override

from weft.codegen.hardware.capabilities import Messages
from weft.codegen.llvm.libraries import library_of
from weft.codegen.llvm.word_packing import as_integer
from weft.codegen.llvm.writer import Writer
from weft.errors import CodegenError
from weft.targets import Target

__all__ = ["AmdMessages", "uses_ockl"]

_PREFIX = "__ockl_"
_MAX_ARGUMENTS = 7  # of one call


@dataclass(frozen=True, slots=True)
class AmdMessages(Messages):
    """Messages by the host, through ockl; see `Messages`."""

    target: Target

    @override
    def print(
        self,
        writer: Writer,
        entry: Writer,
        text: str,
        constant: Callable[[str], str],
        arguments: Sequence[tuple[str, str]],
    ) -> None:
        try:
            message = _ockl(writer, "printf_begin", ("i64", "0"))
        except CodegenError as error:
            raise CodegenError(
                f"a kernel cannot print on {self.target}: {error.message}",
                found=error.found,
                hint=error.hint,
            ) from error
        message = _append_text(writer, message, text, constant, last=not arguments)
        words = [_as_word(writer, *argument) for argument in arguments]
        for start in range(0, len(words), _MAX_ARGUMENTS):
            group = words[start : start + _MAX_ARGUMENTS]
            padded = [*group, *["0"] * (_MAX_ARGUMENTS - len(group))]
            message = _ockl(
                writer,
                "printf_append_args",
                ("i64", message),
                ("i32", str(len(group))),
                *(("i64", word) for word in padded),
                ("i32", str(int(start + _MAX_ARGUMENTS >= len(words)))),
            )

    @override
    def fail(
        self, writer: Writer, constant: Callable[[str], str], message: str, file: str, line: int
    ) -> None:
        text = f"{file}:{line}: device assertion failed: {message}\n".replace("%", "%%")
        try:
            stderr = _ockl(writer, "fprintf_stderr_begin")
        except CodegenError:
            stderr = ""
        if stderr:
            _append_text(writer, stderr, text, constant, last=True)
        writer.call("void", "llvm.trap")


def uses_ockl(writer: Writer) -> bool:
    """Check whether a function calls ockl, which reads hidden kernel arguments."""
    return any(f"@{_PREFIX}" in declaration for declaration in writer.declarations)


def _append_text(
    writer: Writer, message: str, text: str, constant: Callable[[str], str], *, last: bool
) -> str:
    """Append a zero-terminated string to a message; return the message."""
    return _ockl(
        writer,
        "printf_append_string_n",
        ("i64", message),
        ("ptr", constant(text)),
        ("i64", str(len(text.encode()) + 1)),
        ("i32", str(int(last))),
    )


def _ockl(writer: Writer, name: str, *arguments: tuple[str, str]) -> str:
    """Call a function of ockl; return the message that it returns.

    Raises:
        CodegenError: The library is not installed.
    """
    symbol = f"{_PREFIX}{name}"
    writer.libraries.setdefault(library_of(symbol), {})[symbol] = None
    return writer.call("i64", symbol, *arguments, attributes=" noinline")


def _as_word(writer: Writer, type_: str, value: str) -> str:
    """Convert an i32, i64 or double to an i64."""
    if type_ == "i32":
        return writer.value(f"zext i32 {value} to i64")
    return as_integer(writer, type_, 64, value)
