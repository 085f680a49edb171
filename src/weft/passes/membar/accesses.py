"""The accesses to shared memory since the last barrier, as slices of buffers.

    %l = ttg.memdesc_subslice %a[0, 0]        slice of the bytes of %a, rows 0 to 15
    %h = ttg.memdesc_subslice %a[16, 0]       … rows 16 to 31: does not intersect the first
    ttg.local_store %x, %l                    writes {(first slice, the store)}
    ttg.local_load %h                         reads {(second slice, the load)}, no hazard

Source: Triton, Analysis/Membar.h.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from weft.analysis.allocation import ByteRange
from weft.ir import ttg
from weft.ir.attributes import array_values
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import defining_op
from weft.ir.ttg import MemDescType

__all__ = ["Access", "AccessKind", "Accesses", "Slice", "slice_of"]


class Slice(Struct, frozen=True):
    """A part of shared memory that an operation accesses.

    Attributes:
        bytes: The bytes of the buffer.
        buffer: The result of its allocation; None for scratch memory and buffers of callees.
        type: The type of the memory descriptor; None for all of the bytes.
        offsets: The first element along each dimension, () if it is not known.
    """

    bytes: ByteRange
    buffer: SSAValue | None = None
    type: MemDescType | None = None
    offsets: tuple[int, ...] = ()

    def intersects(self, other: Slice) -> bool:
        """Check whether two slices may have an element in common."""
        if not self.bytes.overlaps(other.bytes):
            return False
        if self.type is None or other.type is None or not self.offsets or not other.offsets:
            return True
        if self.type.encoding != other.type.encoding:
            return True
        sides = zip(self.offsets, self.type.shape, other.offsets, other.type.shape, strict=True)
        return all(
            start < other_start + other_size and other_start < start + size
            for start, size, other_start, other_size in sides
        )

    def translate(self, distance: int) -> Slice:
        """Get the slice in the memory of a caller, which places that of its callee."""
        bytes_ = ByteRange(self.bytes.start + distance, self.bytes.size)
        return Slice(bytes_, None, self.type, self.offsets)


def slice_of(value: SSAValue, bytes_: ByteRange, buffer: SSAValue) -> Slice:
    """Find the slice that a memory descriptor refers to, given a buffer that it may refer to."""
    type_ = value.type
    assert isinstance(type_, MemDescType)
    subslice = defining_op(value, ttg.MemDescSubsliceOp)
    offsets: tuple[int, ...] = ()
    if subslice is not None:
        source = subslice.operands[0].type
        assert isinstance(source, MemDescType)
        # The offsets are those in the buffer, unless the source is a part of it.
        if tuple(type_.allocated) == tuple(source.shape):
            offsets = array_values(subslice.offsets)
    return Slice(bytes_, buffer, type_, offsets)


class AccessKind(Struct, frozen=True):
    """An operation, and whether the access in question reads.

    Attributes:
        op: The operation.
        reads: Whether it reads; else it writes.
    """

    op: Operation
    reads: bool


Access: TypeAlias = tuple[Slice, Operation]
IsSafe: TypeAlias = Callable[[AccessKind, AccessKind], bool]
IsSafeSlice: TypeAlias = Callable[[Slice, Slice], bool]


class Accesses(Struct, frozen=True):
    """Accesses that the next barrier orders.

    Attributes:
        reads: The slices that are read, each with the operation.
        writes: The slices that are written, likewise.
    """

    reads: frozenset[Access] = frozenset()
    writes: frozenset[Access] = frozenset()

    def __or__(self, other: Accesses) -> Accesses:
        return Accesses(self.reads | other.reads, self.writes | other.writes)

    def __bool__(self) -> bool:
        return bool(self.reads or self.writes)

    def translate(self, distance: int) -> Accesses:
        """Get the accesses of a callee in the memory of its caller."""
        reads, writes = (
            frozenset((slice_.translate(distance), op) for slice_, op in accesses)
            for accesses in (self.reads, self.writes)
        )
        return Accesses(reads, writes)

    def is_hazard_before(
        self, later: Accesses, is_safe: IsSafe, is_safe_slice: IsSafeSlice | None = None
    ) -> bool:
        """Check whether a barrier is needed between these accesses and later ones.

        Args:
            later: The later accesses.
            is_safe: Checks for an earlier and a later operation that need none.
            is_safe_slice: Checks for an earlier and a later slice that need none.
        """
        pairs = (
            (self.writes, False, later.reads, True),  # RAW
            (self.reads, True, later.writes, False),  # WAR
            (self.writes, False, later.writes, False),  # WAW
        )
        return any(
            earlier_slice.intersects(later_slice)
            and not (is_safe_slice is not None and is_safe_slice(earlier_slice, later_slice))
            and not is_safe(AccessKind(earlier_op, first_reads), AccessKind(later_op, then_reads))
            for earlier, first_reads, then, then_reads in pairs
            for later_slice, later_op in then
            for earlier_slice, earlier_op in earlier
        )
