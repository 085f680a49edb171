"""Text from a kernel to its user: printf, and the end of a kernel whose requirement fails.

NVIDIA    vprintf(format, buffer)      the driver prints; the buffer is the thread's own
          __assertfail(message, …)     the driver prints, and ends the context
AMD       s_trap                       ends the kernel; what it says needs AMD's device library

Source: CUDA C++ programming guide, formatted output and assertion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.codegen.writer import Writer
from weft.errors import CodegenError
from weft.targets import Target

__all__ = ["assert_fail", "cannot_print", "trap", "vprintf"]


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


def trap(writer: Writer) -> None:
    """End the kernel, without a word."""
    writer.call("void", "llvm.trap")


def cannot_print(target: Target) -> CodegenError:
    """Return the error of a print on a chip that prints through a library of its maker."""
    return CodegenError(
        f"a kernel cannot print on {target}",
        found="tt.print",
        accepted=["a kernel without device_print"],
        hint="on the CPU device and on NVIDIA's chips it can",
    )
