"""Memory as bytes: global memory with the arrays of a launch, and a block's shared memory.

Arrays in global memory are separated by gaps, so that an access outside of all arrays is an error
that names the thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from weft.errors import CodegenError, OutOfBoundsError
from weft.simulator.llvm_ir.types import Type, dtype_of
from weft.simulator.synchronization.cluster_order import ClusterOrder
from weft.simulator.synchronization.races import Races

__all__ = ["Memory", "Traffic"]

_GAP = 4096
_FIRST_ADDRESS = 1 << 16
_ALIGNMENT = 256  # of arrays
_UNINITIALIZED = 0xCD


@dataclass(slots=True)
class Traffic:
    """Accesses to a memory.

    Attributes:
        accesses: (kind of access, bytes per thread) → number of instructions, one for each warp
            that executed it.
    """

    accesses: dict[tuple[str, int], int] = field(default_factory=dict)

    def add(self, kind: str, size: int, warps: int) -> None:
        """Count an instruction that a number of warps executed."""
        key = kind, size
        self.accesses[key] = self.accesses.get(key, 0) + warps


@dataclass(slots=True)
class Memory:
    """Bytes at addresses, and the ranges of addresses that are valid.

    Attributes:
        name: "global" or "shared", for messages.
        bytes: All bytes, from address 0.
        starts: First address of each array, ascending.
        ends: Address after each array.
        traffic: Counts of accesses.
        races: Race detection, None for global memory.
    """

    name: str
    bytes: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    traffic: Traffic = field(default_factory=Traffic)
    races: Races | None = None

    @classmethod
    def for_arrays(cls, name: str, sizes: Sequence[int]) -> Memory:
        """Create memory for arrays of the given numbers of bytes."""
        starts: list[int] = []
        end = _FIRST_ADDRESS
        for size in sizes:
            starts.append(end)
            end += (size + _GAP) // _ALIGNMENT * _ALIGNMENT + _GAP
        begins = np.asarray(starts, np.int64)
        return cls(name, np.zeros(end, np.uint8), begins, begins + np.asarray(sizes, np.int64))

    @classmethod
    def shared(cls, size: int) -> Memory:
        """Create a block's shared memory, uninitialized, from address 0 on."""
        content = np.full(size, _UNINITIALIZED, np.uint8)
        memory = cls("shared", content, np.zeros(1, int), np.array([size]))
        memory.races = Races.of(size)
        return memory

    def write_array(self, index: int, values: np.ndarray) -> None:
        """Copy the content of an array in."""
        data = np.ascontiguousarray(values).view(np.uint8).reshape(-1)
        self.bytes[self.starts[index] : self.starts[index] + data.size] = data

    def read_array(self, index: int, like: np.ndarray) -> np.ndarray:
        """Copy the content of an array out, with the shape and type of another."""
        data = self.bytes[self.starts[index] : self.starts[index] + like.nbytes]
        return data.view(like.dtype).reshape(like.shape).copy()

    def load(
        self,
        type_: Type,
        addresses: np.ndarray,
        mask: np.ndarray,
        reader: ClusterOrder | None = None,
        *,
        alignment: int = 1,
    ) -> np.ndarray:
        """Load a value per thread.

        Args:
            type_: Type of the values.
            addresses: Address per thread.
            mask: Threads that load; the others get zero.
            reader: The block that loads, if the memory is another block's.
            alignment: Bytes that the addresses must be multiples of.

        Raises:
            OutOfBoundsError: An address is outside of all arrays.
            CodegenError: An address is misaligned, or the load races with another access.
        """
        size = type_.size
        starts = self.check("loads", addresses, size, mask, alignment)
        places = starts[:, None] + np.arange(size)
        if self.races is not None:
            threads = np.flatnonzero(mask)
            if reader is None:
                self.races.read(places[threads], threads)
            else:
                self.races.read_by_block(places[threads], reader)
        raw = self.bytes[places] if self.bytes.size else np.zeros(places.shape, np.uint8)
        raw[~mask] = 0
        values = raw.view(_storage_dtype(type_)).astype(dtype_of(type_), copy=False)
        return values if type_.count else values[:, 0]

    def load_unchecked(self, type_: Type, addresses: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """Load a value per thread without race detection."""
        races, self.races = self.races, None
        values = self.load(type_, addresses, mask)
        self.races = races
        return values

    def store(
        self,
        type_: Type,
        addresses: np.ndarray,
        values: np.ndarray,
        mask: np.ndarray,
        *,
        alignment: int = 1,
    ) -> None:
        """Store a value per thread.

        Args:
            type_: Type of the values.
            addresses: Address per thread.
            values: [thread or 1] or [thread or 1, element].
            mask: Threads that store.
            alignment: Bytes that the addresses must be multiples of.

        Raises:
            OutOfBoundsError: An address is outside of all arrays.
            CodegenError: An address is misaligned, or the store races with another access.
        """
        count, size = max(1, type_.count), type_.size
        starts = self.check("stores", addresses, size, mask, alignment)
        rows = np.broadcast_to(values.reshape(values.shape[0], -1), (mask.size, count))
        raw = np.ascontiguousarray(rows.astype(_storage_dtype(type_), copy=False)).view(np.uint8)
        threads = np.flatnonzero(mask)
        places = starts[threads, None] + np.arange(size)
        if self.races is not None:
            self.races.write(places, threads)
        self.bytes[places] = raw[threads]
        if self.races is not None:
            # Threads may write one byte at once only if they write the same value.
            self.races.check_same_values(places, threads, self.bytes[places] == raw[threads])

    def check_range(self, places: np.ndarray) -> None:
        """Check that addresses are valid.

        Raises:
            OutOfBoundsError: One is not.
        """
        self.check("copies", places.reshape(-1), 1, np.ones(places.size, bool))

    def check(
        self, verb: str, addresses: np.ndarray, size: int, mask: np.ndarray, alignment: int = 1
    ) -> np.ndarray:
        """Check the addresses of an access.

        Args:
            verb: What threads do, for messages.
            addresses: Address per thread.
            size: Bytes per thread.
            mask: Threads that take part.
            alignment: Bytes that the addresses must be multiples of.

        Returns:
            The addresses, with a valid one for threads outside of the mask.

        Raises:
            OutOfBoundsError: An address is outside of all arrays.
            CodegenError: An address is misaligned.
        """
        where = np.broadcast_to(addresses, mask.shape)
        array = np.searchsorted(self.starts, where, side="right") - 1
        inside = (array >= 0) & (where + size <= self.ends[np.maximum(array, 0)])
        outside = mask & ~inside
        if outside.any():
            thread = int(np.flatnonzero(outside)[0])
            raise OutOfBoundsError(
                f"thread {thread} of the block {verb} {size} bytes outside of {self.name} memory",
                found=hex(int(where[thread])),
                accepted=[
                    f"{int(start):#x} to {int(end):#x}"
                    for start, end in zip(self.starts, self.ends, strict=True)
                ],
            )
        misaligned = mask & (where % alignment != 0)
        if misaligned.any():
            thread = int(np.flatnonzero(misaligned)[0])
            raise CodegenError(
                f"thread {thread} of the block {verb} {size} bytes of {self.name} memory at an"
                f" address that is not a multiple of {alignment}",
                found=hex(int(where[thread])),
            )
        return np.where(mask, where, self.starts[0])


def _storage_dtype(type_: Type) -> np.dtype:
    """Find the numpy type of an element in memory; pointers to shared memory have 4 bytes there."""
    if type_.name == "ptr":
        return np.dtype(np.int64 if type_.bytes_each == 8 else np.uint32)
    return dtype_of(type_)
