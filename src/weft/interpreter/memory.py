"""The address space of a launch.

Every array has an address range, 2⁴⁴ bytes apart from the next. So a pointer that leaves its array
does not reach another one, and the error can name the array that it came from:

    address  =  SPACE + number·2⁴⁴ + HALF + (machine address % 4096) + offset in bytes

The low bits are those of the machine address, so alignment is what it is on the machine. Integers
made from pointers (`tt.ptr_to_int`, pointers in memory) are machine addresses; `to_machine` and
`to_pointer` convert between both, so an array of pointers that the host filled works. A machine
address outside of all arguments may belong to an array that the caller can find (`find`); that
array is added to the address space.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

SPACE = 1 << 60
STRIDE_BITS = 44
HALF = 1 << (STRIDE_BITS - 1)
PAGE = 4096


class _Bytes:
    """The bytes of an array that may be strided, reversed or a slice, as an array interface."""

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
    """The memory of one array argument.

    That is the bytes from its lowest to its highest element; for a view of a buffer, such as a
    torch tensor, all bytes of the buffer.

    Attributes:
        name: The name of the argument.
        array: The array as it was passed.
        machine: The machine address of the lowest byte.
        start: The address of the lowest byte in the address space of the launch.
        origin: The address of element (0, 0, …), which the pointer argument holds.
        bytes: The memory.
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
        """View the aligned part of the memory as a flat array; return it and its address."""
        view = self._views.get(dtype)
        if view is None:
            skip = -self.start % dtype.itemsize
            whole = max(self.bytes.size - skip, 0) // dtype.itemsize * dtype.itemsize
            flat = self.bytes[skip : skip + whole].view(dtype)
            view = self._views[dtype] = (flat, self.start + skip)
        return view


def _region(name: str, array: np.ndarray, number: int) -> Region:
    low, high = np.lib.array_utils.byte_bounds(_buffer_of(array)) if array.size else (0, 0)
    address: int = array.__array_interface__["data"][0]
    low, high = (low, high) if array.size else (address, address)
    memory = np.asarray(_Bytes(array, low, high - low)) if high > low else np.empty(0, np.uint8)
    start = SPACE + (number << STRIDE_BITS) + HALF + low % PAGE
    return Region(name, array, low, start, start + address - low, memory)


def _buffer_of(array: np.ndarray) -> np.ndarray:
    """Get the array over a buffer that an array is a view of; else the array itself."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    return base if isinstance(base.base, memoryview) else array


Find = Callable[[int], "np.ndarray | None"]


class Memory:
    """All regions of a launch.

    Args:
        find: Finds the array that contains a machine address, None if there is none.

    Attributes:
        regions: The regions.
        version: A counter that every write increments, for the detection of livelock.
    """

    def __init__(self, find: Find | None = None) -> None:
        self._find = find
        self.regions: list[Region] = []
        self.version = 0

    def add(self, name: str, array: np.ndarray) -> int:
        """Add an array; return the address of its first element."""
        region = _region(name, array, len(self.regions))
        self.regions.append(region)
        return region.origin

    def region_at(self, address: int) -> Region | None:
        """Find the region whose range, with the space around it, contains an address."""
        number = (address - SPACE) >> STRIDE_BITS
        return self.regions[number] if 0 <= number < len(self.regions) else None

    def numbers(self, addresses: np.ndarray) -> np.ndarray:
        """Compute for each address the number of its region, which may not exist."""
        return (addresses - SPACE) >> STRIDE_BITS

    def to_machine(self, addresses: np.ndarray) -> np.ndarray:
        """Convert addresses of this space to machine addresses."""
        result = addresses.copy()
        numbers = self.numbers(addresses)
        for number, region in enumerate(self.regions):
            inside = numbers == number
            if inside.any():
                result[inside] += region.machine - region.start
        return result

    def to_pointer(self, integers: np.ndarray) -> np.ndarray:
        """Convert machine addresses to this space; others stay, null for example."""
        result = integers.copy()
        self._add_arrays_at(integers)
        for region in self.regions:
            inside = (integers >= region.machine) & (integers < region.machine + region.bytes.size)
            if inside.any():
                result[inside] += region.start - region.machine
        return result

    def _add_arrays_at(self, integers: np.ndarray) -> None:
        """Add the arrays that contain some machine addresses and are not arguments."""
        if self._find is None:
            return
        for address in map(int, np.unique(integers)):
            is_known = any(0 <= address - each.machine < each.bytes.size for each in self.regions)
            if address and not is_known and (array := self._find(address)) is not None:
                self.add(f"the tensor at {address:#x}", array)
