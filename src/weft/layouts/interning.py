"""Make equal values one object, so that `is` compares layouts and hashing costs nothing.

    BlockedEncoding((1,), (32,), (4,), (0,)) is BlockedEncoding([1], [32], [4], [0])   # True

A class whose metaclass is `Interned` compares and hashes by identity. It is built as usual (its
`__post_init__` normalises and checks the fields) and then exchanged for the first equal object. A
call with the very arguments of an earlier one gets that one's object without any of this.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Interned"]

_BY_FIELDS: dict[tuple[Any, ...], Any] = {}
_BY_ARGUMENTS: dict[tuple[Any, ...], Any] = {}


class Interned(type):
    """Hand out one object per class and value of its `_key()`."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Build an object and return the first one that had the same key."""
        if kwargs:
            return cls._first(super().__call__(*args, **kwargs))
        try:
            found = _BY_ARGUMENTS.get((cls, args))
        except TypeError:  # a list among the arguments
            return cls._first(super().__call__(*args))
        if found is None:
            found = _BY_ARGUMENTS[cls, args] = cls._first(super().__call__(*args))
        return found

    def _first(cls, made: Any) -> Any:
        return _BY_FIELDS.setdefault((cls.__name__, *made._key()), made)
