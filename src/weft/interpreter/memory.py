"""The address space of one launch.

Each array gets an address range of its own, 2**44 bytes apart, so that a pointer that leaves
its array lands in no other one and the array it came from can still be named:

    address  =  SPACE + number·2**44 + HALF + (machine address % 4096) + offset in bytes

The low bits are the machine's, so alignment is what it really is. Integers made from pointers
(`tt.ptr_to_int`, pointers in memory) are machine addresses; `to_machine` and `to_pointer` go
between the two, so an array of pointers filled by the host works. An address that belongs to no
argument may belong to an array that the caller of the launch finds (`find`); that one is added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

SPACE = 1 << 60
STRIDE_BITS = 44
HALF = 1 << (STRIDE_BITS - 1)
PAGE = 4096


class _Machine:
    """Lend numpy the bytes of an array that may be strided, reversed or a slice of another."""

    def __init__(self, owner: np.ndarray, address: int, size: int) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "data": (address, not owner.flags.writeable),
            "shape": (size,),
            "typestr": "|u1",
            "version": 3,
        }


@dataclass(eq=False, slots=True)
class Region:
    """The memory of one array argument: the bytes from its lowest to its highest element.

    Args: name: the argument.  array: as passed.  machine: machine address of the lowest byte.
          start: address of the lowest byte in the launch's space.  bytes: that memory.
          origin: address of element (0, 0, …), which a pointer argument holds.
    """

    name: str
    array: np.ndarray
    machine: int
    start: int
    origin: int
    bytes: np.ndarray
    _views: dict[np.dtype, tuple[np.ndarray, int]] = field(default_factory=dict)

    @property
    def end(self) -> int:
        """The address past the last byte."""
        return self.start + self.bytes.size

    def view(self, dtype: np.dtype) -> tuple[np.ndarray, int]:
        """Return the aligned part of the memory as a flat array, and the address of element 0."""
        found = self._views.get(dtype)
        if found is None:
            skip = -self.start % dtype.itemsize
            whole = max(self.bytes.size - skip, 0) // dtype.itemsize * dtype.itemsize
            flat = self.bytes[skip : skip + whole].view(dtype)
            found = self._views[dtype] = (flat, self.start + skip)
        return found


def _region(name: str, array: np.ndarray, number: int) -> Region:
    low, high = np.lib.array_utils.byte_bounds(array) if array.size else (0, 0)
    address: int = array.__array_interface__["data"][0]
    low, high = (low, high) if array.size else (address, address)
    memory = np.asarray(_Machine(array, low, high - low)) if high > low else np.empty(0, np.uint8)
    start = SPACE + (number << STRIDE_BITS) + HALF + low % PAGE
    return Region(name, array, low, start, start + address - low, memory)


Find = Callable[[int], "np.ndarray | None"]


class Memory:
    """All regions of a launch, and a count of the writes to them.

    `version` grows with each write, so that a loop that waits in vain can be told.
    Args: find: from a machine address to the array that it is in, None for none.
    """

    def __init__(self, find: Find | None = None) -> None:
        self._find = find
        self.regions: list[Region] = []
        self.version = 0

    def add(self, name: str, array: np.ndarray) -> int:
        """Add an array and return the address of its first element."""
        region = _region(name, array, len(self.regions))
        self.regions.append(region)
        return region.origin

    def region_at(self, address: int) -> Region | None:
        """Return the region whose range, guard space included, holds an address."""
        number = (address - SPACE) >> STRIDE_BITS
        return self.regions[number] if 0 <= number < len(self.regions) else None

    def numbers(self, addresses: np.ndarray) -> np.ndarray:
        """Return for each address the number of its region; that need not exist."""
        return (addresses - SPACE) >> STRIDE_BITS

    def to_machine(self, addresses: np.ndarray) -> np.ndarray:
        """Turn addresses of this space into the machine's."""
        result = addresses.copy()
        numbers = self.numbers(addresses)
        for number, region in enumerate(self.regions):
            inside = numbers == number
            if inside.any():
                result[inside] += region.machine - region.start
        return result

    def to_pointer(self, integers: np.ndarray) -> np.ndarray:
        """Turn machine addresses into this space; others (null among them) stay as they are."""
        result = integers.copy()
        self._add_found(integers)
        for region in self.regions:
            inside = (integers >= region.machine) & (integers < region.machine + region.bytes.size)
            if inside.any():
                result[inside] += region.start - region.machine
        return result

    def _add_found(self, integers: np.ndarray) -> None:
        """Add the arrays that machine addresses are in, and that are no arguments."""
        if self._find is None:
            return
        for address in map(int, np.unique(integers)):
            held = any(0 <= address - each.machine < each.bytes.size for each in self.regions)
            if address and not held and (array := self._find(address)) is not None:
                self.add(f"the tensor at {address:#x}", array)
