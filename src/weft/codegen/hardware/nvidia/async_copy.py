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
        operands = [f"ptr addrspace(3) {target}", f"ptr addrspace(1) {source}"]
        ignore = guard = ""
        if predicate:
            # ignore-src. A size of 0 means the same, but costs a select and a comparison.
            ignore = f", !${len(operands)}"
            operands.append(f"i1 {predicate}")
        if active:
            guard = f"@${len(operands)} "
            operands.append(f"i1 {active}")
        text = f"{guard}cp.async.{cache}.shared.global [$0], [$1], {size}{ignore};"
        constraints = ",".join(["r", "l", "b", "b"][: len(operands)])
        writer.line(f'call void asm sideeffect "{text}", "{constraints}"({", ".join(operands)})')

    @override
    def commit_group(self, writer: Writer) -> None:
        writer.line('call void asm sideeffect "cp.async.commit_group;", ""()')

    @override
    def wait(self, writer: Writer, pending: int) -> None:
        # With LLVM's spacing for its intrinsic: tests of Triton's users search PTX for it.
        text = f"cp.async.wait_group \t{pending};"
        writer.line(f'call void asm sideeffect "{text}", "~{{memory}}"()')
