"""What all encodings share: named fields in Triton's spelling, checks, text, the linear layout.

An encoding class lists its fields once, each with the key that Triton prints:

    @encoding
    class SliceEncoding(Encoding):
        dim: int = integer("dim")
        parent: Encoding = nested("parent")

and gets `from_fields`, `fields`, `text` and the checks of types from that. It adds the rules
between its fields in `_check` and its meaning in `_linear_layout`. Encodings are immutable and
interned: equal encodings are one object.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import (
    Any,
    ClassVar,
    Literal,
    Self,
    TypeAlias,
    TypeVar,
    cast,
    dataclass_transform,
)

from weft.errors import LayoutError, did_you_mean
from weft.layouts.interning import Interned
from weft.layouts.linear_layout import LinearLayout
from weft.notebook import LAYOUTS

__all__ = [
    "Encoding",
    "Names",
    "Shape",
    "Value",
    "Vectors",
    "encoding",
    "flag",
    "integer",
    "integers",
    "is_power_of_two",
    "nested",
    "value_text",
    "vectors",
]

Shape = tuple[int, ...]
Vectors = tuple[tuple[int, ...], ...]
# The value of a field, as a caller may give it and as `fields` returns it.
Value: TypeAlias = "int | str | Sequence[Value] | Mapping[str, Value] | Encoding"
# A function that may know a short name, such as #blocked, for an encoding.
Names = Callable[["Encoding"], "str | None"]

_Kind = Literal["integer", "flag", "integers", "vectors", "nested"]
_Class = TypeVar("_Class", bound=type)
_T = TypeVar("_T")

_ACCEPTED: dict[_Kind, str] = {
    "integer": "an integer",
    "flag": "true or false",
    "integers": "a list of integers",
    "vectors": "a list of lists of integers",
    "nested": "an encoding",
}
_REQUIRED = cast("Any", dataclasses.MISSING)  # the default of a field that must be given


def is_power_of_two(value: int) -> bool:
    """Check whether `value` is 1, 2, 4, 8 …"""
    return value > 0 and value & (value - 1) == 0


def _declare(kind: _Kind, key: str, default: _T, *, always: bool = False) -> _T:
    """Return a dataclass field, with the type of its value, as `dataclasses.field` declares it."""
    metadata = {"kind": kind, "key": key, "always": always}
    return dataclasses.field(default=default, metadata=metadata)


def integer(key: str, *, default: int = _REQUIRED) -> int:
    """Declare a field that holds an integer; it is not printed if it equals `default`."""
    return _declare("integer", key, default)


def flag(key: str, *, default: bool = _REQUIRED, always: bool = False) -> bool:
    """Declare a field that holds true or false; printed if not `default`, or `always`."""
    return _declare("flag", key, default, always=always)


def integers(key: str, *, default: tuple[int, ...] = _REQUIRED) -> tuple[int, ...]:
    """Declare a field that holds a list of integers; it is not printed if it equals `default`."""
    return _declare("integers", key, default)


def vectors(key: str, *, default: Vectors = _REQUIRED) -> Vectors:
    """Declare a field that holds basis vectors; it is not printed if it equals `default`."""
    return _declare("vectors", key, default)


def nested(key: str) -> Encoding:
    """Declare a field that holds another encoding."""
    return _declare("nested", key, cast("Encoding", _REQUIRED))


@dataclass_transform(
    frozen_default=True, field_specifiers=(integer, flag, integers, vectors, nested)
)
def encoding(cls: _Class) -> _Class:
    """Make a class of fields a frozen, slotted dataclass that compares by identity."""
    return cast("_Class", dataclass(frozen=True, slots=True, eq=False, repr=False)(cls))


class Encoding(metaclass=Interned):
    """A distribution of the elements of a tensor over hardware locations.

    Attributes:
        dialect: the first part of the name in IR text, "ttg" in #ttg.blocked.
        mnemonic: the second part, "blocked".
        alias: the stem of the name when IR text abbreviates the attribute (#blocked, #blocked1);
            None if it is always printed in full.
        family: "distributed" (registers of threads), "shared", "tensor_memory" or "unresolved".
        key_order: the keys in the order of printing, if that is not the order of the fields.
        ignores_unknown_keys: whether the text may have other keys, which Triton's parser skips.
        parse_defaults: the values of keys that the text may leave out, but that are always printed.
    """

    __slots__ = ()
    dialect: ClassVar[str] = "ttg"
    mnemonic: ClassVar[str]
    alias: ClassVar[str | None] = None
    family: ClassVar[str] = "distributed"
    key_order: ClassVar[tuple[str, ...]] = ()
    ignores_unknown_keys: ClassVar[bool] = False
    parse_defaults: ClassVar[Mapping[str, Value]] = {}

    # -- construction -------------------------------------------------------------------------

    def __post_init__(self) -> None:
        for field in _fields(type(self)):
            key, kind = field.metadata["key"], field.metadata["kind"]
            value = self._checked_value(key, getattr(self, field.name), kind)
            object.__setattr__(self, field.name, value)
        self._check()

    @classmethod
    def _checked_value(cls, key: str, value: Value, kind: _Kind) -> Hashable:
        """Return the value of a key with tuples in place of lists.

        Raises:
            LayoutError: the value is not of this kind.
        """
        normal_form = _normal_form(value, kind)
        if normal_form is None:
            raise cls.error(f"{key} must be {_ACCEPTED[kind]}", found=repr(value))
        return normal_form

    @classmethod
    def from_fields(cls, fields: Mapping[str, Value]) -> Self:
        """Build the encoding from Triton's keys.

        Args:
            fields: value by key; lists and tuples are the same.

        Raises:
            LayoutError: a key is missing, or unknown and not ignored; a value is illegal.
        """
        by_key = {field.metadata["key"]: field for field in _fields(cls)}
        required = [k for k, field in by_key.items() if field.default is dataclasses.MISSING]
        fields = {**cls.parse_defaults, **fields}
        cls._check_keys(fields, list(by_key), required)
        known = {key: value for key, value in fields.items() if key in by_key}
        return cls._build({by_key[key].name: value for key, value in known.items()})

    @classmethod
    def _build(cls, arguments: Mapping[str, Value]) -> Self:
        """Build the encoding from values by field name; the constructor checks their types."""
        return cast("Any", cls)(**arguments)

    @classmethod
    def _check_keys(
        cls, fields: Mapping[str, Value], known: Sequence[str], required: Sequence[str]
    ) -> None:
        """Raise LayoutError for an unknown or missing key."""
        for key in fields:
            if key not in known and not cls.ignores_unknown_keys:
                raise cls.error(
                    f"unknown key {key}", found=key, accepted=known, hint=did_you_mean(key, known)
                )
        for key in required:
            if key not in fields:
                raise cls.error(f"{key} is missing", accepted=known)

    @classmethod
    def error(
        cls,
        message: str,
        *,
        found: object = None,
        accepted: Iterable[object] = (),
        hint: str | None = None,
    ) -> LayoutError:
        """Return a LayoutError whose message begins with the name of the encoding."""
        return LayoutError(
            f"#{cls.dialect}.{cls.mnemonic}: {message}", found=found, accepted=accepted, hint=hint
        )

    def _check(self) -> None:
        """Raise LayoutError if the fields break a rule of this encoding."""

    def interning_key(self) -> tuple[Hashable, ...]:
        """Return the values of all fields, by which equal encodings are recognised."""
        return tuple(getattr(self, field.name) for field in _fields(type(self)))

    def __reduce__(self) -> tuple[type[Self], tuple[Hashable, ...]]:
        return (type(self), self.interning_key())

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    # -- meaning ------------------------------------------------------------------------------

    @property
    def rank(self) -> int:
        """The number of dimensions of a tensor that has this encoding."""
        raise NotImplementedError(type(self).__name__)

    def linear(self, shape: Sequence[int]) -> LinearLayout:
        """Return the linear layout of a tensor of this shape.

        Its in-dimensions are register, lane, warp and block for a distributed encoding, offset and
        block for shared memory, row and col for tensor memory; its out-dimensions are dim0, dim1 …

        Args:
            shape: the shape in elements, a power of two per dimension.

        Raises:
            LayoutError: the shape does not fit the encoding.
        """
        return Encoding._cached_layout(self, tuple(shape))

    @staticmethod
    @lru_cache(maxsize=65536)
    def _cached_layout(encoding: Encoding, shape: Shape) -> LinearLayout:
        if len(shape) != encoding.rank:
            raise encoding.error(
                f"the shape must have {encoding.rank} dimensions", found="x".join(map(str, shape))
            )
        for dim, size in enumerate(shape):
            if not is_power_of_two(size):
                raise encoding.error(
                    f"dimension {dim} of the shape must be a power of two",
                    found=f"{size} in {'x'.join(map(str, shape))}",
                )
        return encoding._linear_layout(shape)

    def _linear_layout(self, shape: Shape) -> LinearLayout:
        """Compute what `linear` caches; the shape has the right rank and powers of two."""
        raise NotImplementedError(type(self).__name__)

    def operand_layout(self, op_idx: int, k_width: int, shape: Shape) -> LinearLayout:
        """Compute the layout of a dot's operand whose result has this encoding.

        Args:
            op_idx: 0 for the left operand, 1 for the right one.
            k_width: elements that a lane holds side by side along K.
            shape: the shape of the operand.

        Raises:
            LayoutError: no dot has a result of this encoding.
        """
        raise self.error("is not the encoding of a dot's result", found=str(self))

    # -- text ---------------------------------------------------------------------------------

    def fields(self) -> tuple[tuple[str, Value], ...]:
        """Return (key, value) pairs in the order of printing, without fields at their default."""
        pairs: dict[str, Value] = {
            field.metadata["key"]: getattr(self, field.name)
            for field in _fields(type(self))
            if not self._is_elided(field)
        }
        return tuple((key, pairs[key]) for key in self.key_order or pairs if key in pairs)

    def _is_elided(self, field: dataclasses.Field[object]) -> bool:
        return not field.metadata["always"] and getattr(self, field.name) == field.default

    def text(self, names: Names | None = None) -> str:
        """Return the attribute as IR text.

        Args:
            names: gives parents a name to print in their place.
        """
        return f"#{self.dialect}.{self.mnemonic}{self._body(names)}"

    def _body(self, names: Names | None) -> str:
        pairs = ", ".join(f"{key} = {value_text(value, names)}" for key, value in self.fields())
        return f"<{{{pairs}}}>"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        """Draw the encoding in a notebook."""
        return LAYOUTS["encoding"](self)


def _fields(cls: type[Encoding]) -> tuple[dataclasses.Field[object], ...]:
    return dataclasses.fields(cast("Any", cls))  # every subclass is a dataclass, by `encoding`


def value_text(value: Value, names: Names | None = None) -> str:
    """Return a field's value as Triton prints it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Encoding):
        return (names(value) if names else None) or value.text(names)
    if isinstance(value, int | str):
        return str(value)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{k} = {value_text(v, names)}' for k, v in value.items())}}}"
    return f"[{', '.join(value_text(item, names) for item in value)}]"


def _is_integer(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _normal_form(value: Value, kind: _Kind) -> Hashable | None:
    """Return the value with tuples in place of lists, None if it is not of that kind."""
    if kind == "integer":
        return value if isinstance(value, int) and not isinstance(value, bool) else None
    if kind == "flag":
        return value if isinstance(value, bool) else None
    if kind == "nested":
        return value if isinstance(value, Encoding) else None
    if not isinstance(value, tuple | list):
        return None
    if kind == "integers":
        return tuple(value) if all(map(_is_integer, value)) else None
    rows = tuple(_normal_form(item, "integers") for item in value)
    return None if None in rows else rows
