"""Find the array that an address points into.

A kernel may load pointers from memory, as in grouped matrix products:

    addresses = np.array([x.ctypes.data, y.ctypes.data])       # x and y are not arguments
    LiveArrays()(x.ctypes.data)                                # the bytes of x

The embedded CPU device checks every access against an array, so it must find these, too. Python's
garbage collector lists the tensors of torch. It does not list numpy arrays, which refer to no other
object; those are found in what refers to them: variables of the functions that are running,
globals, attributes, and items of lists, tuples and dictionaries.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from bisect import bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

__all__ = ["LiveArrays"]

_Range = tuple[int, int]  # the first address of an array's memory, and its bytes


class LiveArrays:
    """The memory of the numpy arrays and of torch's tensors that exist.

    The list is made when an address is looked up, and again if an address is not in it.
    """

    def __init__(self) -> None:
        self._ranges: list[_Range] = []

    def __call__(self, address: int) -> np.ndarray | None:
        """Find the array in host memory that contains an address.

        Returns:
            Its bytes; None if there is none.
        """
        array = self._lookup(address)
        if array is None:
            self._ranges = _merge({*_numpy_ranges(), *_torch_ranges()})
            array = self._lookup(address)
        return array

    def _lookup(self, address: int) -> np.ndarray | None:
        import numpy as np

        index = bisect_right(self._ranges, (address, sys.maxsize)) - 1
        if index < 0:
            return None
        start, size = self._ranges[index]
        if not start <= address < start + size:
            return None
        memory = (ctypes.c_char * size).from_address(start)
        return np.frombuffer(memoryview(memory), np.uint8)


def _merge(ranges: set[_Range]) -> list[_Range]:
    """Sort ranges, and leave out those inside of others: views of part of an array."""
    outer: list[_Range] = []
    for start, size in sorted(ranges, key=lambda each: (each[0], -each[1])):
        if outer and start + size <= sum(outer[-1]):
            continue
        outer.append((start, size))
    return outer


def _numpy_ranges() -> Iterator[_Range]:
    """Yield the memory of the numpy arrays that something refers to."""
    import numpy as np

    frame = sys._getframe()  # pyright: ignore[reportPrivateUsage]
    variables: list[Any] = []
    while frame is not None:
        variables += frame.f_locals.values()
        frame = frame.f_back
    worklist = [*variables, *gc.get_referents(*gc.get_objects())]
    while worklist:
        value = worklist.pop()
        # The collector does not track a dictionary or tuple of objects that refer to no other.
        if type(value) in (dict, tuple) and not gc.is_tracked(value):
            worklist += gc.get_referents(value)
        # Not isinstance: some objects warn when their class is read.
        if not issubclass(type(value), np.ndarray) or not value.size or value.dtype.hasobject:
            continue
        owner = value
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        low, high = np.lib.array_utils.byte_bounds(owner)
        yield low, high - low


def _torch_ranges() -> Iterator[_Range]:
    """Yield the memory of torch's tensors on the host."""
    tensor_class = getattr(sys.modules.get("torch"), "Tensor", None)
    if tensor_class is None:
        return
    for each in gc.get_objects():
        if not issubclass(type(each), tensor_class) or each.device.type != "cpu":
            continue
        try:
            storage = each.untyped_storage()
        except NotImplementedError:  # sparse tensors, and wrappers of torch.func
            continue
        # The tensors that torch.compile traces with are "on the host", without memory there.
        if storage.device.type == "cpu" and storage.nbytes():
            yield storage.data_ptr(), storage.nbytes()
