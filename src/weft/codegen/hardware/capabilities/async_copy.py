"""Asynchronous copies from global to shared memory."""

from __future__ import annotations

from typing import Protocol

from weft.codegen.llvm.writer import Writer

__all__ = ["AsyncCopy"]


class AsyncCopy(Protocol):
    """Copies that run while the threads continue: cp.async, or loads to LDS."""

    @property
    def counts_instructions(self) -> bool:
        """Whether a wait counts instructions instead of commit groups."""
        ...

    def copy(
        self, writer: Writer, target: str, source: str, size: int, predicate: str, active: str = ""
    ) -> None:
        """Start a copy; a lane whose predicate is false copies zeros.

        Args:
            writer: Where to write.
            target: Address in shared memory.
            source: Address in global memory.
            size: Bytes.
            predicate: An i1; "" for true.
            active: An i1, whether this thread copies at all; "" if all threads do, as they must
                where `counts_instructions`.

        Raises:
            CodegenError: The chip has no such copies.
        """
        ...

    def commit_group(self, writer: Writer) -> None:
        """Put the copies that were started into a commit group."""
        ...

    def wait(self, writer: Writer, pending: int) -> None:
        """Wait until at most `pending` commit groups, or instructions, are in flight."""
        ...
