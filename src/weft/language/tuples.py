"""Tuples as values of a kernel: `tl.tuple((a, b))`, and their type."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence

from weft.language.dtypes import Kind, dtype


class tuple(builtins.tuple):  # type: ignore[type-arg]
    """A Python tuple whose members are values of a kernel.

    Args:
        args: The members.
        type: The type of the tuple, or the names of the members of a named tuple.
    """

    fields: builtins.tuple[str, ...] | None

    def __new__(cls, args: Iterable[object] = (), type: object = None) -> tuple:
        """Create a tuple."""
        members = super().__new__(cls, args)
        fields = type.fields if isinstance(type, tuple_type) else type
        members.fields = None if fields is None else builtins.tuple(fields)  # type: ignore[arg-type]
        return members

    @property
    def values(self) -> list[object]:
        """The members."""
        return list(self)

    @property
    def type(self) -> tuple_type:
        """The type of the tuple."""
        return tuple_type([getattr(each, "type", each) for each in self], self.fields)

    def __getattr__(self, name: str) -> object:
        """Get a member of a named tuple.

        Raises:
            AttributeError: There is none of this name.
        """
        fields = self.__dict__.get("fields") or ()
        if name in fields:
            return self[fields.index(name)]
        raise AttributeError(f"tuple has no field {name}")


class slice_type(dtype):
    """The type of a slice."""

    __slots__ = ()

    def __init__(self) -> None:
        self.name = "slice_type"


class slice:
    """A slice of a tuple: `t[start:stop:step]`.

    Attributes:
        start: The first index.
        stop: The index after the last.
        step: The distance of two indices.
        type: Its type.
    """

    def __init__(self, start: object, stop: object, step: object) -> None:
        self.start, self.stop, self.step = start, stop, step
        self.type = slice_type()


class tuple_type(dtype):
    """The type of a tuple.

    Attributes:
        types: The type of each member.
        fields: The name of each member of a named tuple, else None.
    """

    __slots__ = ("fields", "types")

    def __init__(self, types: Iterable[object], fields: Sequence[str] | None = None) -> None:
        self.types = builtins.tuple(types)
        self.fields = None if fields is None else builtins.tuple(fields)
        names = self.fields or [""] * len(self.types)
        parts = [f"{n}:{t}" if n else f"{t}" for n, t in zip(names, self.types, strict=True)]
        self.name = f"[{','.join(parts)}]"

    @property
    def element_kind(self) -> Kind:
        """VOID: a tuple is not an arithmetic type."""
        return Kind.VOID

    def mangle(self) -> str:
        """Return the type's part of a mangled function name."""
        return "T" + "_".join(_mangle(member) for member in self.types) + "T"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, tuple_type)
            and self.types == other.types
            and self.fields == other.fields
        )

    def __hash__(self) -> int:
        return hash(self.types)

    def __repr__(self) -> str:
        return self.name


def _mangle(member: object) -> str:
    return member.mangle() if isinstance(member, dtype) else str(member)
