"""Make equal values one object, so that `is` compares them and hashing costs nothing.

    BlockedEncoding((1,), (32,), (4,), (0,)) is BlockedEncoding([1], [32], [4], [0])   # True

A class with the metaclass `Interned` keeps the default comparison and hash, by identity. An
instance is built as usual, and its `__post_init__` normalises and checks the fields; then the first
instance with the same key is returned in its place. A call with the arguments of an earlier call
returns that call's instance, without building another.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol, TypeVar

__all__ = ["Interned"]

_BY_KEY: dict[tuple[type, tuple[Hashable, ...]], Any] = {}
_BY_ARGUMENTS: dict[tuple[type, tuple[object, ...]], Any] = {}


class _Keyed(Protocol):
    def interning_key(self) -> tuple[Hashable, ...]: ...


T = TypeVar("T", bound=_Keyed)


class Interned(type):
    """Metaclass of classes that have one instance per value of their `interning_key()`."""

    def __call__(cls: type[T], *args: object, **kwargs: object) -> T:
        """Build an instance and return the first one with the same key."""
        if kwargs:
            return _first(cls, type.__call__(cls, *args, **kwargs))
        try:
            instance: T | None = _BY_ARGUMENTS.get((cls, args))
        except TypeError:  # an argument is not hashable, such as a list
            return _first(cls, type.__call__(cls, *args))
        if instance is None:
            instance = _BY_ARGUMENTS[cls, args] = _first(cls, type.__call__(cls, *args))
        return instance


def _first(cls: type[T], instance: T) -> T:
    return _BY_KEY.setdefault((cls, instance.interning_key()), instance)
