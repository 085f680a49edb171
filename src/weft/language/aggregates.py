"""Aggregates: classes whose instances are values of a kernel, made of other values.

    @aggregate
    class Pair:
        first: tl.tensor
        second: tl.constexpr

        @weft.jit
        def scaled(self):
            return self.first * self.second

    pair = Pair(x, tl.constexpr(2))          # in a kernel
    y = pair.scaled()

The annotations are the fields. A kernel passes an aggregate to functions, through loops and through
branches; each of its fields that exists at run time is an SSA value there. Methods are kernel
functions, `constexpr_function`s, or plain Python functions, which run at compile time and take the
values themselves: `__init__` is one, or else it assigns the fields in their order. Fields do not
change after `__init__`.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, ClassVar

from weft.language.base_values import base_value
from weft.language.constexpr import ConstexprFunction, constexpr, unwrap
from weft.language.kernel_function import KernelFunction
from weft.language.tuples import tuple as tl_tuple

__all__ = ["Aggregate", "aggregate"]


class Aggregate(base_value):
    """The base class of all aggregates.

    Attributes:
        fields: The annotation of each field.
        original: The class that was decorated.
        is_initialized: Whether the fields are set.
    """

    __triton_aggregate__ = True
    fields: ClassVar[dict[str, Any]] = {}
    original: ClassVar[type] = object

    def __new__(
        cls, *args: object, _semantic: object = None, _generator: object = None, **kwargs: object
    ) -> Aggregate:
        """Call the constructor of the decorated class.

        Raises:
            AttributeError: The constructor does not set a field.
            TypeError: The arguments do not fit, or a field has a value of another type.
        """
        instance = cls.without_fields()
        constructor = cls.original.__init__
        if constructor is object.__init__:
            _assign_fields(instance, args, kwargs)
        else:
            plain = constructor.fn if isinstance(constructor, ConstexprFunction) else constructor
            parameters = inspect.signature(plain).parameters
            internal = {"_semantic": _semantic, "_generator": _generator}
            internal = {name: value for name, value in internal.items() if name in parameters}
            if isinstance(constructor, ConstexprFunction):
                args = builtins.tuple(map(unwrap, args))
                kwargs = {name: unwrap(value) for name, value in kwargs.items()}
            plain(instance, *args, **internal, **kwargs)
        for name in cls.fields:
            if name not in instance.__dict__:
                raise AttributeError(
                    f"constructor for {cls.__name__} did not initialize attribute '{name}'"
                )
        return instance

    def __init__(self, *args: object, **kwargs: object) -> None:
        """Do nothing: `__new__` has set the fields."""

    @classmethod
    def without_fields(cls) -> Aggregate:
        """Create an instance whose fields are not set."""
        return super().__new__(cls)

    def __setattr__(self, name: str, value: object) -> None:
        """Set a field.

        Raises:
            AttributeError: There is no such field.
            TypeError: The value is not of the field's type.
        """
        if name not in self.fields:
            raise AttributeError(f"{type(self).__name__} has no attribute '{name}'")
        expected = self.fields[name]
        converted = _converted(expected, value)
        if not _is_of(expected, converted):
            actual = builtins.type(value)
            raise TypeError(f"Expected {expected} for attribute '{name}', got {actual}")
        self.__dict__[name] = converted

    @property
    def type(self) -> object:
        """The fields with the type of each."""
        return [(name, getattr(getattr(self, name), "type", None)) for name in self.fields]


def _assign_fields(
    instance: Aggregate, args: builtins.tuple[object, ...], kwargs: dict[str, object]
) -> None:
    """Assign the arguments of a class without a constructor to its fields."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter(name, kind) for name in instance.fields])
    for name, value in signature.bind(*args, **kwargs).arguments.items():
        is_plain = instance.fields[name] is constexpr and not isinstance(value, constexpr)
        setattr(instance, name, constexpr(value) if is_plain else value)


def _converted(expected: object, value: object) -> object:
    """Convert a Python tuple for a field that is a tuple: its members become constants."""
    if expected is not tl_tuple or not isinstance(value, builtins.tuple):
        return value
    members = [each if hasattr(each, "type") else constexpr(each) for each in value]
    fields = getattr(value, "_fields", None)
    return tl_tuple(members, fields)


def _is_of(expected: object, value: object) -> bool:
    """Check whether a value is of the type that annotates a field."""
    if not isinstance(expected, type) or isinstance(value, expected):
        return True
    # Values that only the compiler creates have other classes.
    language_class = getattr(value, "language_class", None)
    return language_class is not None and issubclass(language_class, expected)


def aggregate(cls: type) -> Any:  # the fields are attributes of its instances
    """Make a class with annotated fields an aggregate; see the module's docstring."""
    members: dict[str, object] = {
        name: inspect.getattr_static(cls, name)
        for name in dir(cls)
        if name not in dir(object) or name in vars(cls)
    }
    excluded = {"__init__", "__dict__", "__weakref__", "__annotations__", "__module__", "__new__"}
    methods = {
        name: member
        for name, member in members.items()
        if name not in excluded and _is_method(member)
    }
    namespace: dict[str, object] = {
        **methods,
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
        "fields": dict(_annotations(cls)),
        "original": cls,
    }
    return type(cls.__name__, (Aggregate,), namespace)


def _is_method(member: object) -> bool:
    kinds = (FunctionType, KernelFunction, ConstexprFunction, staticmethod, classmethod, property)
    return isinstance(member, kinds)


def _annotations(cls: type) -> dict[str, object]:
    annotations: dict[str, object] = {}
    for base in reversed(cls.__mro__):
        try:
            annotations |= inspect.get_annotations(base, eval_str=True)
        except NameError:  # a text that names a class of an enclosing function
            annotations |= inspect.get_annotations(base)
    return annotations


def constructor_of(cls: type[Aggregate]) -> Callable[..., object]:
    """Get the constructor of the decorated class, for its source."""
    return cls.original.__init__
