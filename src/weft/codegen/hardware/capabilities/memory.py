"""Accesses to global and shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from weft.codegen.llvm.writer import Writer

__all__ = ["Access", "Atomic", "Memory"]


class Access(Struct, frozen=True):
    """One access of one thread to a vector of neighbouring elements of global memory.

    Attributes:
        element: LLVM type of an element.
        count: Elements.
        bits: Of an element.
        address: A pointer.
        predicate: An i1; "" for true.
        cache: Cache modifier, Triton's keyword.
        evict: Eviction policy, Triton's keyword.
        volatile: Whether the access is volatile.
    """

    element: str
    count: int
    bits: int
    address: str
    predicate: str = ""
    cache: str = "none"
    evict: str = "evict_normal"
    volatile: bool = False


class Atomic(Struct, frozen=True):
    """One atomic update of neighbouring elements of global memory by one thread.

    Attributes:
        operation: Triton's keyword; "cas" for compare and swap.
        element: LLVM type of an element.
        count: Elements.
        bits: Of an element.
        address: A pointer.
        predicate: An i1; "" for true.
        order: Memory order, Triton's keyword.
        scope: Scope, Triton's keyword.
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
    """Global, shared and distributed shared memory; each method writes instructions."""

    def load(self, writer: Writer, access: Access, other: Sequence[str]) -> list[str]:
        """Load a vector of global memory; where the predicate is false, return `other`."""
        ...

    def store(self, writer: Writer, access: Access, values: Sequence[str]) -> None:
        """Store a vector to global memory where the predicate is true."""
        ...

    def atomics(
        self, writer: Writer, updates: Sequence[Atomic], values: Sequence[Sequence[str]]
    ) -> list[str]:
        """Update global memory and return the old elements; zero where the predicate is false.

        Args:
            writer: Where to write.
            updates: Updates with the same predicate.
            values: Operands of each; of compare and swap the expected and the new value.
        """
        ...

    def fence(self, writer: Writer, order: str, scope: str) -> None:
        """Write a "release" or "acquire" fence of global memory for a scope."""
        ...

    def increment_shared(self, writer: Writer, address: str, predicate: str) -> None:
        """Add one to an i32 in shared memory atomically where the predicate is true."""
        ...

    def load_shared(
        self, writer: Writer, name: str, bits: int, address: str, count: int
    ) -> list[str]:
        """Load elements from shared memory.

        Args:
            writer: Where to write.
            name: Of the instruction, as conversion plans spell it.
            bits: Of an element.
            address: This lane's.
            count: Elements that the lane gets, as integers.
        """
        ...

    def store_shared(
        self, writer: Writer, name: str, bits: int, address: str, values: Sequence[str]
    ) -> None:
        """Store elements to shared memory; see `load_shared` for the arguments."""
        ...

    @property
    def has_predicated_stores(self) -> bool:
        """Whether lanes are excluded from a store to shared memory without a branch."""
        ...

    def remote_address(self, writer: Writer, address: str, cta: str) -> str:
        """Map an address of this CTA's shared memory to another CTA of the cluster.

        Args:
            writer: Where to write.
            address: In this CTA's shared memory.
            cta: Rank of the other CTA, an i32.

        Returns:
            A pointer in `remote_space`.

        Raises:
            CodegenError: The chip has no distributed shared memory.
        """
        ...

    @property
    def remote_space(self) -> int:
        """LLVM's number of the address space of distributed shared memory."""
        ...
