"""What a kernel's code depends on besides its arguments: its source, its callees, globals.

`CapturedGlobals` is cheap, for the key of every launch. `fingerprint` reads sources and is the same
in every process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar
from weakref import WeakSet

from weft.compiler.free_names import (
    Reference,
    callee_of,
    free_names,
    host_source,
    is_constant,
    is_fixed,
    python_function,
    reachable_functions,
)
from weft.language.aggregates import Aggregate
from weft.language.constexpr import ConstexprFunction, constexpr
from weft.language.kernel_function import KernelFunction

__all__ = ["CapturedGlobals", "Function", "fingerprint"]

Function = KernelFunction | ConstexprFunction


class CapturedGlobals:
    """The compile-time globals that a kernel, its callees and its function constants read.

    A global that is rebound between two launches changes the code, so the keys are part of the key
    of every in-memory cache of compiled kernels.

    Attributes:
        references: The globals that the keys were computed from.
        on_change: Functions to call when a key has changed.
    """

    __slots__ = ("__weakref__", "_is_read", "_kernel", "_keys", "on_change", "references")
    _instances: ClassVar[WeakSet[CapturedGlobals]] = WeakSet()

    def __init__(self, kernel: KernelFunction) -> None:
        self._kernel = kernel
        self.references: list[Reference] = []
        self.on_change: list[Callable[[], object]] = []
        self._is_read = False
        self._keys: dict[Function, tuple[object, ...]] = {kernel: ()}
        self._instances.add(self)

    @classmethod
    def expire_all(cls) -> None:
        """Read the globals of every kernel again, after the source of a function was replaced."""
        for captured_globals in tuple(cls._instances):
            captured_globals._is_read = False
            captured_globals._notify()

    @property
    def unchanged(self) -> bool:
        """Whether every global still has the value that the keys were computed from."""
        try:
            for look_up, name, value in self.references:
                if look_up(name) is not value:
                    return False
        except (KeyError, ValueError):
            return False
        return self._is_read

    @property
    def key(self) -> tuple[object, ...]:
        """A key that is equal at two moments only if the kernel has the same code at both."""
        if not self.unchanged:
            self._read()
        return self._keys[self._kernel]

    def keys_of(self, functions: Iterable[Function]) -> tuple[object, ...]:
        """Compute the keys of functions that a launch passes to the kernel as constants."""
        functions = tuple(functions)
        if any(function not in self._keys for function in functions):
            self._keys |= {each: () for each in functions if each not in self._keys}
            self._is_read = False
        if not self.unchanged:
            self._read()
        return tuple(self._keys[function] for function in functions)

    def _read(self) -> None:
        references: list[Reference] = []
        keys = {function: _key(function, references) for function in self._keys}
        is_changed = any(old and keys[function] != old for function, old in self._keys.items())
        self._keys = keys
        # In place: the generated code of the launch cache holds this list.
        self.references[:] = references
        self._is_read = True
        if is_changed:
            self._notify()

    def _notify(self) -> None:
        for call in self.on_change:
            call()


def _key(kernel: Function, references: list[Reference]) -> tuple[object, ...]:
    """Compute the key of a function, and list the globals that it is computed from."""
    key: list[object] = []
    for function in reachable_functions(kernel):
        # The objects, not their addresses: another object may get the address of a dead one.
        key += [function, getattr(function, "source_version", 0)]
        names = [each for each in free_names(function) if _may_change(function, each.value)]
        references += names
        # Host code may assign the value of a constexpr that a kernel reads.
        references += (
            Reference(each.value.__getattribute__, "value", each.value.value)
            for each in names
            if isinstance(each.value, constexpr)
        )
        key += [(name, *_identity(value)) for name, value in _constants(function)]
    return tuple(key)


def _may_change(function: object, value: object) -> bool:
    """Check whether a global is compared before every launch.

    All globals of a kernel are. A host function reads modules that are not rebound, and the
    comparison takes time.
    """
    if isinstance(function, KernelFunction):
        return not is_fixed(value)
    return is_constant(value) or callee_of(function, value) is not None


def fingerprint(kernel: Function, *, positions: bool = False) -> str:
    """Compute a digest of the sources of a kernel and its callees, and of the globals they read.

    Args:
        kernel: The kernel, or a function that is passed to one.
        positions: Whether the line numbers of the functions count, which debug information has.
    """
    digest = hashlib.sha256()
    for function in reachable_functions(kernel):
        if isinstance(function, KernelFunction):
            text = f"{function.qualified_name} {function.noinline}\n{function.src}\n"
            line = function.first_line
        else:
            text, line = host_source(function), python_function(function).__code__.co_firstlineno
        digest.update(text.encode())
        if positions:
            digest.update(f"{line}\n".encode())
        for name, value in _constants(function):
            digest.update(f"{name} = {_identity(value)}\n".encode())
        for text in _aggregate_sources(function):
            digest.update(text.encode())
    return digest.hexdigest()


def _constants(function: object) -> Iterator[tuple[str, object]]:
    for _, name, value in free_names(function):
        if is_constant(value):
            yield name, value
    if isinstance(function, KernelFunction):
        for parameter in function.parameters:
            if parameter.has_default and is_constant(parameter.default):
                yield f"{parameter.name}=", parameter.default


def _identity(value: object) -> tuple[str, str]:
    return type(value).__name__, repr(value)


def _aggregate_sources(function: object) -> Iterator[str]:
    """Yield the sources of the aggregates that a function reads."""
    for _, name, value in free_names(function):
        if isinstance(value, type) and issubclass(value, Aggregate):
            yield f"{name} = {host_source(value.original)}"
