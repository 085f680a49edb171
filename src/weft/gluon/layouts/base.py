"""What the layouts of Gluon share: fields as lists, comparison, and the encoding that they name.

    BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])   →   #ttg.blocked<{sizePerThread = [1, 4], …}>

A layout has the fields of Triton's class of the same name, so that it is printed and mangled alike.
Its `encoding`, which has the checks and the meaning, is built on first use: Triton, too, accepts a
layout that no tensor can have until a kernel uses it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from weft.errors import LayoutError
from weft.language.constexpr import constexpr, constexpr_type

if TYPE_CHECKING:
    from weft.layouts import Encoding

__all__ = [
    "Bases",
    "Layout",
    "LayoutViewError",
    "layout_class",
    "mangle_bases",
    "mangle_integers",
    "plain",
    "require",
    "vectors",
]

Bases = list[list[int]]
"""Basis vectors of a linear layout, lowest bit first."""

_Class = TypeVar("_Class", bound=type)


class LayoutViewError(LayoutError, ValueError):
    """A layout that is not drawn; a ValueError, as in Triton."""


def layout_class(cls: _Class) -> _Class:
    """Make a class of fields a frozen dataclass, which keeps the comparison of `Layout`."""
    return cast("_Class", dataclasses.dataclass(frozen=True, eq=False)(cls))


def plain(value: object) -> object:
    """Replace constants by their values and sequences by lists, at any depth."""
    if isinstance(value, constexpr):
        return plain(value.value)
    if isinstance(value, tuple | list):
        return [plain(item) for item in cast("Sequence[object]", value)]
    return value


def require(condition: bool, message: str, found: object = None) -> None:
    """Check a rule of a layout.

    Raises:
        LayoutError: The condition is false.
    """
    if not condition:
        raise LayoutError(message, found=found)


def vectors(bases: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Convert basis vectors to tuples."""
    return tuple(tuple(basis) for basis in bases)


def mangle_integers(values: Sequence[object] | None) -> str:
    """Join integers by underscores."""
    return "" if values is None else "_".join(map(str, values))


def mangle_bases(bases: Sequence[Sequence[int]] | None) -> str:
    """Join the entries of vectors by tildes, and vectors by underscores."""
    return "_".join("~".join(map(str, vector)) for vector in bases) if bases else ""


class Layout:
    """The layout of a tensor in registers, or of a buffer in shared or tensor memory."""

    if TYPE_CHECKING:
        # A kernel passes a constexpr, or a list or tuple of them, for any field; `__post_init__`
        # replaces them by values of the field's type.
        def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    def __post_init__(self) -> None:
        for field in dataclasses.fields(cast("type", type(self))):
            object.__setattr__(self, field.name, plain(getattr(self, field.name)))
        self._complete()
        self._check()

    def _complete(self) -> None:
        """Replace None by the default of a field."""

    def _check(self) -> None:
        """Raise LayoutError if the fields break a rule."""

    def set_field(self, name: str, value: object) -> None:
        """Set a field while the layout is built."""
        object.__setattr__(self, name, value)

    @cached_property
    def encoding(self) -> Encoding:
        """The encoding of tensors or buffers of this layout.

        Raises:
            LayoutError: The fields are not those of an encoding.
        """
        return self._encoding()

    def _encoding(self) -> Encoding:
        raise NotImplementedError(type(self).__name__)

    @property
    def type(self) -> constexpr_type:
        """The type of the layout as a compile-time constant."""
        return constexpr_type(self)

    def mangle(self) -> str:
        """Return the layout's part of a mangled function name."""
        raise NotImplementedError(type(self).__name__)

    def format_tensor_view(self, shape: Sequence[int]) -> str:
        """Draw which threads and registers hold each element of a tensor of this shape."""
        return self._view(shape, hardware=False)

    def format_hardware_view(self, shape: Sequence[int]) -> str:
        """Draw which element each thread and register holds, of a tensor of this shape."""
        return self._view(shape, hardware=True)

    def _view(self, shape: Sequence[int], *, hardware: bool) -> str:
        from weft.layouts.drawing import text_views  # loads numpy, which few programs need

        if self.encoding.family == "unresolved":
            raise LayoutViewError(f"{type(self).__name__} cannot be visualized")
        sizes = tuple(cast("list[int]", plain(shape)))
        view = text_views.hardware_view if hardware else text_views.tensor_view
        return view(self.encoding.linear(sizes))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [field.name for field in dataclasses.fields(cast("type", type(self)))]
        return all(getattr(self, name) == getattr(other, name) for name in names)

    def __hash__(self) -> int:
        return hash(self.mangle())
