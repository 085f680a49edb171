"""Indices of threads, CTAs and programs."""

from __future__ import annotations

from typing import Protocol, Self

from weft.codegen.llvm.writer import Writer

__all__ = ["Program"]


class Program(Protocol):
    """Where a thread is in its CTA, cluster and grid; each method writes instructions on i32."""

    def thread_id(self, writer: Writer) -> str:
        """Get the thread's index in its CTA."""
        ...

    def bounded(self, writer: Writer, value: str, bound: int) -> str:
        """Mark a value that is less than a power of two, in a form that LLVM recognises."""
        ...

    def uniform(self, writer: Writer, value: str) -> str:
        """Mark a value that is the same in all lanes of a warp, in a form that LLVM recognises."""
        ...

    def program_id(self, writer: Writer, axis: int) -> str:
        """Get the program's index along a grid axis."""
        ...

    def num_programs(self, writer: Writer, axis: int) -> str:
        """Get the number of programs along a grid axis."""
        ...

    def cta_rank(self, writer: Writer) -> str:
        """Get the CTA's index in its cluster."""
        ...

    @property
    def reallocates_registers(self) -> bool:
        """Whether warp groups can take registers from one another (setmaxnreg)."""
        ...

    def for_cluster(self, ctas: int) -> Self:
        """Get the same of a kernel whose programs are clusters of CTAs."""
        ...

    def for_partition(self) -> Self:
        """Get the same of a kernel with specialised warps."""
        ...
