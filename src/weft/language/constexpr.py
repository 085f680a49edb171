"""Compile-time constants.

Operators on a `constexpr` return a `constexpr`, so `BLOCK // 2` can be a shape:

    constexpr(128) // 2   →   constexpr[64]

With a run-time value as the other operand they return NotImplemented; the front end emits an
operation instead.
"""

from __future__ import annotations

import functools
import inspect
import operator
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from weft.language.base_values import base_type, base_value


class constexpr(base_value):
    """A compile-time constant.

    Attributes:
        value: Any Python value; never a `constexpr`.
    """

    __slots__ = ("value",)
    value: Any

    def __init__(self, value: object) -> None:
        self.value = unwrap(value)

    @property
    def type(self) -> constexpr_type:
        """The type, which includes the value."""
        return constexpr_type(self.value)

    def __repr__(self) -> str:
        return f"constexpr[{self.value}]"

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)

    def __hash__(self) -> int:
        return hash(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __index__(self) -> int:
        return operator.index(self.value)  # type: ignore[arg-type]

    def __int__(self) -> int:
        return int(self.value)  # type: ignore[call-overload]

    def __float__(self) -> float:
        return float(self.value)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[object]:
        return iter(self.value)  # type: ignore[call-overload]

    def __len__(self) -> int:
        return len(self.value)  # type: ignore[arg-type]

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Call the value, a Python function, on unwrapped arguments."""
        result = self.value(*map(unwrap, args), **{k: unwrap(v) for k, v in kwargs.items()})  # type: ignore[operator]
        return constexpr(result)

    def __getitem__(self, index: object) -> Any:
        return constexpr(self.value[unwrap(index)])  # type: ignore[index]

    def logical_and(self, other: object) -> constexpr:
        """Return `self and other`."""
        return constexpr(self.value and unwrap(other))

    def logical_or(self, other: object) -> constexpr:
        """Return `self or other`."""
        return constexpr(self.value or unwrap(other))

    def __add__(self, other: object) -> constexpr:
        return _apply(operator.add, self, other)

    def __radd__(self, other: object) -> constexpr:
        return _apply(operator.add, other, self)

    def __sub__(self, other: object) -> constexpr:
        return _apply(operator.sub, self, other)

    def __rsub__(self, other: object) -> constexpr:
        return _apply(operator.sub, other, self)

    def __mul__(self, other: object) -> constexpr:
        return _apply(operator.mul, self, other)

    def __rmul__(self, other: object) -> constexpr:
        return _apply(operator.mul, other, self)

    def __truediv__(self, other: object) -> constexpr:
        return _apply(operator.truediv, self, other)

    def __rtruediv__(self, other: object) -> constexpr:
        return _apply(operator.truediv, other, self)

    def __floordiv__(self, other: object) -> constexpr:
        return _apply(operator.floordiv, self, other)

    def __rfloordiv__(self, other: object) -> constexpr:
        return _apply(operator.floordiv, other, self)

    def __mod__(self, other: object) -> constexpr:
        return _apply(operator.mod, self, other)

    def __rmod__(self, other: object) -> constexpr:
        return _apply(operator.mod, other, self)

    def __pow__(self, other: object) -> constexpr:
        return _apply(operator.pow, self, other)

    def __rpow__(self, other: object) -> constexpr:
        return _apply(operator.pow, other, self)

    def __lshift__(self, other: object) -> constexpr:
        return _apply(operator.lshift, self, other)

    def __rlshift__(self, other: object) -> constexpr:
        return _apply(operator.lshift, other, self)

    def __rshift__(self, other: object) -> constexpr:
        return _apply(operator.rshift, self, other)

    def __rrshift__(self, other: object) -> constexpr:
        return _apply(operator.rshift, other, self)

    def __and__(self, other: object) -> constexpr:
        return _apply(operator.and_, self, other)

    def __rand__(self, other: object) -> constexpr:
        return _apply(operator.and_, other, self)

    def __or__(self, other: object) -> constexpr:
        return _apply(operator.or_, self, other)

    def __ror__(self, other: object) -> constexpr:
        return _apply(operator.or_, other, self)

    def __xor__(self, other: object) -> constexpr:
        return _apply(operator.xor, self, other)

    def __rxor__(self, other: object) -> constexpr:
        return _apply(operator.xor, other, self)

    def __eq__(self, other: object) -> constexpr:  # type: ignore[override]
        return _apply(operator.eq, self, other)

    def __ne__(self, other: object) -> constexpr:  # type: ignore[override]
        return _apply(operator.ne, self, other)

    def __lt__(self, other: object) -> constexpr:
        return _apply(operator.lt, self, other)

    def __le__(self, other: object) -> constexpr:
        return _apply(operator.le, self, other)

    def __gt__(self, other: object) -> constexpr:
        return _apply(operator.gt, self, other)

    def __ge__(self, other: object) -> constexpr:
        return _apply(operator.ge, self, other)

    def __neg__(self) -> constexpr:
        return constexpr(operator.neg(self.value))  # type: ignore[arg-type]

    def __pos__(self) -> constexpr:
        return constexpr(operator.pos(self.value))  # type: ignore[arg-type]

    def __invert__(self) -> constexpr:
        return constexpr(operator.invert(self.value))  # type: ignore[arg-type]


def _apply(function: Callable[..., object], left: object, right: object) -> constexpr:
    """Apply an operator to two constants; NotImplemented if one is a run-time value."""
    values = unwrap(left), unwrap(right)
    if any(hasattr(value, "handle") for value in values):  # "handle": the SSA value
        return NotImplemented
    return constexpr(function(*values))


def unwrap(value: object) -> object:
    """Return the value of a `constexpr`, or any other object unchanged."""
    return value.value if isinstance(value, constexpr) else value


class constexpr_type(base_type):
    """The type of a `constexpr`, which includes its value."""

    def __init__(self, value: object) -> None:
        self.value = unwrap(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return f"constexpr_type[{self.value}]"

    def mangle(self) -> str:
        """Return the type's part of a mangled function name."""
        mangle = getattr(self.value, "mangle", None)
        return f"c{mangle() if mangle else repr(self.value)}"


class const:
    """Annotation of a pointer parameter that is never stored to: `x_ptr: tl.const`."""


class ConstexprFunction:
    """A Python function that kernels call at compile time.

    In a kernel, arguments and result are constants. Host code calls the plain function.

    Attributes:
        fn: The Python function.
    """

    __slots__ = ("__dict__", "fn")
    __name__: str

    def __init__(self, fn: Callable[..., object]) -> None:
        self.fn = fn
        functools.update_wrapper(self, fn)

    @functools.cached_property
    def src(self) -> str:
        """The source text from `def` on, without indentation."""
        text = textwrap.dedent(inspect.getsource(self.fn))
        return text[max(text.find("def "), 0) :]

    def _unsafe_update_src(self, new_src: str) -> None:
        """Replace `src`, which identifies the function in a kernel's `cache_key`."""
        self.src = new_src

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Bind a method of an aggregate to its instance."""
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: object, _semantic: object = None, **kwargs: object) -> Any:
        """Call the function on unwrapped arguments; return a `constexpr` if an argument is one."""
        positional = [unwrap(argument) for argument in args]
        keyword = {key: unwrap(argument) for key, argument in kwargs.items()}
        result = self.fn(*positional, **keyword)
        arguments = (*args, *kwargs.values())
        return constexpr(result) if any(isinstance(a, constexpr) for a in arguments) else result


def constexpr_function(fn: Callable[..., object]) -> ConstexprFunction:
    """Make a Python function callable in kernels; it runs at compile time, on constants."""
    return ConstexprFunction(fn)
