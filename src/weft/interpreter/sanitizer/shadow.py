"""Which lanes of each value are undefined.

A shadow belongs to an array object: values move between slots, blocks, loops and calls as objects,
and their shadows with them. An operation that returns one of its operands, or a constant, gets a
new view of it, so that the shadow of one value never is that of another.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Operation

from weft.errors import Location
from weft.interpreter.values import AffineTensor, AnyValue

__all__ = ["Shadow", "ShadowMap", "join"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Why lanes are undefined.

    Attributes:
        op: The operation whose result they are.
        reason: The reason in a few words.
        stack: Its source location, and the calls that led to it.
    """

    op: Operation
    reason: str
    stack: tuple[Location, ...]


@dataclass(frozen=True, slots=True)
class Shadow:
    """The undefined lanes of a value.

    Attributes:
        lanes: True where undefined; it broadcasts to the shape of the value.
        origin: Why.
    """

    lanes: np.ndarray
    origin: Origin


def join(shadows: Iterable[Shadow | None], lanes: np.ndarray | None) -> Shadow | None:
    """Construct the shadow of some lanes, with the first origin; None if there is no lane."""
    if lanes is None or not lanes.any():
        return None
    origin = next((shadow.origin for shadow in shadows if shadow is not None), None)
    return None if origin is None else Shadow(lanes, origin)


class ShadowMap:
    """The shadows of the values that have undefined lanes."""

    def __init__(self) -> None:
        self._shadows: dict[int, tuple[Callable[[], object], Shadow]] = {}

    def __bool__(self) -> bool:
        return bool(self._shadows)

    def get(self, value: object) -> Shadow | None:
        """Look up the shadow of a value; None if all its lanes are defined."""
        entry = self._shadows.get(id(value))
        return entry[1] if entry is not None and entry[0]() is value else None

    def attach(self, value: AnyValue, shadow: Shadow | None) -> AnyValue:
        """Set the shadow of a new value.

        Returns:
            The value; as another object if it has, or had, undefined lanes.
        """
        if shadow is None and self.get(value) is None:
            return value
        if isinstance(value, AffineTensor):
            value = value.like(value.base)  # pyright: ignore[reportAssignmentType]
        elif isinstance(value, np.ndarray):
            value = value.view()  # pyright: ignore[reportAssignmentType]
        else:
            return value
        if shadow is not None:
            key = id(value)
            reference = weakref.ref(value, lambda _: self._shadows.pop(key, None))
            self._shadows[key] = (reference, shadow)
        return value
