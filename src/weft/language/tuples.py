"""The tuple that kernels can name: `tl.tuple((a, b))`, and the type of one."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence

from weft.language.dtypes import Kind, dtype


class tuple(builtins.tuple):  # type: ignore[type-arg]
    """Hold a fixed number of values in order; a Python tuple under the name that kernels use.

    Args: values: the members.
    """

    __slots__ = ()

    def __new__(cls, values: Iterable[object] = ()) -> tuple:
        """Return the tuple of `values`."""
        return super().__new__(cls, values)


class tuple_type(dtype):
    """Name the type of a tuple by those of its members.

    Args: types: one per member.  fields: the members' names, for a named tuple.
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
        """Return the family: a tuple is no arithmetic type."""
        return Kind.VOID

    def mangle(self) -> str:
        """Return the type as it stands in a mangled function name."""
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
