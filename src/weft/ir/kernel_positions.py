"""Find the position in a kernel that an operation of the standard library was called from.

loc("acc"(callsite("…/weft/language/standard.py":9:0 at "kernel.py":4:8)))   →   kernel.py:4:8
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Attribute

from weft.errors import Location
from weft.ir import locations

__all__ = ["call_positions", "is_in_library", "kernel_position"]

_LIBRARIES = ("/weft/language/", "/triton/language/")


def kernel_position(location: Attribute) -> Location | None:
    """Find the innermost position of a location that is not in the standard library.

    Returns:
        The innermost position if all are in the library; None if the location has none.
    """
    positions = list(call_positions(location))
    own = (each for each in positions if not is_in_library(each.file))
    return next(own, positions[0] if positions else None)


def is_in_library(file: str) -> bool:
    """Check whether a file is of the standard library of kernels."""
    return any(library in file for library in _LIBRARIES)


def call_positions(location: Attribute) -> Iterator[Location]:
    """Yield the positions of a location from the innermost call outwards."""
    if isinstance(location, locations.CallSiteLoc):
        yield from call_positions(location.callee)
        yield from call_positions(location.caller)
    elif isinstance(location, locations.NameLoc):
        yield from call_positions(location.location)
    elif (position := locations.position(location)) is not None:
        yield position
