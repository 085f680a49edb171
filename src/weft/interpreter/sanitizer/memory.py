"""Conflicting writes of programs, and reads of memory that nothing has written.

Two programs conflict if they store different values to one address and no synchronization orders
them. Programs synchronize through atomic operations on one address, as a lock does: what a program
did before such an operation happens before what another one does after its own.

Memory counts as unwritten from `unwritten` on until a host program or a kernel stores to it. It is
filled with a pattern, and an element of four bytes or more that still has it is unwritten; smaller
elements are judged four bytes at a time. Arrays of `numpy.empty` count as written.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import DTypeLike, NDArray

from weft.interpreter.memory import Memory, Region

__all__ = ["Conflict", "ProgramOrder", "WriteLog", "unwritten", "unwritten_lanes"]

_PATTERN = 0xA5
_WORD = 4  # bytes; smaller elements may have the pattern by chance
_allocations: list[tuple[weakref.ref[np.ndarray], int, int]] = []  # buffer, address, bytes


def unwritten(shape: int | Sequence[int], dtype: DTypeLike = np.float32) -> np.ndarray:
    """Allocate an array whose elements count as unwritten until something stores to them.

    Use it in place of `numpy.empty` for the outputs of a kernel that is checked; torch's
    `torch.from_numpy` makes a tensor of it.

    Args:
        shape: The shape.
        dtype: The dtype, also one of ml_dtypes.
    """
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    element = np.dtype(dtype)
    size = prod(sizes) * element.itemsize
    buffer = np.full(-(-size // 8) * 8, _PATTERN, np.uint8)
    _allocations[:] = [each for each in _allocations if each[0]() is not None]
    _allocations.append((weakref.ref(buffer), buffer.ctypes.data, buffer.size))
    return buffer[:size].view(element).reshape(sizes)


def _is_tracked(region: Region) -> bool:
    return any(
        buffer() is not None and start <= region.machine < start + size
        for buffer, start, size in _allocations
    )


def regions_of(
    memory: Memory, addresses: np.ndarray, size: int
) -> Iterator[tuple[Region, NDArray[np.bool_], NDArray[np.int64]]]:
    """Yield the arrays that addresses are inside of: lanes of the addresses, and byte offsets."""
    numbers = memory.numbers(addresses)
    for number in map(int, np.unique(numbers)):
        if not 0 <= number < len(memory.regions):
            continue  # the access itself raises the error
        region = memory.regions[number]
        inside = (addresses >= region.start) & (addresses + size <= region.end)
        lanes = (numbers == number) & inside
        yield region, lanes, addresses[lanes] - region.start


def unwritten_lanes(
    memory: Memory, addresses: np.ndarray, active: np.ndarray, size: int
) -> tuple[Region, np.ndarray, int] | None:
    """Find the lanes of a load that read memory which nothing has written.

    Returns:
        The array, the lanes, and the first such element of the array; None if there are none.
    """
    if not _allocations:
        return None
    flat = addresses[active]
    for region, lanes, offsets in regions_of(memory, flat, size):
        if not _is_tracked(region):
            continue
        width = max(size, _WORD)
        first = (
            (region.machine + offsets) // width * width - region.machine
            if size < _WORD
            else offsets
        )
        index = np.clip(first[:, None] + np.arange(width), 0, region.bytes.size - 1)
        fresh = (region.bytes[index] == _PATTERN).all(axis=1)
        if fresh.any():
            result = np.zeros(addresses.shape, bool)
            positions = np.flatnonzero(active)[lanes][fresh]
            result.reshape(-1)[positions] = True
            element = int(offsets[fresh][0] - (region.origin - region.start)) // size
            return region, result, element
    return None


class ProgramOrder:
    """Which programs the current one is ordered after, by atomic operations on one address."""

    def __init__(self) -> None:
        self._released: dict[int, set[int]] = {}
        self._before: set[int] = set()
        self.current = -1

    def begin(self) -> None:
        """Start the next program."""
        self.current += 1
        self._before = set()

    def synchronize(self, address: int, *, acquires: bool, releases: bool) -> None:
        """Observe an atomic operation of the current program."""
        released = self._released.setdefault(address, set())
        if acquires:
            self._before |= released
        if releases:
            released |= {*self._before, self.current}

    def is_after(self, programs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Check for each of some programs whether the current one is ordered after it."""
        if not self._before:
            return np.zeros(programs.shape, bool)
        return np.isin(programs, list(self._before))


@dataclass(frozen=True, slots=True)
class Conflict:
    """Different values that are stored to one address.

    Attributes:
        region: The array.
        element: The element of the array.
        lanes: The lanes that store.
        value: The value that the first of them stores.
        other: The value that was stored before.
        program: The number of the program that stored it; None for another lane of this store.
    """

    region: Region
    element: int
    lanes: np.ndarray
    value: object
    other: object
    program: int | None


class WriteLog:
    """The program that last stored to each byte of the arrays of a launch."""

    def __init__(self, order: ProgramOrder) -> None:
        self._order = order
        self._writers: dict[int, NDArray[np.int32]] = {}

    def store(
        self, memory: Memory, addresses: np.ndarray, active: np.ndarray, data: np.ndarray
    ) -> Conflict | None:
        """Log a store, and find its first conflict."""
        size = data.dtype.itemsize
        flat = addresses[active]
        values = np.ascontiguousarray(np.broadcast_to(data, addresses.shape)[active])
        bits = values.view(np.uint8).reshape(-1, size)
        conflict: Conflict | None = None
        for region, lanes, offsets in regions_of(memory, flat, size):
            clash = self._between_lanes(region, offsets, values[lanes], bits[lanes])
            clash = clash or self._between_programs(region, offsets, values[lanes], bits[lanes])
            if clash is not None and conflict is None:
                position, other, program = clash
                where = np.zeros(addresses.shape, bool)
                where.reshape(-1)[np.flatnonzero(active)[lanes][position]] = True
                element = int(offsets[position] - (region.origin - region.start)) // size
                value = values[lanes][position]
                conflict = Conflict(region, element, where, value, other, program)
        return conflict

    def _between_lanes(
        self, region: Region, offsets: np.ndarray, values: np.ndarray, bits: np.ndarray
    ) -> tuple[int, object, None] | None:
        order = np.argsort(offsets, kind="stable")
        same = offsets[order][1:] == offsets[order][:-1]
        differ = same & (bits[order][1:] != bits[order][:-1]).any(axis=1)
        if not differ.any():
            return None
        first = int(differ.argmax())
        return int(order[first + 1]), values[order[first]], None

    def _between_programs(
        self, region: Region, offsets: np.ndarray, values: np.ndarray, bits: np.ndarray
    ) -> tuple[int, object, int] | None:
        writers = self._writers.setdefault(region.start, np.full(region.bytes.size, -1, np.int32))
        bytes_ = offsets[:, None] + np.arange(bits.shape[1])
        last = writers[bytes_].astype(np.int64)
        writers[bytes_] = self._order.current
        foreign = (last >= 0) & (last != self._order.current) & ~self._order.is_after(last)
        if not foreign.any():
            return None
        old = region.bytes[bytes_]
        differ = foreign & (old != bits)
        if not differ.any():
            return None
        position, byte = (int(each) for each in np.unravel_index(differ.argmax(), differ.shape))
        other = np.ascontiguousarray(old[position]).view(values.dtype)[0]
        return position, other, int(last[position, byte])
