"""What a kernel's code depends on besides its arguments: its source, its callees, globals.

`CapturedGlobals` is cheap, for the key of every launch. `fingerprint` reads sources and is the same
in every process.
"""

from __future__ import annotations

import builtins
import hashlib
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import NamedTuple

from weft.errors import UnsupportedError
from weft.language.kernel_function import KernelFunction, is_foreign

__all__ = ["CapturedGlobals", "fingerprint"]


class Reference(NamedTuple):
    """A global name that a kernel reads.

    Attributes:
        look_up: Resolves the name; raises KeyError if it is gone.
        name: The name.
        value: Its value when it was last read.
    """

    look_up: Callable[[str], object]
    name: str
    value: object


_CONSTEXPR = "constexpr"
_LANGUAGE_MODULES = ("weft", "triton")  # their contents do not change while a program runs


class CapturedGlobals:
    """The compile-time globals that a kernel and its callees read.

    A global that is rebound between two launches changes the code, so `key` is part of the key of
    every in-memory cache of compiled kernels.

    Attributes:
        references: The globals that `key` was computed from.
    """

    __slots__ = ("_is_read", "_kernel", "_key", "references")

    def __init__(self, kernel: KernelFunction) -> None:
        self._kernel = kernel
        self.references: list[Reference] = []
        self._is_read = False
        self._key: tuple[object, ...] = ()

    @property
    def unchanged(self) -> bool:
        """Whether every global still has the value that `key` was computed from."""
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
        return self._key

    def _read(self) -> None:
        references: list[Reference] = []
        key: list[object] = []
        for function in _reachable_functions(self._kernel):
            key.append(id(function))
            references += (each for each in _free_names(function) if not _is_fixed(each.value))
            key += [(name, *_identity(value)) for name, value in _constants(function)]
        self._key = tuple(key)
        # In place: the generated code of the launch cache holds this list.
        self.references[:] = references
        self._is_read = True


def fingerprint(kernel: KernelFunction) -> str:
    """Compute a digest of the sources of a kernel and its callees, and of the globals they read."""
    digest = hashlib.sha256()
    for function in _reachable_functions(kernel):
        digest.update(f"{function.qualified_name}\n{function.source.text}\n".encode())
        for name, value in _constants(function):
            digest.update(f"{name} = {_identity(value)}\n".encode())
    return digest.hexdigest()


def _constants(function: KernelFunction) -> Iterator[tuple[str, object]]:
    for _, name, value in _free_names(function):
        if type(value).__name__ == _CONSTEXPR or isinstance(value, int | float | str):
            yield name, value


def _identity(value: object) -> tuple[str, str]:
    return type(value).__name__, repr(value)


def _is_fixed(value: object) -> bool:
    """Check whether a value belongs to the language or to Python, and so is never rebound."""
    if isinstance(value, ModuleType):
        return value.__name__.startswith(_LANGUAGE_MODULES)
    return getattr(builtins, getattr(value, "__name__", ""), None) is value


def _reachable_functions(kernel: KernelFunction) -> Iterator[KernelFunction]:
    """Yield the kernel and the functions that it may call, each once, in a fixed order."""
    worklist, visited = [kernel], {kernel.fn}
    while worklist:
        function = worklist.pop()
        yield function
        for _, _, value in _free_names(function):
            callee = _kernel_function(value)
            if callee is not None and callee.fn not in visited:
                visited.add(callee.fn)
                worklist.append(callee)


def _kernel_function(value: object) -> KernelFunction | None:
    if isinstance(value, KernelFunction):
        return value
    if not is_foreign(value):
        return None
    try:
        return KernelFunction.of(value)
    except UnsupportedError:
        return None


def _free_names(function: KernelFunction) -> Iterator[Reference]:
    """Yield the free names of a function, and the attributes that it may read from modules."""
    code = function.fn.__code__
    for name in (*code.co_names, *code.co_freevars):
        try:
            value = function.resolve(name)
        except KeyError:  # co_names also lists attribute names
            continue
        yield Reference(function.resolve, name, value)
        if isinstance(value, ModuleType) and not value.__name__.startswith(_LANGUAGE_MODULES):
            members = vars(value)
            for attribute in code.co_names:
                if attribute in members:
                    yield Reference(members.__getitem__, attribute, members[attribute])
