"""What every encoding has in common: named fields in Triton's spelling, checks, text.

An encoding class lists its fields once, each with the key that Triton prints:

    @encoding
    class SliceEncoding(Encoding):
        dim: int = integer("dim")
        parent: Encoding = nested("parent")

and gets from that `from_fields`, `fields`, `text` and the checks of types; `_check` adds the rules
of the class. Encodings with equal fields are one object.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform

from weft.errors import LayoutError, did_you_mean
from weft.layouts.interning import Interned

if TYPE_CHECKING:
    from weft.layouts.linear import LinearLayout

__all__ = ["Encoding", "encoding", "flag", "integer", "integers", "nested", "vectors"]

Names = Callable[["Encoding"], "str | None"]
Self = TypeVar("Self", bound="Encoding")
Class = TypeVar("Class", bound=type)

_ACCEPTED = {
    "integer": "an integer",
    "flag": "true or false",
    "integers": "a list of integers",
    "vectors": "a list of lists of integers",
    "nested": "an encoding",
}


def _declare(kind: str, key: str, default: Any, *, always: bool = False) -> Any:
    metadata = {"kind": kind, "key": key, "always": always}
    if default is dataclasses.MISSING:
        return dataclasses.field(metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def integer(key: str, *, default: Any = dataclasses.MISSING) -> Any:
    """Declare a field that holds one integer; it is not printed where it equals `default`."""
    return _declare("integer", key, default)


def flag(key: str, *, default: Any = dataclasses.MISSING, always: bool = False) -> Any:
    """Declare a field that holds true or false; printed where not `default`, or `always`."""
    return _declare("flag", key, default, always=always)


def integers(key: str, *, default: Any = dataclasses.MISSING) -> Any:
    """Declare a field that holds a list of integers; it is not printed where it is `default`."""
    return _declare("integers", key, default)


def vectors(key: str, *, default: Any = dataclasses.MISSING) -> Any:
    """Declare a field that holds basis vectors; it is not printed where it equals `default`."""
    return _declare("vectors", key, default)


def nested(key: str) -> Any:
    """Declare a field that holds another encoding."""
    return _declare("nested", key, dataclasses.MISSING)


@dataclass_transform(
    frozen_default=True, field_specifiers=(integer, flag, integers, vectors, nested)
)
def encoding(cls: Class) -> Class:
    """Make a class of fields a frozen, slotted dataclass that compares by identity."""
    return dataclass(frozen=True, slots=True, eq=False, repr=False)(cls)


class Encoding(metaclass=Interned):
    """Say how the elements of a tensor are spread over the hardware.

    Attributes of a class: dialect and mnemonic: the two parts of its name in IR text.
    alias: the stem of its name when IR text abbreviates it, None where it is always in full.
    family: "distributed" (registers of threads), "shared", "tensor_memory" or "unresolved".
    key_order: the keys in the order of printing, where that is not the order of the fields.
    """

    __slots__ = ()
    dialect: ClassVar[str] = "ttg"
    mnemonic: ClassVar[str]
    alias: ClassVar[str | None] = None
    family: ClassVar[str] = "distributed"
    key_order: ClassVar[tuple[str, ...]] = ()

    # -- construction -------------------------------------------------------------------------

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = _normal(getattr(self, field.name), field.metadata["kind"])
            if value is None:
                raise self.error(
                    f"{field.metadata['key']} must be {_ACCEPTED[field.metadata['kind']]}",
                    found=repr(getattr(self, field.name)),
                )
            object.__setattr__(self, field.name, value)
        self._check()

    @classmethod
    def from_fields(cls: type[Self], fields: Mapping[str, Any]) -> Self:
        """Build the encoding from Triton's keys.

        Args: fields: value by key; lists, tuples, integers, booleans, dictionaries, encodings.
        Raises: LayoutError on a key that is unknown or missing, or on an illegal value.
        """
        known = {f.metadata["key"]: f for f in dataclasses.fields(cls)}  # type: ignore[arg-type]
        for key in fields:
            if key not in known:
                raise cls.error(
                    f"unknown key {key}",
                    found=key,
                    accepted=known,
                    hint=did_you_mean(key, known),
                )
        for key, field in known.items():
            if key not in fields and field.default is dataclasses.MISSING:
                raise cls.error(f"{key} is missing", accepted=known)
        return cls(**{known[key].name: value for key, value in fields.items()})

    @classmethod
    def error(
        cls,
        message: str,
        *,
        found: object = None,
        accepted: Any = (),
        hint: str | None = None,
    ) -> LayoutError:
        """Return a LayoutError that opens with the name of the encoding."""
        return LayoutError(
            f"#{cls.dialect}.{cls.mnemonic}: {message}", found=found, accepted=accepted, hint=hint
        )

    def _check(self) -> None:
        """Raise LayoutError where the fields break a rule of this encoding."""

    def _key(self) -> tuple[Any, ...]:
        return tuple(getattr(self, f.name) for f in dataclasses.fields(self))  # type: ignore

    # -- reading ------------------------------------------------------------------------------

    @property
    def rank(self) -> int:
        """Return the number of dimensions of a tensor that carries this encoding."""
        raise NotImplementedError(type(self).__name__)

    def fields(self) -> tuple[tuple[str, Any], ...]:
        """Return (key, value) pairs in the order of printing, without those left at a default."""
        pairs = {
            f.metadata["key"]: getattr(self, f.name)
            for f in dataclasses.fields(self)  # type: ignore[arg-type]
            if not self._elided(f)
        }
        if self.key_order:
            return tuple((key, pairs[key]) for key in self.key_order if key in pairs)
        return tuple(pairs.items())

    def _elided(self, field: dataclasses.Field[Any]) -> bool:
        return not field.metadata["always"] and getattr(self, field.name) == field.default

    def text(self, names: Names | None = None) -> str:
        """Return the attribute as IR text, parents by the name that `names` gives them, if any."""
        return f"#{self.dialect}.{self.mnemonic}{self._body(names)}"

    def _body(self, names: Names | None) -> str:
        pairs = ", ".join(f"{key} = {value_text(value, names)}" for key, value in self.fields())
        return f"<{{{pairs}}}>"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text()

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), self._key())

    def __copy__(self: Self) -> Self:
        return self

    def __deepcopy__(self: Self, memo: object) -> Self:
        return self

    # -- meaning ------------------------------------------------------------------------------

    def linear(self, shape: tuple[int, ...] | list[int]) -> LinearLayout:
        """Return the layout of a tensor of this shape as a linear map.

        Args: shape: a power of two per dimension, in elements.
        Raises: LayoutError where the shape does not fit.
        """
        return _linear_of()(self, shape if type(shape) is tuple else tuple(shape))


@cache
def _linear_of() -> Callable[[Encoding, tuple[int, ...]], LinearLayout]:
    """Return the rules of all encodings, which know every class and so come after this module."""
    from weft.layouts.conversions import linear_of

    return linear_of


def value_text(value: Any, names: Names | None = None) -> str:
    """Return a field's value as Triton spells it."""
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return f"[{', '.join(value_text(item, names) for item in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{k} = {value_text(v, names)}' for k, v in value.items())}}}"
    if isinstance(value, Encoding):
        return (names(value) if names else None) or value.text(names)
    return str(value)


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _normal(value: Any, kind: str) -> Any:
    """Return the value in its canonical form, or None where it is not of that kind."""
    if kind == "integer":
        return value if _is_integer(value) else None
    if kind == "flag":
        return value if isinstance(value, bool) else None
    if kind == "nested":
        return value if isinstance(value, Encoding) else None
    if not isinstance(value, tuple | list):
        return None
    if kind == "integers":
        return tuple(value) if all(_is_integer(item) for item in value) else None
    rows = tuple(_normal(item, "integers") for item in value)
    return None if None in rows else rows
