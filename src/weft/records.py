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
from abc import update_abstractmethods
from contextlib import contextmanager
from dataclasses import KW_ONLY, MISSING, Field, FrozenInstanceError, InitVar
from functools import cached_property
from operator import attrgetter
from reprlib import recursive_repr
from threading import get_ident
from typing import TYPE_CHECKING, Any, ClassVar, get_origin

from weft.bytecode import made as kept

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from dataclasses import dataclass
    from dataclasses import dataclass as light
    from types import CodeType

__all__ = ["dataclass", "light", "lighter"]

Fields = dict[str, tuple[Any, Any]]
"""By name: the annotation, and MISSING, a default, or what dataclasses.field returns."""

_real = dataclasses.dataclass
_FIELDS, _OPTIONS = "__dataclass_fields__", "__dataclass_params__"


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
    if wrong := [base for base in _known_bases(cls) if not _is_record(base)]:
        raise TypeError(f"{cls.__name__} derives from {wrong[0].__name__}, which is no record")
    inherited = _inherited(cls)
    own = {name: (kind, namespace.pop(name, MISSING)) for name, kind in _annotated(cls)}
    listed = inherited | own
    namespace["__slots__"] = tuple(name for name in own if name not in inherited)
    for name, given in (("__getstate__", _state), ("__setstate__", _restore)):
        namespace.setdefault(name, given)
    made: Any = cls

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        made.__init__ = written = _constructor(made, listed, slots=True, frozen=frozen)
        written(self, *args, **kwargs)

    namespace.setdefault("__init__", __init__)
    namespace |= _methods(namespace, listed, frozen, eq, repr)
    made = type(cls)(cls.__name__, cls.__bases__, namespace)
    made.__qualname__ = cls.__qualname__
    return made


def _methods(
    namespace: Mapping[str, Any], listed: Fields, frozen: bool, eq: bool, repr: bool
) -> dict[str, Any]:
    """Return what fields give a class besides a constructor, where it does not have its own."""
    found: dict[str, Any] = {_FIELDS: _Described(listed, frozen), _OPTIONS: _Options()}
    if "__match_args__" not in namespace:
        found["__match_args__"] = tuple(name for name in listed if _is_taken(listed[name][1]))
    if repr and "__repr__" not in namespace:
        found["__repr__"] = _repr
    if eq:
        found |= _comparison(namespace, listed, frozen)
    if frozen:
        found |= {"__setattr__": _set_unless_frozen, "__delattr__": _delete_unless_frozen}
    return found


# -- the dataclasses of others --------------------------------------------------------------------


@contextmanager
def lighter() -> Iterator[None]:
    """Let modules that this thread imports in the block have light dataclasses, too.

    xDSL makes some 200; its modules find `dataclass` in dataclasses. Theirs keep their dictionary,
    and work in every respect as those of dataclasses, which still makes the uncommon ones. What
    other threads import meanwhile gets the real ones. One block at a time: weft.ir has one, and
    weft.ir.text, which needs weft.ir, another.
    """
    real, thread = dataclasses.dataclass, get_ident()

    def chosen(cls: type | None = None, /, **options: bool) -> Any:
        return (_light if get_ident() == thread else real)(cls, **options)

    dataclasses.dataclass = chosen
    try:
        yield
    finally:
        dataclasses.dataclass = real


def _light(cls: type | None = None, /, **options: bool) -> Any:
    """Do what dataclasses.dataclass does."""
    return _of_others(cls, **options) if cls is not None else lambda it: _of_others(it, **options)


if not TYPE_CHECKING:
    light = _light  # for classes of weft's that keep their dictionary, being derived from xDSL's


def _of_others(
    cls: type,
    *,
    init: bool = True,
    repr: bool = True,
    eq: bool = True,
    frozen: bool = False,
    **others: bool,
) -> type:
    """Give a class what follows from its fields, in place."""
    own = {name: (kind, cls.__dict__.get(name, MISSING)) for name, kind in _annotated(cls)}
    uncommon = any(others.values()) or any(_is_uncommon(*each) for each in own.values())
    if uncommon or not all(map(_is_record, _known_bases(cls))):
        return _real(cls, init=init, repr=repr, eq=eq, frozen=frozen, **others)
    listed = _inherited(cls) | own
    for name, value in [each for each in cls.__dict__.items() if isinstance(each[1], Field)]:
        if value.default is MISSING:
            delattr(cls, name)
        else:
            setattr(cls, name, value.default)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        written: Any = _constructor(cls, listed, slots=False, frozen=frozen)
        cls.__init__ = written
        written(self, *args, **kwargs)

    if init and "__init__" not in cls.__dict__:
        cls.__init__ = __init__
    methods = _methods(cls.__dict__, listed, frozen, eq, repr)
    if methods.get("__hash__") and not any(base.__dict__.get("__slots__") for base in cls.__mro__):
        methods["__hash__"] = _remembered(methods["__hash__"])
        methods["__getstate__"] = cls.__dict__.get("__getstate__", _state_without_hash)
    for name, value in methods.items():
        setattr(cls, name, value)
    cls.__dict__[_FIELDS].__set_name__(cls, _FIELDS)  # as Python does where it makes the class
    return update_abstractmethods(cls) if getattr(cls, "__abstractmethods__", ()) else cls


def _is_uncommon(kind: Any, value: Any) -> bool:
    """Return whether a field is of a kind that only dataclasses knows."""
    if isinstance(value, Field) and value.kw_only is True:
        return True
    if isinstance(kind, str):
        return "InitVar" in kind or "KW_ONLY" in kind
    return kind is KW_ONLY or kind is InitVar or isinstance(kind, InitVar)


# -- fields ---------------------------------------------------------------------------------------


def _annotated(cls: type) -> Iterator[tuple[str, Any]]:
    """Yield the fields that a class itself names: (name, annotation)."""
    for name, kind in cls.__dict__.get("__annotations__", {}).items():  # noqa: RUF063  it is slow
        if isinstance(kind, str):
            if not kind.startswith(("ClassVar", "typing.ClassVar")):
                yield name, kind
        elif kind is not ClassVar and get_origin(kind) is not ClassVar:
            yield name, kind


def _known_bases(cls: type) -> list[type]:
    """Return the bases that have fields, the first base last."""
    return [base for base in cls.__mro__[:0:-1] if _FIELDS in base.__dict__]


def _inherited(cls: type) -> Fields:
    """Return the fields of the bases, which are records."""
    found: Fields = {}
    for base in _known_bases(cls):
        found |= base.__dict__[_FIELDS].listed
    return found


def _is_record(cls: type) -> bool:
    return isinstance(cls.__dict__.get(_FIELDS), _Described)


def _fields_of(one: object) -> Fields:
    """Return the fields of an object."""
    return next(cls.__dict__[_FIELDS].listed for cls in type(one).__mro__ if _is_record(cls))


def _is_taken(value: Any) -> bool:
    """Return whether a constructor takes a field as an argument."""
    return not isinstance(value, Field) or value.init


# -- the constructor ------------------------------------------------------------------------------


def _constructor(cls: type, listed: Fields, *, slots: bool, frozen: bool) -> Callable[..., None]:
    """Return the constructor of a class, compiled from text. With slots:

    def __init__(self, rows, columns=_default_columns):
        _set_rows(self, rows)
        _set_columns(self, columns)
    """
    names: dict[str, Any] = {"_absent": MISSING, "_set": object.__setattr__}
    parameters, body = ["self"], []
    for name, (_, value) in listed.items():
        given, default = _value(name, value, names)
        if _is_taken(value):
            parameters.append(name + default)
        if given and slots:
            names[f"_set_{name}"] = getattr(cls, name).__set__  # also of what is frozen
            body.append(f"_set_{name}(self, {given})")
        elif given:
            body.append(f"_set(self, {name!r}, {given})" if frozen else f"self.{name} = {given}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    lines = "\n    ".join(body or ["pass"])
    text = f"def __init__({', '.join(parameters)}):\n    {lines}"
    exec(_compiled(cls, text), names)
    made = names["__init__"]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    return made


def _compiled(cls: type, text: str) -> CodeType:
    """Return the code of a constructor, which is kept where the class is not somebody else's."""

    def compiled() -> CodeType:
        return compile(text, "<string>", "exec")

    if not cls.__module__.startswith(("weft.", "xdsl.")):
        return compiled()
    return kept(f"{cls.__module__}:{cls.__qualname__}", text, compiled)


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


def _comparison(namespace: Mapping[str, Any], listed: Fields, frozen: bool) -> dict[str, Any]:
    """Return comparison by the fields, and a hash if they are frozen, where a class has none."""
    names = [name for name, (_, value) in listed.items() if _field_says(value, "compare")]
    key: Any = attrgetter(*names) if names else lambda _: ()

    def __eq__(self: Any, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        ours, theirs = key(self), key(other)
        return ours is theirs or bool(ours == theirs)  # as tuples compare what they hold

    def __hash__(self: Any) -> int:
        return hash(key(self) if len(names) != 1 else (key(self),))

    found: dict[str, Any] = {} if "__eq__" in namespace else {"__eq__": __eq__}
    python_gave_none = "__eq__" in namespace and namespace.get("__hash__") is None
    if "__hash__" not in namespace or python_gave_none:
        found["__hash__"] = __hash__ if frozen else None
    return found


def _remembered(compute: Callable[[Any], int]) -> Callable[[Any], int]:
    """Return a hash that an object with a dictionary computes once."""

    def __hash__(self: Any) -> int:
        try:
            return self._hash
        except AttributeError:
            object.__setattr__(self, "_hash", found := compute(self))
            return found

    return __hash__


def _state_without_hash(self: Any) -> dict[str, Any]:
    """Return what pickle and copy keep: strings have another hash in another process."""
    return {name: value for name, value in self.__dict__.items() if name != "_hash"}


def _field_says(value: Any, what: str) -> bool:
    return getattr(value, what) if isinstance(value, Field) else True


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (
        f"{name}={getattr(self, name)!r}"
        for name, (_, value) in _fields_of(self).items()
        if _field_says(value, "repr")
    )
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _state(self: Any) -> list[Any]:
    """Return what pickle and copy keep."""
    return [getattr(self, name) for name in _fields_of(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for name, value in zip(_fields_of(self), state, strict=True):
        object.__setattr__(self, name, value)


def _set_unless_frozen(self: Any, name: str, value: object) -> None:
    """Set what a class that is no record has added to a frozen one, and nothing else."""
    if _is_record(type(self)) or name in _fields_of(self):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _delete_unless_frozen(self: Any, name: str) -> None:
    if _is_record(type(self)) or name in _fields_of(self):
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


class _Described:
    """What dataclasses keeps of a class, made by dataclasses itself when somebody asks for it."""

    def __init__(self, listed: Fields, frozen: bool) -> None:
        self.listed, self.frozen = listed, frozen

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner = owner

    @cached_property
    def fields(self) -> Any:
        """The fields of a class of dataclasses that has the same; it writes no function for it."""
        return self._twin().__dataclass_fields__

    @cached_property
    def options(self) -> Any:
        """The options of a class of dataclasses that has the same."""
        return self._twin(frozen=self.frozen).__dataclass_params__

    def _twin(self, **options: bool) -> Any:
        body = {name: value for name, (_, value) in self.listed.items() if value is not MISSING}
        body["__annotations__"] = {name: kind for name, (kind, _) in self.listed.items()}
        body["__module__"] = self.owner.__module__
        body["__doc__"] = self.owner.__name__  # else dataclasses writes the signature, at length
        twin = type(self.owner.__name__, (), body)
        return _real(init=False, repr=False, eq=False, **options)(twin)

    def __get__(self, one: object, owner: type) -> Any:
        return self.fields


class _Options:
    """The options of such a class."""

    def __get__(self, one: object, owner: type) -> Any:
        return next(cls.__dict__[_FIELDS].options for cls in owner.__mro__ if _is_record(cls))
