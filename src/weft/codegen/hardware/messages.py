"""Text from a kernel to its user: printf, and the end of a kernel whose requirement fails.

NVIDIA    vprintf(format, buffer)      the driver prints; the buffer is the thread's own
          __assertfail(message, …)     the driver prints, and ends the context
AMD       __ockl_printf_begin, …       the host prints what the kernel hands it, piece by piece
          __ockl_fprintf_stderr_begin, …, s_trap

The functions of AMD are ockl's, bitcode that is linked where it is found; they are called and not
inlined, for each is some hundred instructions. Without it nothing is printed, and a requirement
that does not hold ends the kernel without a word.

Source: CUDA C++ programming guide, formatted output and assertion; LLVM 22.1, printf of AMDGPU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.codegen.llvm.libraries import library_of
from weft.codegen.llvm.words import as_integer
from weft.codegen.llvm.writer import Writer
from weft.errors import CodegenError
from weft.targets import Target

__all__ = ["assert_fail", "ockl_fail", "ockl_printf", "uses_ockl", "vprintf"]

_PREFIX = "__ockl_"
_TOGETHER = 7  # arguments that one call takes


def vprintf(writer: Writer, entry: Writer, text: str, arguments: Sequence[tuple[str, str]]) -> None:
    """Print a line by CUDA's printf.

    Args: entry: where the thread's buffer is made.  text: the format's address.
          arguments: (type, value) each.
    """
    struct = f"{{ {', '.join(type_ for type_, _ in arguments)} }}"
    buffer = entry.value(f"alloca {struct}, align 8")
    whole = "poison"
    for n, (type_, value) in enumerate(arguments):
        whole = writer.value(f"insertvalue {struct} {whole}, {type_} {value}, {n}")
    writer.line(f"store {struct} {whole}, ptr {buffer}, align 8")
    writer.call("i32", "vprintf", ("ptr", text), ("ptr", buffer))


def assert_fail(
    writer: Writer, constant: Callable[[str], str], message: str, file: str, line: int
) -> None:
    """End the kernel as CUDA's assert does."""
    writer.call(
        "void",
        "__assertfail",
        ("ptr", constant(message)),
        ("ptr", constant(file)),
        ("i32", str(line)),
        ("ptr", constant("unknown")),
        ("i64", "1"),
    )


def ockl_printf(
    writer: Writer,
    target: Target,
    text: str,
    constant: Callable[[str], str],
    arguments: Sequence[tuple[str, str]],
) -> None:
    """Print a line by AMD's printf.

    Args: text: a format.  constant: gives the address of text.  arguments: (type, value) each.
    Raises: CodegenError: the library is not on this machine.
    """
    try:
        message = _ockl(writer, "printf_begin", ("i64", "0"))
    except CodegenError as error:
        raise CodegenError(
            f"a kernel cannot print on {target}: {error.message}",
            found=error.found,
            hint=error.hint,
        ) from error
    message = _append_text(writer, message, text, constant, last=not arguments)
    words = [_as_word(writer, *each) for each in arguments]
    for start in range(0, len(words), _TOGETHER):
        some = words[start : start + _TOGETHER]
        padded = [*some, *["0"] * (_TOGETHER - len(some))]
        message = _ockl(
            writer,
            "printf_append_args",
            ("i64", message),
            ("i32", str(len(some))),
            *(("i64", word) for word in padded),
            ("i32", str(int(start + _TOGETHER >= len(words)))),
        )


def ockl_fail(
    writer: Writer, constant: Callable[[str], str], message: str, file: str, line: int
) -> None:
    """End the kernel; where the library is on this machine, with a message."""
    text = f"{file}:{line}: device assertion failed: {message}\n".replace("%", "%%")
    try:
        told = _ockl(writer, "fprintf_stderr_begin")
    except CodegenError:
        told = ""
    if told:
        _append_text(writer, told, text, constant, last=True)
    writer.call("void", "llvm.trap")


def uses_ockl(writer: Writer) -> bool:
    """Tell whether a function calls the library, which asks the host by a hidden argument."""
    return any(f"@{_PREFIX}" in declaration for declaration in writer.declarations)


def _append_text(
    writer: Writer, message: str, text: str, constant: Callable[[str], str], *, last: bool
) -> str:
    """Add text, with its zero, to a message; return the message."""
    return _ockl(
        writer,
        "printf_append_string_n",
        ("i64", message),
        ("ptr", constant(text)),
        ("i64", str(len(text.encode()) + 1)),
        ("i32", str(int(last))),
    )


def _ockl(writer: Writer, name: str, *arguments: tuple[str, str]) -> str:
    """Call a function of the library; return the message that it gives.

    Raises: CodegenError: the library is not on this machine.
    """
    symbol = f"{_PREFIX}{name}"
    writer.libraries.setdefault(library_of(symbol), {})[symbol] = None
    return writer.call_told("i64", symbol, " noinline", *arguments)


def _as_word(writer: Writer, type_: str, value: str) -> str:
    """Return an i32, i64 or double as 64 bits."""
    if type_ == "i32":
        return writer.value(f"zext i32 {value} to i64")
    return as_integer(writer, type_, 64, value)
