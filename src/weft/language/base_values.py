"""Base classes of values and types: `tl.core.base_value` and `tl.core.base_type`."""

from __future__ import annotations

from typing import Any

__all__ = ["base_type", "base_value"]


class base_value:
    """The base class of values that kernels compute with.

    Attributes:
        type: Its type.
    """

    type: Any


class base_type:
    """The base class of types.

    Types are compared with `==`.
    """

    __slots__ = ()

    def mangle(self) -> str:
        """Return the type's part of a mangled function name."""
        raise NotImplementedError(type(self).__name__)
