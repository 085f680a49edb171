"""Tuples as values of a kernel: `tl.tuple((a, b))`, and their type."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence

from weft.language.dtypes import Kind, dtype


class tuple(builtins.tuple):  # type: ignore[type-arg]
    """A Python tuple whose members are values of a kernel."""

    __slots__ = ()

    def __new__(cls, values: Iterable[object] = ()) -> tuple:
        """Create a tuple of `values`."""
        return super().__new__(cls, values)


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
