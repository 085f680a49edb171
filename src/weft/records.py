"""`dataclass` for classes with slots, at next to no cost until the first object is made.

    from weft.records import dataclass

    @dataclass(frozen=True, slots=True)
    class Tile:
        rows: int
        columns: int = 1

`dataclasses.dataclass` writes six functions for each class as text, and compiles them while the
module is imported: 1 ms a class. weft has some 350, and one compile makes objects of a third of
them. Here a class gets its slots, and a constructor that writes the real one when it is first
called; comparison, hash and `repr` need no text, they go by the list of the fields.

`dataclasses.fields`, `replace` and `asdict`, `match`, pickling and inheritance work as ever. What
weft has no use for is left out: classes without slots, `order`, `kw_only`, `InitVar`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass

__all__ = ["dataclass"]

Fields = dict[str, tuple[Any, Any]]
"""By name: the annotation, and MISSING, a default, or what dataclasses.field returns."""

_FIELDS = "_record_fields"
_DESCRIBED = ("__dataclass_fields__", "__dataclass_params__")


def _dataclass(*, slots: bool, frozen: bool = False, eq: bool = True, repr: bool = True) -> Any:
    """Return the decorator; the arguments mean what they mean to dataclasses.dataclass.

    Raises: TypeError: a class without slots, or derived from one of dataclasses.dataclass.
    """
    if not slots:
        raise TypeError("a class without slots is for dataclasses.dataclass")
    return lambda cls: _record(cls, frozen, eq, repr)


if not TYPE_CHECKING:  # to a type checker it is the one that it knows
    dataclass = _dataclass


def _record(cls: type, frozen: bool, eq: bool, repr: bool) -> type:
    """Return a class with slots for its fields, and what follows from them."""
    namespace = dict(cls.__dict__)
    for name in ("__dict__", "__weakref__"):
        namespace.pop(name, None)
    inherited = _inherited(cls)
    own = {
        name: (kind, namespace.pop(name, MISSING))
        for name, kind in namespace.get("__annotations__", {}).items()
        if not str(kind).startswith(("ClassVar", "typing.ClassVar"))
    }
    listed = inherited | own
    namespace[_FIELDS] = listed
    namespace["__slots__"] = tuple(name for name in own if name not in inherited)
    namespace["__match_args__"] = tuple(name for name in listed if _is_taken(listed[name][1]))
    namespace |= {name: _Described(frozen) for name in _DESCRIBED}
    for name, given in (("__getstate__", _state), ("__setstate__", _restore)):
        namespace.setdefault(name, given)
    if repr:
        namespace.setdefault("__repr__", _repr)
    if eq:
        _compare(namespace, listed, frozen)
    if frozen:
        namespace |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        made.__init__ = written = _constructor(made, listed)
        written(self, *args, **kwargs)

    namespace.setdefault("__init__", __init__)
    made: Any = type(cls)(cls.__name__, cls.__bases__, namespace)
    made.__qualname__ = cls.__qualname__
    return made


def _inherited(cls: type) -> Fields:
    """Return the fields of the bases, the first base's last."""
    found: Fields = {}
    for base in cls.__mro__[:0:-1]:
        if _FIELDS in base.__dict__:
            found |= base.__dict__[_FIELDS]
        elif _DESCRIBED[0] in base.__dict__:
            raise TypeError(f"{cls.__name__} derives from {base.__name__}, which is no record")
    return found


def _is_taken(value: Any) -> bool:
    """Return whether a constructor takes a field as an argument."""
    return not isinstance(value, Field) or value.init


# -- the constructor ------------------------------------------------------------------------------


def _constructor(cls: type, listed: Fields) -> Callable[..., None]:
    """Return the constructor of a class, compiled from text.

    def __init__(self, rows, columns=_default_columns):
        _set_rows(self, rows)
        _set_columns(self, columns)
    """
    names: dict[str, Any] = {"_absent": MISSING}
    parameters, body = ["self"], []
    for name, (_, value) in listed.items():
        given, default = _value(name, value, names)
        if _is_taken(value):
            parameters.append(name + default)
        if given:
            names[f"_set_{name}"] = getattr(cls, name).__set__  # the slot's, as frozen as it is
            body.append(f"_set_{name}(self, {given})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    lines = "\n    ".join(body or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):\n    {lines}", names)
    made = names["__init__"]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    return made


def _value(name: str, value: Any, names: dict[str, Any]) -> tuple[str, str]:
    """Return the text of a field's value, "" for none, and of its parameter's default.

    Args: names: gets what the texts call by name.
    """
    factory = value.default_factory if isinstance(value, Field) else MISSING
    default = value.default if isinstance(value, Field) else value
    if factory is not MISSING:
        names[f"_make_{name}"] = factory
        made = f"_make_{name}()"
        return (f"{made} if {name} is _absent else {name}" if value.init else made), "=_absent"
    if default is MISSING:
        return (name if _is_taken(value) else ""), ""
    names[f"_default_{name}"] = default
    return (name if _is_taken(value) else f"_default_{name}"), f"=_default_{name}"


# -- what needs no text ---------------------------------------------------------------------------


def _compare(namespace: dict[str, Any], listed: Fields, frozen: bool) -> None:
    """Give a class comparison by its fields, and a hash if it is frozen, where it has none."""
    compared = [name for name, (_, value) in listed.items() if _field_says(value, "compare")]
    key = _key(compared)

    def __eq__(self: Any, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return key(self) == key(other)

    def __hash__(self: Any) -> int:
        return hash(key(self))

    if "__eq__" not in namespace:
        namespace["__eq__"] = __eq__
    elif namespace.get("__hash__") is None:  # Python's, for a class that has only comparison
        namespace.pop("__hash__", None)
    namespace.setdefault("__hash__", __hash__ if frozen else None)


def _key(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return the function from an object to the values of these fields."""
    if not names:
        return lambda _: ()
    get = attrgetter(*names)
    return get if len(names) > 1 else lambda one: (get(one),)


def _field_says(value: Any, what: str) -> bool:
    return getattr(value, what) if isinstance(value, Field) else True


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (
        f"{name}={getattr(self, name)!r}"
        for name, (_, value) in getattr(self, _FIELDS).items()
        if _field_says(value, "repr")
    )
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _state(self: Any) -> list[Any]:
    """Return what pickle and copy keep."""
    return [getattr(self, name) for name in getattr(self, _FIELDS)]


def _restore(self: Any, state: list[Any]) -> None:
    for name, value in zip(getattr(self, _FIELDS), state, strict=True):
        object.__setattr__(self, name, value)


def _refuse_to_set(self: Any, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


class _Described:
    """What dataclasses keeps of a class, made by dataclasses itself when somebody asks for it."""

    __slots__ = ("frozen", "name", "owner")
    name: str
    owner: Any

    def __init__(self, frozen: bool) -> None:
        self.frozen = frozen

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    def __get__(self, instance: object, owner: type) -> Any:
        listed: Fields = getattr(self.owner, _FIELDS)
        body = {name: value for name, (_, value) in listed.items() if value is not MISSING}
        body["__annotations__"] = {name: kind for name, (kind, _) in listed.items()}
        body["__module__"] = self.owner.__module__
        twin = type(self.owner.__name__, (), body)
        dataclasses.dataclass(init=False, repr=False, eq=False, frozen=self.frozen)(twin)
        for name in _DESCRIBED:
            setattr(self.owner, name, getattr(twin, name))
        return getattr(self.owner, self.name)
