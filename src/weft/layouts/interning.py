"""Make equal values one object, so that `is` compares layouts and hashing costs nothing.

    BlockedEncoding((1,), (32,), (4,), (0,)) is BlockedEncoding([1], [32], [4], [0])   # True

A class whose metaclass is `Interned` compares and hashes by identity. It is built as usual (its
`__post_init__` normalises and checks the fields) and then exchanged for the first equal object.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Interned"]


class Interned(type):
    """Hand out one object per class and value of its `_key()`."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Build an object and return the first one that had the same key."""
        made = super().__call__(*args, **kwargs)
        return _KNOWN.setdefault((cls.__name__, *made._key()), made)


_KNOWN: dict[tuple[Any, ...], Any] = {}
