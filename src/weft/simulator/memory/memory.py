"""Memory as bytes: the arrays of a launch in one address space, and a block's shared memory.

Every array lies at an address of its own with a gap behind it, so that an access outside of all
arrays is noticed, with the thread that made it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from weft.errors import CodegenError, OutOfBoundsError
from weft.simulator.llvm_ir.types import Type, dtype_of
from weft.simulator.synchronization.cluster_order import Meetings
from weft.simulator.synchronization.races import Races

__all__ = ["Memory", "Traffic"]

_GAP = 4096
_FIRST = 1 << 16


@dataclass(slots=True)
class Traffic:
    """What went through a memory: instructions that accessed it, and bytes, by kind.

    accesses: (kind, bytes of one thread's access) → instructions, one per warp that took part.
    """

    accesses: dict[tuple[str, int], int] = field(default_factory=dict)

    def add(self, kind: str, size: int, warps: int) -> None:
        """Count an instruction that `warps` warps executed."""
        key = kind, size
        self.accesses[key] = self.accesses.get(key, 0) + warps


@dataclass(slots=True)
class Memory:
    """Bytes at addresses, and which addresses are anybody's.

    bytes: from address 0 on.  starts, ends: of each array, ascending.  name: for messages.
    races: of a block's shared memory, who touched what since the last barrier.
    """

    name: str
    bytes: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    traffic: Traffic = field(default_factory=Traffic)
    races: Races | None = None

    @classmethod
    def of(cls, name: str, sizes: Sequence[int]) -> Memory:
        """Return memory for arrays of so many bytes each."""
        starts, at = [], _FIRST
        for size in sizes:
            starts.append(at)
            at += (size + _GAP) // 256 * 256 + _GAP
        begins = np.asarray(starts, np.int64)
        return cls(name, np.zeros(at, np.uint8), begins, begins + np.asarray(sizes, np.int64))

    @classmethod
    def shared(cls, size: int) -> Memory:
        """Return a block's shared memory; it begins at address 0, and holds nothing yet."""
        memory = cls("shared", np.full(size, 0xCD, np.uint8), np.zeros(1, int), np.array([size]))
        memory.races = Races.of(size)
        return memory

    def write_array(self, index: int, values: np.ndarray) -> None:
        """Copy an array in."""
        data = np.ascontiguousarray(values).view(np.uint8).reshape(-1)
        self.bytes[self.starts[index] : self.starts[index] + data.size] = data

    def read_array(self, index: int, like: np.ndarray) -> np.ndarray:
        """Return an array as it is now."""
        data = self.bytes[self.starts[index] : self.starts[index] + like.nbytes]
        return data.view(like.dtype).reshape(like.shape).copy()

    def load(
        self,
        type_: Type,
        addresses: np.ndarray,
        mask: np.ndarray,
        reader: Meetings | None = None,
        *,
        aligned: int = 1,
    ) -> np.ndarray:
        """Return what lies at an address per thread; threads outside the mask get zero.

        Args: reader: the block that reads, where the memory is another block's.
              aligned: what the addresses are said to be multiples of.
        """
        count = max(1, type_.count)
        size = type_.bytes_each * count
        place = self.check("loads", addresses, size, mask, aligned)
        places = place[:, None] + np.arange(size)
        if self.races is not None:
            rows = np.flatnonzero(mask)
            if reader is None:
                self.races.read(places[rows], rows)
            else:
                self.races.read_by_block(places[rows], reader)
        raw = self.bytes[places] if self.bytes.size else np.zeros(places.shape, np.uint8)
        raw[~mask] = 0
        found = raw.view(_in_memory(type_)).astype(dtype_of(type_), copy=False)
        return found if type_.count else found[:, 0]

    def look(self, type_: Type, addresses: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """Return what lies at an address per thread, which others may update meanwhile."""
        races, self.races = self.races, None
        found = self.load(type_, addresses, mask)
        self.races = races
        return found

    def store(
        self,
        type_: Type,
        addresses: np.ndarray,
        values: np.ndarray,
        mask: np.ndarray,
        *,
        aligned: int = 1,
    ) -> None:
        """Write a value per thread that the mask holds; of equal values later threads win.

        Args: aligned: as of `load`.
        """
        count = max(1, type_.count)
        size = type_.bytes_each * count
        place = self.check("stores", addresses, size, mask, aligned)
        full = np.broadcast_to(values.reshape(values.shape[0], -1), (mask.size, count))
        raw = np.ascontiguousarray(full.astype(_in_memory(type_), copy=False)).view(np.uint8)
        rows = np.flatnonzero(mask)
        places = place[rows, None] + np.arange(size)
        if self.races is not None:
            self.races.write(places, rows)
        self.bytes[places] = raw[rows]
        if self.races is not None:
            self.races.require_agreed(places, rows, self.bytes[places] == raw[rows])

    def require(self, places: np.ndarray) -> None:
        """Refuse bytes outside of all arrays.

        Raises: OutOfBoundsError.
        """
        self.check("copies", places.reshape(-1), 1, np.ones(places.size, bool))

    def check(
        self, kind: str, addresses: np.ndarray, size: int, mask: np.ndarray, aligned: int = 1
    ) -> np.ndarray:
        """Return the addresses, those outside the mask made harmless.

        Raises: OutOfBoundsError: a thread reaches outside of every array; CodegenError: an address
                that is not the multiple that it is said to be.
        """
        where = np.broadcast_to(addresses, mask.shape)
        owner = np.searchsorted(self.starts, where, side="right") - 1
        inside = (owner >= 0) & (where + size <= self.ends[np.maximum(owner, 0)])
        wrong = mask & ~inside
        if wrong.any():
            thread = int(np.flatnonzero(wrong)[0])
            raise OutOfBoundsError(
                f"thread {thread} of the block {kind} {size} bytes outside of {self.name} memory",
                found=hex(int(where[thread])),
                accepted=[
                    f"{int(start):#x} to {int(end):#x}"
                    for start, end in zip(self.starts, self.ends, strict=True)
                ],
            )
        astray = mask & (where % aligned != 0)
        if astray.any():
            thread = int(np.flatnonzero(astray)[0])
            raise CodegenError(
                f"thread {thread} of the block {kind} {size} bytes of {self.name} memory from an"
                f" address that is no multiple of {aligned}",
                found=hex(int(where[thread])),
            )
        return np.where(mask, where, self.starts[0])


def _in_memory(type_: Type) -> np.dtype:
    """Return the numpy type of an element as it lies in memory."""
    if type_.name == "ptr":
        return np.dtype(np.int64 if type_.bytes_each == 8 else np.uint32)
    return dtype_of(type_)
