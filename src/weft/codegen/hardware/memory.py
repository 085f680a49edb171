"""What codegen asks of a chip's memory: vectors and atomics, shared memory, asynchronous copies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from weft.codegen.llvm.writer import Writer

__all__ = ["Access", "Atomic", "Memory"]


@dataclass(frozen=True, slots=True)
class Access:
    """One access to global memory by one thread, of a vector of neighbouring elements.

    element: its LLVM type.  count: elements.  bits: of one.  address: a pointer.
    predicate: an i1, "" for an access that always happens.  cache, evict: Triton's keywords,
    "none" and "evict_normal" where there is nothing to say.
    """

    element: str
    count: int
    bits: int
    address: str
    predicate: str = ""
    cache: str = "none"
    evict: str = "evict_normal"
    volatile: bool = False


@dataclass(frozen=True, slots=True)
class Atomic:
    """One atomic update of neighbouring elements of global memory by one thread.

    operation: Triton's keyword, "cas" for compare and swap.  element: its LLVM type.
    count: elements.  bits: of one.  address: a pointer.  predicate: an i1, "" for one that always
    happens.  order, scope: Triton's keywords.
    """

    operation: str
    element: str
    count: int
    bits: int
    address: str
    predicate: str = ""
    order: str = "relaxed"
    scope: str = "gpu"


class Memory(Protocol):
    """Global and shared memory as codegen sees them; each method writes instructions."""

    def load(self, writer: Writer, access: Access, other: Sequence[str]) -> list[str]:
        """Read a vector; where the predicate is false, return `other`."""
        ...

    def store(self, writer: Writer, access: Access, values: Sequence[str]) -> None:
        """Write a vector where the predicate is true."""
        ...

    def atomics(
        self, writer: Writer, some: Sequence[Atomic], values: Sequence[Sequence[str]]
    ) -> list[str]:
        """Update memory, and return the old elements; zero where the predicate is false.

        Args: some: of one predicate.  values: of each what to combine with; of compare and swap
              what is expected and what to write.
        """
        ...

    def fence(self, writer: Writer, order: str, scope: str) -> None:
        """Order what came before among the threads of a scope: "release" or "acquire"."""
        ...

    def count_shared(self, writer: Writer, address: str, predicate: str) -> None:
        """Add one to an i32 in shared memory where the predicate is true, atomically."""
        ...

    def load_shared(
        self, writer: Writer, name: str, bits: int, address: str, count: int
    ) -> list[str]:
        """Read elements from shared memory.

        Args: name: of the instruction, as conversion plans call it.  bits: of an element.
              address: this lane's.  count: elements that the lane gets, as integers.
        """
        ...

    def store_shared(
        self, writer: Writer, name: str, bits: int, address: str, values: Sequence[str]
    ) -> None:
        """Write elements to shared memory; arguments as of `load_shared`."""
        ...

    @property
    def counts_copies(self) -> bool:
        """Whether copies are waited for by the number of their instructions, not of groups."""
        ...

    def copy_async(
        self, writer: Writer, target: str, source: str, size: int, predicate: str, awake: str = ""
    ) -> None:
        """Start copying bytes from global to shared memory; zeros where a predicate is false.

        Args: awake: an i1, whether this thread is one of those that copy; "" if all are, as they
              must be where `counts_copies`.
        Raises: CodegenError: the chip copies no such run.
        """
        ...

    def commit_copies(self, writer: Writer) -> None:
        """Put the copies that were started into a group."""
        ...

    def wait_for_copies(self, writer: Writer, pending: int) -> None:
        """Wait until at most so many groups, or instructions, of copies are under way."""
        ...
