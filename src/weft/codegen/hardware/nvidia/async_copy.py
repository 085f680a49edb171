"""cp.async: copies from global to shared memory in commit groups.

Source: PTX ISA 9.0, cp.async.
"""

from __future__ import annotations

from typing_extensions import override

from weft.codegen.hardware.capabilities import AsyncCopy
from weft.codegen.llvm.writer import Writer

__all__ = ["NvidiaAsyncCopy"]


class NvidiaAsyncCopy(AsyncCopy):
    """Copies by cp.async; see `AsyncCopy`."""

    __slots__ = ()

    @property
    @override
    def counts_instructions(self) -> bool:
        return False

    @override
    def copy(
        self, writer: Writer, target: str, source: str, size: int, predicate: str, active: str = ""
    ) -> None:
        cache = "cg" if size == 16 else "ca"  # only copies of 16 bytes can bypass L1
        source_size = str(size)
        if predicate:
            source_size = writer.value(f"select i1 {predicate}, i32 {size}, i32 0")
        guard, constraint, operand = ("@$3 ", ",b", f", i1 {active}") if active else ("", "", "")
        text = f"{guard}cp.async.{cache}.shared.global [$0], [$1], {size}, $2;"
        writer.line(
            f'call void asm sideeffect "{text}", "r,l,r{constraint}"(ptr addrspace(3) {target}, '
            f"ptr addrspace(1) {source}, i32 {source_size}{operand})"
        )

    @override
    def commit_group(self, writer: Writer) -> None:
        writer.line('call void asm sideeffect "cp.async.commit_group;", ""()')

    @override
    def wait(self, writer: Writer, pending: int) -> None:
        text = f"cp.async.wait_group {pending};"
        writer.line(f'call void asm sideeffect "{text}", "~{{memory}}"()')
