"""Asynchronous copies to LDS: global_load_async_to_lds of gfx1250, counted by instruction."""

from __future__ import annotations

from dataclasses import dataclass

from typing_extensions import override

from weft.codegen.hardware.amd.synchronization import wait_for
from weft.codegen.hardware.capabilities import AsyncCopy
from weft.codegen.llvm.writer import Writer
from weft.errors import CodegenError
from weft.targets import Target
from weft.targets.wait_counters import wait_counters

__all__ = ["AmdAsyncCopy"]


@dataclass(frozen=True, slots=True)
class AmdAsyncCopy(AsyncCopy):
    """Copies that a wait counts one by one; see `AsyncCopy`."""

    target: Target

    @property
    @override
    def counts_instructions(self) -> bool:
        return True

    @override
    def copy(
        self, writer: Writer, target: str, source: str, size: int, predicate: str, active: str = ""
    ) -> None:
        """Start a copy; lanes whose predicate is false store zeros themselves.

        All threads copy: a warp that starts fewer than the others would wait for too many.
        """
        assert not active
        if "copy" not in self._counters():
            raise CodegenError(
                f"{self.target} has no copies from global to shared memory",
                hint="compile without use_async_copy",
            )
        inside, skipped, after = (writer.label(name) for name in ("copy", "kept", "copied"))
        if predicate:
            writer.branch(predicate, inside, skipped)
            writer.start(inside)
        writer.call(
            "void",
            f"llvm.amdgcn.global.load.async.to.lds.b{8 * size}",
            ("ptr addrspace(1)", source),
            ("ptr addrspace(3)", target),
            ("i32", "0"),
            ("i32", "0"),
        )
        if predicate:
            writer.jump(after)
            writer.start(skipped)
            zeros = f"<{size // 4} x i32> zeroinitializer"
            writer.line(f"store {zeros}, ptr addrspace(3) {target}, align {size}")
            writer.jump(after)
            writer.start(after)

    @override
    def commit_group(self, writer: Writer) -> None:
        """Write nothing: copies are counted one by one."""

    @override
    def wait(self, writer: Writer, pending: int) -> None:
        kind = "copy" if "copy" in self._counters() else "load"
        wait_for(writer, self.target, kind, pending)

    def _counters(self) -> set[str]:
        return {row.kind for row in wait_counters(str(self.target.arch))}
