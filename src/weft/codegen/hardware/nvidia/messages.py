"""printf and assertions by the CUDA driver.

    vprintf(format, buffer)      the driver prints; the buffer is in local memory
    __assertfail(message, …)     the driver prints, and aborts the context

Source: CUDA C++ programming guide, formatted output and assertion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from typing_extensions import override

from weft.codegen.hardware.capabilities import Messages
from weft.codegen.llvm.writer import Writer

__all__ = ["NvidiaMessages"]


class NvidiaMessages(Messages):
    """Messages by device functions of the driver; see `Messages`."""

    __slots__ = ()

    @override
    def print(
        self,
        writer: Writer,
        entry: Writer,
        text: str,
        constant: Callable[[str], str],
        arguments: Sequence[tuple[str, str]],
    ) -> None:
        format_ = constant(text)
        struct = f"{{ {', '.join(type_ for type_, _ in arguments)} }}"
        buffer = entry.value(f"alloca {struct}, align 8")
        whole = "poison"
        for n, (type_, value) in enumerate(arguments):
            whole = writer.value(f"insertvalue {struct} {whole}, {type_} {value}, {n}")
        writer.line(f"store {struct} {whole}, ptr {buffer}, align 8")
        writer.call("i32", "vprintf", ("ptr", format_), ("ptr", buffer))

    @override
    def fail(
        self, writer: Writer, constant: Callable[[str], str], message: str, file: str, line: int
    ) -> None:
        writer.call(
            "void",
            "__assertfail",
            ("ptr", constant(message)),
            ("ptr", constant(file)),
            ("i32", str(line)),
            ("ptr", constant("unknown")),
            ("i64", "1"),
        )
